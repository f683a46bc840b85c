# SPDX-License-Identifier: MIT
confine --timeout=10s --memory=128M -c 'print(sum(range(10)))'
