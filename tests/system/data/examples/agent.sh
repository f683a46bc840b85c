# SPDX-License-Identifier: MIT
confine -q --result=result.json --memory=256M --timeout=1min task.py >stdout.txt 2>stderr.txt
case $(jq -r .cause result.json) in
exit) echo "ended by itself with status $(jq .exit_status result.json)" ;;
limit | timeout) echo "reached $(jq -r .limit result.json)" ;;
signal | killed) echo "died of signal $(jq .signal result.json)" ;;
*) echo "did not run: $(jq -r .reason result.json)" ;;
esac
