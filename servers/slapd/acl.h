/*
 * Access rules between the parser (acl_parse.c) and the evaluator (acl_eval.c).
 * Everyone else asks through slapd/access.h.
 */
#ifndef SLAPD_ACL_H
#define SLAPD_ACL_H

#include "cfg.h"
#include "slapd/access.h"

struct acl_list;
struct be_db;
struct slapd_conf;

/* An empty list; memory in ARENA. */
struct acl_list *acl_list_new(struct arena *arena);
/* Frees what is not the arena's: compiled patterns. */
void acl_list_fini(struct acl_list *);
/* Parse an `access to ...` line and append it. HB_EINVAL, HB_EUNSUPPORTED. */
int acl_list_add(struct acl_list *, struct schema *, const struct cfg_line *,
    struct diag *);
/* One step of a decision: a rule that is for the entry, attribute and value. */
struct acl_step {
	const char *file;
	unsigned line;
	const char *what;		/* "to attrs=cn" */
	const char *who;		/* "by users read"; NULL: no clause held */
	unsigned rights;		/* after it */
};

struct acl_watch {
	void (*step)(const struct acl_step *, void *arg);
	void *arg;
};

/*
 * All rights of op->who on DESC of E (VALUE, or NONE), each step told to WATCH
 * (may be NULL). As access_is_allowed(), for an operation that may wait.
 */
unsigned acl_explain(struct op *, const struct entry *e,
    const struct attr_desc *, struct slice value, const struct acl_watch *);

/* "read(=rscxd)", or "=wx" where no level is that: as slapacl prints them. */
void acl_put_rights(struct buf *out, unsigned rights);
/*
 * A level or privileges: "read", "=rw". False: neither; *op_r is '=', '+' or
 * '-'.
 */
bool acl_parse_rights(const char *word, unsigned *rights_r, char *op_r);

/*
 * Is what RIGHTS, a level or privileges, stand for among HAVE? Of a level only
 * the last right counts: write is granted by =w.
 */
bool acl_is_level_in(unsigned rights, unsigned have);

/* A defect of rules that slapacl --lint shows. */
typedef void (*acl_lint_cb)(const char *file, unsigned line, const char *text,
    void *arg);
/* Look for defects in the rules of a database; *n_r of them were told. */
void acl_lint(const struct be_db *, acl_lint_cb, void *arg, unsigned *n_r);

/*
 * Rules of a database: its own, then the global ones. CONF finds the
 * databases of groups. Memory is the arena's.
 */
struct access_rules *access_rules_new(struct arena *arena,
    const struct slapd_conf *conf, struct acl_list *own,
    struct acl_list *global);

#endif
