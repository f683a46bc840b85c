# SPDX-License-Identifier: MIT
python3 -m venv env
env/bin/pip install --no-index --find-links=wheels demo
confine -p Interpreter=env/bin/python -m demo
