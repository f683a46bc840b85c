# SPDX-License-Identifier: MIT
mkdir -m 1777 lib
confine --allow-write=lib -m pip install --no-index --find-links=wheels \
    --target=lib demo
confine -E PYTHONPATH=lib -m demo
