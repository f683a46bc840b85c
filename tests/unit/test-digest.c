/* SPDX-License-Identifier: MIT */
/* policy/digest.c against published vectors (FIPS 180-4; HMAC computed with Python's hmac). */
#include "policy/digest.h"

#include <string.h>

#include "tests/unit/tap.h"

int main(void) {
        char a[] = "ab", b[] = "c", c[] = "a", d[] = "bc";
        struct iovec one[] = { { a, 2 }, { b, 1 } };
        struct iovec two[] = { { c, 1 }, { d, 2 } };
        struct iovec nothing[] = { { NULL, 0 } };
        char got[DIGEST_HEX_SIZE], other[DIGEST_HEX_SIZE], key[65];

        digest_sha256_hex("abc", 3, got);
        is_str(got, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
               "SHA-256 of abc");
        digest_sha256_hex(NULL, 0, got);
        is_str(got, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
               "SHA-256 of nothing");
        digest_hmac_sha256_hex("k", 1, one, 2, got);
        is_str(got, "a11f5fedad87524b2e34a286d8fd78818a7bd6bff6286b92dc5bcb3d33cd0df3",
               "HMAC of two parts");
        digest_hmac_sha256_hex("k", 1, two, 2, other);
        ok(strcmp(got, other) != 0, "the same bytes in other parts hash differently");
        digest_hmac_sha256_hex("k", 1, nothing, 1, got);
        digest_hmac_sha256_hex("k", 1, NULL, 0, other);
        ok(strcmp(got, other) != 0, "an empty part is not no part");

        memset(key, 'k', sizeof(key));
        digest_hmac_sha256_hex(key, 64, one, 2, got);
        is_str(got, "951a3f90f65710b218bf807d0fb2ec737bbbef7334d3ca8b46cf3867921a998c",
               "a key of one block is used as it is");
        digest_hmac_sha256_hex(key, 65, one, 2, got);
        is_str(got, "e8de4fd899fc173f3f0c1068f0f6272a010869aed199fb7db625b6e8668aea66",
               "a longer key is hashed first");
        digest_hmac_sha256_hex(NULL, 0, one, 2, got);
        is_str(got, "57cb2a935abcbdc6835412cfbedba101a4eda4ae3439c2d1921ecfb9dd9aa37d",
               "no key is the empty key");
        return done_testing();
}
