# SPDX-License-Identifier: MIT
mkdir -m 1777 out
confine run --allow-run --allow-write=out -- sh -c 'ls /usr | sort -r >out/list'
cat out/list
