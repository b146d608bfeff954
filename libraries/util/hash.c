/* Hashes by xxHash: see util/hash.h. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#include "util/hash.h"

uint64_t
hash_bytes(const void *p, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(n > 0 ? p : "", n, seed);
}

void
hash_strong(const void *p, size_t n, uint8_t out[16])
{
	XXH128_canonical_t c;

	XXH128_canonicalFromHash(&c, XXH3_128bits(n > 0 ? p : "", n));
	memcpy(out, c.digest, 16);
}
