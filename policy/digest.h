/* SPDX-License-Identifier: MIT */
/* SHA-256 and HMAC-SHA-256 as lower-case hex text. The one home of sha2.h (libmd). */
#pragma once

#include <stddef.h>
#include <sys/uio.h>

#define DIGEST_HEX_SIZE 65 /* 64 digits and the NUL */

/* Writes the SHA-256 of the @size_bytes bytes at @data to @ret.
 * @data: may be NULL when @size_bytes is 0. Cannot fail, allocates nothing. */
void digest_sha256_hex(const void *data, size_t size_bytes, char ret[static DIGEST_HEX_SIZE]);

/* Writes the HMAC-SHA-256 of all @parts in order, under @key, to @ret. Each part is preceded by its
 * length as 8 bytes, most significant first, so that {"ab", "c"} and {"a", "bc"} differ; a plain
 * HMAC of one string is therefore not what comes out.
 * @key: any length; a key longer than 64 bytes is hashed first, as RFC 2104 says.
 * Cannot fail, allocates nothing. Source: RFC 2104. */
void digest_hmac_sha256_hex(const void *key, size_t key_size_bytes, const struct iovec *parts,
                            size_t n_parts, char ret[static DIGEST_HEX_SIZE]);
