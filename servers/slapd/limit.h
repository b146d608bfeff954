/*
 * Size and time limits: defaults, `limits` selectors, and what they make of
 * what a client asks for.
 */
#ifndef SLAPD_LIMITS_H
#define SLAPD_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "cfg.h"

struct be_db;
struct limits;
struct op;
struct slapd_conf;

#define LIMIT_NONE	(-1)

struct limit_set {
	/* seconds; LIMIT_NONE; hard 0: soft is the cap */
	int time_soft, time_hard;
	/* entries; LIMIT_NONE; hard 0: soft is the cap */
	int size_soft, size_hard;
	/* candidates; LIMIT_NONE; 0: no search at all */
	int size_unchecked;
	/* size.pr: largest page; 0: no cap of its own, LIMIT_NONE: none */
	int page_size;
	/*
	 * size.prtotal: 0: the hard limit; LIMIT_NONE: none; -2: paging
	 * disabled
	 */
	int page_total;
	bool no_estimate;
};

#define LIMIT_PAGE_DISABLED	(-2)

/* sizelimit 500, timelimit 3600. */
extern const struct limit_set limits_default;

/*
 * Words I.. of LINE ("size.soft=5", "time=unlimited", for sizelimit "500" too,
 * by DIMENSION).
 */
enum limit_dimension { LIMIT_ANY, LIMIT_SIZE, LIMIT_TIME };
int limits_parse_words(const struct cfg_line *, unsigned i,
    enum limit_dimension, struct limit_set *, struct diag *);
/* A `limits <selector> <limit> ...` line for DB. */
int limits_add(struct be_db *db, const struct cfg_line *, struct diag *);
/* Frees what is not the arena's. Accepts NULL. */
void limits_fini(struct limits *);

/*
 * The limits of op->who in op->db: the first selector that matches, else the
 * database's defaults; none at all for op->is_root.
 */
void limits_of(struct op *op, struct limit_set *set_r);
/*
 * Effective limit for what the client ASKED (0: nothing); 0: none. Above the
 * hard one: silently the hard one.
 */
unsigned limits_size(const struct limit_set *, int32_t asked);
unsigned limits_time(const struct limit_set *, int32_t asked);

#endif
