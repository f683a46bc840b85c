# SPDX-License-Identifier: MIT
mkdir tool
printf '#!/bin/sh\necho "hello, $1"\n' >tool/hello
chmod 755 tool/hello
confine run --allow-exec=tool -- tool/hello world
