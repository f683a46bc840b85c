# SPDX-License-Identifier: MIT
confine run -E MODE=test -E LANG -- env
