/*
 * Access control (slapd.access(5) language). Rules are compiled at
 * configuration; decisions of an operation are cached in op->access. Everything
 * is allowed for op->is_root and OP_INTERNAL. Thread-safe for different ops.
 */
#ifndef SLAPD_ACCESS_H
#define SLAPD_ACCESS_H

#include "slapd/op.h"

enum access_right {		/* privileges 0 d x c s r a z m; levels are sums */
	ACCESS_DISCLOSE = 1, ACCESS_AUTH = 2, ACCESS_COMPARE = 4,
	ACCESS_SEARCH = 8, ACCESS_READ = 16, ACCESS_WADD = 32,
	ACCESS_WDEL = 64, ACCESS_WRITE = ACCESS_WADD | ACCESS_WDEL,
	ACCESS_MANAGE = 128
};

enum access_verdict { ACCESS_NOTHING, ACCESS_SOME, ACCESS_EVERYTHING };

HB_API_BEGIN

/*
 * May op->who do RIGHT on attribute DESC of E (VALUE, VNORM: on this value; NONE:
 * on the attribute as such)? E may be an entry not stored yet. The pseudo attributes "entry" and
 * "children" stand for the entry itself and its children. E NULL: the root DSE
 * (children of it guard the suffix entry). op->db is never NULL: the frontend's
 * own where no database is concerned.
 */
bool access_is_allowed(struct op *op, const struct entry *e,
    const struct attr_desc *desc, struct slice value, struct slice vnorm,
    unsigned right);

/* One answer for a whole entry where the rules permit: EVERYTHING: RIGHT on the entry and all attributes and values; NOTHING: not on the entry itself. */
enum access_verdict access_scan(struct op *op, const struct entry *e,
    unsigned right);

/*
 * May decisions differ between the values of one attribute? If not, asking for
 * the attribute as such answers for all its values.
 */
bool access_is_per_value(const struct op *op);

/* filter_access_cb with ARG the op: search right on the attribute. */
bool access_filter(void *arg, const struct entry *e,
    const struct attr_desc *desc);

/*
 * The code for a refused operation on E: HB_EACCESS, or HB_ENOENT when the
 * requester may not even know that it exists (no disclose).
 */
int access_refuse(struct op *op, const struct entry *e);

/*
 * The result of OP, which was RC: HB_EDEFER if a decision needs what is not in
 * memory (a group, a name by address) and the operation may not wait. Until it
 * runs again everything is refused to it.
 */
int access_settle(struct op *op, int rc);

/*
 * The result RC of a compare: a failure that would tell that E exists is
 * HB_ENOENT for who may not know that.
 */
int access_hide(struct op *op, const struct entry *e, int rc);

/* entry, children: the pseudo attributes. */
const struct attr_desc *access_entry_desc(const struct op *op);
const struct attr_desc *access_children_desc(const struct op *op);

/* add: =a or =z for every value that MODS change (modify: per E.1 of slapd). HB_OK or HB_EACCESS with the attribute in op->diag. */
int access_check_mods(struct op *op, const struct entry *e,
    const struct mod *mods, unsigned n);

/*
 * Where the database says add_content_acl: =a on every user attribute and value
 * of E, which is being added. HB_OK or HB_EACCESS with the attribute in op->diag.
 */
int access_check_add(struct op *op, const struct entry *e);

HB_API_END

#endif
