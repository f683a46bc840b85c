/* SPDX-License-Identifier: MIT */
/* policy/ports.c: P7 lists of ports are in order, each once. What narrows no grant is in
 * test-resolve.c. */
#include "policy/ports.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

static void test_parse(void) {
        static const struct {
                const char *text;
                int r, port;
        } rows[] = {
                { "1", 0, 1 },           { "65535", 0, 65535 }, { "0", -EINVAL, 7 },
                { "65536", -EINVAL, 7 }, { "-1", -EINVAL, 7 },  { "http", -EINVAL, 7 },
                { "", -EINVAL, 7 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                uint16_t port = 7;

                is_int(port_parse(rows[i].text, &port), rows[i].r, "'%s'", rows[i].text);
                is_int(port, rows[i].port, "its number");
        }
}

static void test_list(void) {
        static const uint16_t added[] = { 443, 80, 443, 1, 65535, 80 };
        Ports list = { 0 };

        ok(!ports_have(&list, 80), "an empty list has none");
        for (size_t i = 0; i < ARRAY_SIZE(added); i++)
                if (ports_add(&list, added[i]) < 0)
                        bail_out("out of memory");
        is_uint(list.n_ports, 4, "each is there once");
        for (size_t i = 1; i < list.n_ports; i++)
                ok(list.ports[i - 1] < list.ports[i], "in order");
        ok(ports_have(&list, 443) && ports_have(&list, 1) && !ports_have(&list, 444),
           "and is found");
        free(list.ports);
}

int main(void) {
        test_parse();
        test_list();
        return done_testing();
}
