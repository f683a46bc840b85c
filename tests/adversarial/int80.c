/* SPDX-License-Identifier: MIT */
/* int80: makes one system call of i386, getpid, as a program that has lost its way. Exits 0 if it
 * is answered, 99 where there is none. */
#include "attack.h"

int main(void) {
#if defined(__x86_64__)
        long r;

        __asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory");
        return r > 0 ? 0 : 99;
#else
        return 99;
#endif
}
