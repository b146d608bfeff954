/*
 * Answers: taking them apart and judging them. Everything is checked that can
 * be without a schema.
 */
#ifndef BENCH_ANSWER_H
#define BENCH_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/slice.h"

struct answer {
	int64_t id;
	int tag;
	struct slice body;		/* of the operation, in the message */
};

/* One whole message. HB_OK, or HB_EENCODING: not an LDAPMessage. */
int answer_read(struct slice pdu, struct answer *a_r);

struct answer_result {
	int64_t code;
	struct slice matched, text;
	struct slice oid;		/* ExtendedResponse; or SLICE_NONE */
};

/* The LDAPResult in BODY. HB_OK, HB_EENCODING. */
int answer_result(struct slice body, struct answer_result *r_r);
#define ANSWER_NAME_MAX	64

/* "invalidCredentials", in OUT or constant. */
const char *answer_code_name(int64_t code, char out[ANSWER_NAME_MAX]);

/*
 * DN of a SearchResultEntry whose attributes are ATTRS_R. HB_OK, HB_EENCODING.
 */
int answer_entry(struct slice body, struct slice *dn_r, struct slice *attrs_r);
/*
 * Walk over the attributes and see that each of NAMES (until NULL) is there
 * with a value. HB_OK; HB_EENCODING; HB_ENOENT: *missing_r is not there.
 */
int answer_attrs(struct slice attrs, const char *const *names,
    const char **missing_r);
/* The same DN but for case and blanks after a comma? */
bool answer_dn_is_eq(struct slice a, struct slice b);

#endif
