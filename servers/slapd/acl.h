/*
 * Access rules between the parser (acl_parse.c) and the evaluator (acl_eval.c).
 * Everyone else asks through slapd/access.h.
 */
#ifndef SLAPD_ACL_H
#define SLAPD_ACL_H

#include "cfg.h"
#include "slapd/access.h"

struct acl_list;
struct slapd_conf;

/* An empty list; memory in ARENA. */
struct acl_list *acl_list_new(struct arena *arena);
/* Frees what is not the arena's: compiled patterns. */
void acl_list_fini(struct acl_list *);
/* Parse an `access to ...` line and append it. HB_EINVAL, HB_EUNSUPPORTED. */
int acl_list_add(struct acl_list *, struct schema *, const struct cfg_line *,
    struct diag *);
/*
 * Rules of a database: its own, then the global ones. CONF finds the
 * databases of groups. Memory is the arena's.
 */
struct access_rules *access_rules_new(struct arena *arena,
    const struct slapd_conf *conf, struct acl_list *own,
    struct acl_list *global);

#endif
