/*
 * The one internal error type. Functions return int: HB_OK (0) or one HB_E*
 * of tbl/errors.tbl. Thread-safe: constants.
 */
#ifndef UTIL_ERR_H
#define UTIL_ERR_H

#include "util/api.h"

#define HB_OK	0

enum hb_error {
	HB_ERROR_BASE = 1000,	/* keeps them apart from errno and LDAP codes */
#define HB_ERR(name, text, result)	name,
#include "tbl/errors.tbl"
#undef HB_ERR
	HB_ERROR_END
};

HB_API_BEGIN

/* The default text of ERR, "" for HB_OK and for errors that have none. */
const char *hb_strerror(int err);

/* The symbol of ERR, "HB_ENOENT", for logs of what should not happen. */
const char *hb_errname(int err);

HB_API_END

#endif
