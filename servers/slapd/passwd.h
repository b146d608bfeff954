/*
 * Password values: {SCHEME}data of userPassword and rootpw. Thread-safe.
 */
#ifndef SLAPD_PASSWD_H
#define SLAPD_PASSWD_H

#include <stdbool.h>

#include "util/buf.h"
#include "util/diag.h"
#include "util/slice.h"

#define PASSWD_CRYPT_FORMAT_MAX	31

/*
 * Does PASSWORD match the stored VALUE? A value without a known {scheme} is
 * clear text. Time does not depend on where they differ.
 * HB_OK; HB_ECREDENTIALS; HB_EDEFER: the hash is slow and MAY_WAIT is false.
 */
int passwd_verify(struct slice value, struct slice password, bool may_wait);

/*
 * Append the value of PASSWORD under SCHEME ("{SSHA}", braces optional, case
 * ignored). CRYPT_FORMAT: printf format of the {CRYPT} salt, one %s; NULL:
 * "%s".
 * HB_EINVAL: unknown scheme or bad format, with the known ones in DIAG.
 */
int passwd_make(const char *scheme, struct slice password,
    const char *crypt_format, struct buf *out, struct diag *);

/* Is SCHEME one that passwd_make() knows? */
bool passwd_is_scheme(const char *scheme);
/* Exactly one %s (%.8s ...), no other conversion, not too long. */
bool passwd_is_crypt_format(const char *format);
/* Name of scheme I, "{SSHA}"; NULL beyond the last. */
const char *passwd_scheme(unsigned i);
/* A random password of 8 characters (as slappasswd -g). */
void passwd_generate(char out[9]);

#endif
