/* SPDX-License-Identifier: MIT */
/* SHA-256 and HMAC-SHA-256 as hex text over libmd. No other hash and no other encoding belongs
 * here. */
#include "policy/digest.h"

#include <sha2.h>
#include <stdint.h>
#include <string.h>

static void hex_encode(const uint8_t *bytes, size_t n_bytes, char *ret) {
        static const char digits[] = "0123456789abcdef";

        for (size_t i = 0; i < n_bytes; i++) {
                *ret++ = digits[bytes[i] >> 4];
                *ret++ = digits[bytes[i] & 15];
        }
        *ret = '\0';
}

static void update(SHA2_CTX *context, const void *data, size_t size_bytes) {
        if (size_bytes > 0) /* memcpy() from NULL is undefined even for nothing */
                SHA256Update(context, data, size_bytes);
}

static void update_length(SHA2_CTX *context, uint64_t length) {
        uint8_t bytes[8];

        for (size_t i = 0; i < sizeof(bytes); i++)
                bytes[i] = (uint8_t)(length >> (56 - 8 * i));
        SHA256Update(context, bytes, sizeof(bytes));
}

void digest_sha256_hex(const void *data, size_t size_bytes, char ret[static DIGEST_HEX_SIZE]) {
        uint8_t hash[SHA256_DIGEST_LENGTH];
        SHA2_CTX context;

        SHA256Init(&context);
        update(&context, data, size_bytes);
        SHA256Final(hash, &context);
        hex_encode(hash, sizeof(hash), ret);
}

void digest_hmac_sha256_hex(const void *key, size_t key_size_bytes, const struct iovec *parts,
                            size_t n_parts, char ret[static DIGEST_HEX_SIZE]) {
        uint8_t block[SHA256_BLOCK_LENGTH] = { 0 };
        uint8_t hash[SHA256_DIGEST_LENGTH];
        SHA2_CTX context;

        if (key_size_bytes > sizeof(block)) {
                SHA256Init(&context);
                update(&context, key, key_size_bytes);
                SHA256Final(block, &context);
        } else if (key_size_bytes > 0)
                memcpy(block, key, key_size_bytes);

        for (size_t i = 0; i < sizeof(block); i++)
                block[i] ^= 0x36; /* ipad */
        SHA256Init(&context);
        SHA256Update(&context, block, sizeof(block));
        for (size_t i = 0; i < n_parts; i++) {
                update_length(&context, parts[i].iov_len);
                update(&context, parts[i].iov_base, parts[i].iov_len);
        }
        SHA256Final(hash, &context);

        for (size_t i = 0; i < sizeof(block); i++)
                block[i] ^= 0x36 ^ 0x5c; /* opad */
        SHA256Init(&context);
        SHA256Update(&context, block, sizeof(block));
        SHA256Update(&context, hash, sizeof(hash));
        SHA256Final(hash, &context);
        hex_encode(hash, sizeof(hash), ret);
        explicit_bzero(block, sizeof(block)); /* derived from the key */
        explicit_bzero(&context, sizeof(context));
}
