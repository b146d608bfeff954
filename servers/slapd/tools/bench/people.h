/*
 * The made-up people of "slapbench gen". Person I is the same for the same seed
 * and options, whatever was written before.
 */
#ifndef BENCH_PEOPLE_H
#define BENCH_PEOPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/diag.h"

#define PEOPLE_PER_TEAM		1000	/* of --tree, and of a group */
#define PEOPLE_PER_GROUP	20	/* members */

struct people {
	const char *base;
	uint64_t count, seed;
	bool tree, ssha, posix;
};

/*
 * Append entries as LDIF. The base's: HB_OK; HB_EINVAL for a base that it
 * cannot make an entry of.
 */
int people_put_base(struct buf *out, const struct people *, struct diag *);
void people_put_team(struct buf *out, const struct people *, uint64_t team);
void people_put_person(struct buf *out, const struct people *, uint64_t i);
void people_put_group(struct buf *out, const struct people *, uint64_t group);

#endif
