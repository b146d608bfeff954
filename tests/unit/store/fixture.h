/*
 * A database in a temporary folder, operations on it, and the frontend's part
 * of an operation played by the test.
 */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/store/store_int.h"

#define SUFFIX	"dc=example,dc=com"
#define TEST_CACHE	(16u << 20)

struct fixture {
	char dir[64];
	struct schema *schema;
	struct be_db db;
	struct store_conf conf;
	struct dn suffix;
	const struct dnidx_ops *names;
	struct arena arena;		/* of the fixture itself */
};

/* A folder, schema and configuration; nothing is open. INDEXES: "cn eq,sub\n...", may be NULL. */
struct fixture *fixture_new(const struct dnidx_ops *names,
    const char *indexes);
void fixture_free(struct fixture **);
void fixture_open(struct fixture *);
void fixture_close(struct fixture *);
static inline struct store *
fixture_store(struct fixture *f)
{
	return f->db.priv;
}

/* One operation with its answers. Thread-safe: one a thread. */
struct call {
	struct op op;
	struct arena arena;
	unsigned nsent;			/* entries */
	char **sent;			/* their DNs */
	char *values;			/* last `description` sent, or NULL */
	unsigned nrefs;
	unsigned size_limit;
	bool is_anonymous;		/* ask deny() */
};

void call_init(struct call *, struct fixture *, enum op_kind, const char *dn);
void call_fini(struct call *);
/* All answers joined by '|', shortened by the suffix; owned by the call. */
const char *call_sent(struct call *);

/* Whole operations as root; the HB_* is returned. LDIF-like: "cn: x\nsn: y\n". */
int do_add(struct fixture *, const char *dn, const char *attrs);
int do_delete(struct fixture *, const char *dn);
/* "replace description: x" or "add ..: ..", "delete ..: .." or "delete ..". */
int do_modify(struct fixture *, const char *dn, const char *mod);
int do_rename(struct fixture *, const char *dn, const char *rdn,
    const char *superior);
/* The DNs found, as call_sent(); to be freed. "!ERRNAME" on an error. */
char *do_search(struct fixture *, const char *base, enum ldap_scope,
    const char *filter, unsigned flags);
int run_search(struct fixture *, struct call *, enum ldap_scope,
    const char *filter);
/* suffix, ou=People with N people uid=user.0 ..., ou=Other */
void fill(struct fixture *, unsigned npeople);

struct dn dn_of(struct fixture *, struct arena *, const char *text);

/* What overlays do in each transaction, with overlays_on(); NULL: nothing. */
extern int (*overlay_hook)(struct be_txn *);
void overlays_on(struct fixture *);

/* Rights refused to calls that are anonymous; 0: all allowed. */
extern unsigned denied_rights;

#endif
