/*
 * Search filters (RFC 4511 4.5.1.7, 4515, 4526) resolved against a schema:
 * descriptions interned, assertion values normalised once. Undefined items are
 * kept as such (three-valued logic). Immutable after being made; memory in the
 * arena. Evaluation reads an entry's block in place.
 */
#ifndef FILTER_H
#define FILTER_H

#include "entry.h"
#include "proto.h"
#include "schema.h"

enum filter_type {
	FILTER_AND, FILTER_OR, FILTER_NOT, FILTER_EQUALITY, FILTER_SUBSTRINGS,
	FILTER_GE, FILTER_LE, FILTER_PRESENT, FILTER_APPROX, FILTER_EXTENSIBLE,
	FILTER_CONSTANT			/* computed: see truth */
};

enum filter_truth { FILTER_FALSE, FILTER_TRUE, FILTER_UNDEFINED };

struct filter {
	enum filter_type type;
	enum filter_truth truth;	/* CONSTANT */
	struct filter *first, *next;	/* AND, OR, NOT: children, siblings */
	unsigned nchildren;
	const struct attr_desc *desc;	/* NULL only in EXTENSIBLE and CONSTANT */
	const struct matching_rule *rule; /* that decides; NULL for PRESENT */
	struct slice value;		/* assertion, normalised */
	struct slice initial, final;	/* normalised; NONE: absent */
	struct slice *any;
	unsigned nany;
	const struct filter *framed;	/* the pieces once more, as schema_frame() makes them; NULL: need not */
	bool dn_attrs;
	const struct ldap_filter *source; /* as sent, for logs */
	/* OR of many equalities of one description: their values sorted, so evaluation is a search (built for 16 and more) */
	struct slice *sorted;
	unsigned nsorted;
	const struct object_class *oc;	/* EQUALITY of objectClass: the class, matched by its subclasses too */
	bool entry_dn;			/* desc is entryDN: its value is the entry's name */
	struct schema *schema;		/* EXTENSIBLE with dn_attrs: to read the RDNs */
};

HB_API_BEGIN

/*
 * Resolve what the client sent. Unknown types and bad assertion values become
 * UNDEFINED constants. 16 and more equalities of one description among others
 * in an OR move into an OR of their own. HB_OK, HB_ELIMIT.
 */
int filter_resolve(struct arena *, struct schema *,
    const struct ldap_filter *src, struct filter **filter_r);
/* RFC 4515 string to unresolved form. HB_OK; HB_EPROTO with position and cause. */
int filter_parse(struct arena *, struct slice text,
    struct ldap_filter **filter_r, struct diag *);
/* RFC 4515 string, as log lines show it (escapes per section 3). */
void filter_print(const struct ldap_filter *, struct buf *out);
/*
 * The filter without its values, "(&(objectclass=?)(cn=?*))": what many
 * searches have in common. Names in lower case; repeated parts once and "...".
 */
void filter_print_template(const struct ldap_filter *, struct buf *out);

/*
 * Evaluate on E. ALLOWED (may be NULL) is asked before the values of DESC are
 * looked at; false makes the item Undefined (RFC 4511 4.5.1.7; access control).
 * entryDN is taken from the entry's name. hasSubordinates and
 * subschemaSubentry are computed elsewhere and stored nowhere: an item on them
 * is FALSE here, a caller that wants them true to life replaces such items.
 */
typedef bool (*filter_access_cb)(void *arg, const struct entry *e,
    const struct attr_desc *desc);
enum filter_truth filter_eval(const struct filter *, const struct schema *,
    const struct entry *e, filter_access_cb allowed, void *arg);

/* Does value NORM (normal form under desc's equality rule) match the substrings item F? */
bool filter_substr_match(const struct filter *f, struct slice norm);

HB_API_END

#endif
