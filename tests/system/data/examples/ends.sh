# SPDX-License-Identifier: MIT
journalctl --since=yesterday -o cat CONFINE_EVENT=end \
    CONFINE_CAUSE=limit CONFINE_CAUSE=timeout CONFINE_CAUSE=signal
