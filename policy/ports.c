/* SPDX-License-Identifier: MIT */
/* Lists of ports. Who enforces them is in capabilities.def. */
#include "policy/ports.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/value.h"
#include "supervisor/base/base.h"

int port_parse(const char *text, uint16_t *ret) {
        uint64_t number;
        ValueHint hint;

        if (value_parse_number(VALUE_COUNT, NULL, text, &number, &hint) < 0 || number < 1 ||
            number > UINT16_MAX)
                return -EINVAL;
        *ret = (uint16_t)number;
        return 0;
}

static int compare(const void *a, const void *b) {
        return *(const uint16_t *)a - *(const uint16_t *)b;
}

bool ports_have(const Ports *list, uint16_t port) {
        return list->n_ports > 0 &&
               bsearch(&port, list->ports, list->n_ports, sizeof(port), compare) != NULL;
}

int ports_add(Ports *list, uint16_t port) {
        uint16_t *grown;

        if (ports_have(list, port))
                return 0;
        grown = reallocarray(list->ports, list->n_ports + 1, sizeof(port));
        if (!grown)
                return -ENOMEM;
        grown[list->n_ports] = port;
        *list = (Ports){ grown, list->n_ports + 1 };
        qsort(list->ports, list->n_ports, sizeof(port), compare);
        return 0;
}

/* What narrows the grant does not make it: Network= alone says whether there is one. */
void ports_check(const Policy *policy, const Settings *settings, Diag *reterr_diag) {
        const Setting *asked = settings_last(settings, KEY_TCPConnectPorts);

        if (asked && policy->tcp_connect_ports.n_ports > 0 && !policy->network)
                (void)diag_add(reterr_diag, ERROR_CONFIGURATION,
                               "'TCPConnectPorts' (%s) narrows a network grant, and there is none: "
                               "add --allow-net, or leave the ports out",
                               asked->origin);
}
