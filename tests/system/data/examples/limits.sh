# SPDX-License-Identifier: MIT
confine run --memory=64M --cpu=50% --tasks=32 --timeout=1min -- \
    python3 -c 'x = b"x" * (256 << 20)'
echo $?
