# SPDX-License-Identifier: MIT
confine run --result=result.json -- sh -c 'exit 3'
jq '.cause, .exit_status' result.json
journalctl -o cat -u "$(jq -r .unit result.json)"
