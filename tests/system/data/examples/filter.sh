# SPDX-License-Identifier: MIT
printf 'b\na\n' | confine run -- sort
