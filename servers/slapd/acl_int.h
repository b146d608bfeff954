/*
 * Compiled access rules, and what access rules and limits match alike: DN
 * styles, patterns, groups. For acl_*.c and limit.c.
 */
#ifndef SLAPD_ACL_INT_H
#define SLAPD_ACL_INT_H

#include <regex.h>

#include "acl.h"

#define ACL_MATCHES	10		/* $0 .. $9 */

enum acl_style {
	ACL_STYLE_EXACT, ACL_STYLE_ONE, ACL_STYLE_SUB, ACL_STYLE_CHILDREN,
	ACL_STYLE_REGEX, ACL_STYLE_EXPAND,
	ACL_STYLE_LEVEL			/* ancestor number LEVEL is it */
};

/*
 * What $0 .. $9 of a clause stand for: pieces of the entry's DN and of the
 * value.
 */
struct acl_set;

struct acl_matches {
	struct slice dn[ACL_MATCHES];
	struct slice value[ACL_MATCHES];
};

struct acl_group {
	struct dn dn;			/* unless EXPAND */
	char *pattern;			/* EXPAND: to be expanded */
	const struct object_class *oc;
	const struct attr_desc *attr;
	bool is_dynamic;		/* ATTR holds URLs of searches */
};

struct acl_url {
	struct dn base;
	enum acl_style scope;		/* EXACT, ONE, SUB, CHILDREN */
	const struct filter *filter;
	const struct attr_desc **attrs;
	unsigned nattrs;
};

/* ---- what a rule is for ---- */

enum acl_attr_kind {
	ACL_ATTR,			/* the description and its subtypes */
	/* all that a class requires or allows */
	ACL_ATTR_CLASS,
	ACL_ATTR_NOT_CLASS		/* all others */
};

struct acl_attr {
	enum acl_attr_kind kind;
	const struct attr_desc *desc;
	const struct object_class *oc;
};

struct acl_what {
	bool has_dn;			/* DN below counts */
	enum acl_style style;
	struct dn dn;
	regex_t *regex;
	const struct filter *filter;	/* NULL: none */
	struct acl_attr *attrs;		/* NULL: all */
	unsigned nattrs;
	uint64_t *attr_bits;		/* by attr_desc.id, below nbits */
	uint32_t nbits;
	/* value */
	bool has_value;
	enum acl_style value_style;
	struct slice value;		/* normal form */
	struct dn value_dn;
	regex_t *value_regex;
	const struct matching_rule *value_rule;
};

/* ---- who ---- */

enum acl_who_kind {
	ACL_ANY, ACL_ANONYMOUS, ACL_USERS, ACL_SELF, ACL_DN, ACL_DNATTR,
	ACL_GROUP, ACL_PEERNAME, ACL_SOCKNAME, ACL_SOCKURL, ACL_SSF,
	ACL_TRANSPORT_SSF, ACL_TLS_SSF, ACL_SASL_SSF, ACL_DOMAIN, ACL_IN_SET,
	ACL_WHO_KINDS
};

/* Further styles of peername, beside EXACT, REGEX and EXPAND. */
enum acl_peer { ACL_PEER_TEXT, ACL_PEER_IP, ACL_PEER_PATH };

struct acl_address {
	uint8_t addr[16], mask[16];
	unsigned len;			/* 4 or 16 */
	int port;			/* -1: any */
};

struct acl_who {
	enum acl_who_kind kind;
	/* realself, realdn: before proxied authorization */
	bool real;
	enum acl_style style;
	int level;			/* self.level{n}, dn.level{n} */
	struct dn dn;
	char *pattern;			/* EXPAND; REGEX with $n; texts */
	bool is_expanded;		/* domain.sub,expand */
	regex_t *regex;			/* REGEX without $n */
	const struct attr_desc *attr;	/* dnattr */
	struct acl_group group;
	enum acl_peer peer;
	struct acl_address address;
	unsigned ssf;
	struct acl_set *set;
	const char *text;		/* as it was written */
	struct acl_who *next;		/* all of one `by` must hold */
};

enum acl_op { ACL_SET, ACL_ADD, ACL_REMOVE };
enum acl_control { ACL_STOP, ACL_CONTINUE, ACL_BREAK };

struct acl_by {
	struct acl_who *who;
	enum acl_op op;
	unsigned rights;		/* enum access_right */
	/* selfwrite: only values that are the requester's DN */
	bool self, real_self;
	enum acl_control control;
	const char *text;		/* "users read", as it was written */
	struct acl_by *next;
};

struct acl_rule {
	struct acl_what what;
	struct acl_by *by;
	/*
	 * The outcome of the by-list is the same for all entries that are not
	 * the requester's own, as long as the operation runs.
	 */
	bool is_fixed;
	/* may decide otherwise for single values */
	bool per_value;
	/* what is *: neither DN, filter, attribute nor value */
	bool is_open;
	const char *text;		/* "to attrs=cn" */
	const char *file;
	unsigned line;
	struct acl_rule *next;		/* in its list */
};

struct acl_list {
	struct arena *arena;
	struct acl_rule *first, **last;
	unsigned n;
	struct acl_regex *regexes;	/* to be freed */
};

struct access_rules {
	const struct slapd_conf *conf;
	const struct acl_rule **v;
	unsigned n;
	unsigned nown;			/* of them the database's own, first */
	/* some rule may decide otherwise for single values */
	bool per_value;
	const struct attr_desc *entry, *children;
	/* shown with entries, stored in none */
	const struct attr_desc *computed[3];
};

/* Decisions of one operation. */
struct acl_cached_group {
	struct slice dn;		/* normal form */
	const struct object_class *oc;
	const struct attr_desc *attr;
	struct slice who;
	bool is_member;
	struct acl_cached_group *next;
};

struct acl_cached_by {
	bool known;
	enum acl_control control;
	/* rights become (rights & keep) | add */
	unsigned keep, add;
	/* the clause that matched last; NULL: none, or the unwritten end */
	const struct acl_by *by;
};

struct access_cache {
	const struct access_rules *rules;
	struct acl_cached_by *by;	/* one a rule */
	struct acl_cached_group *groups;
	unsigned ngroups;
	/* a decision needs the disk, which the thread may not wait for */
	bool must_wait;
};

/* One question while it is answered. */
struct acl_eval {
	struct op *op;
	const struct entry *e;
	const struct dn *dn;		/* of E */
	const struct attr_desc *desc;
	struct slice value, vnorm;
	struct acl_matches m;		/* of the current rule */
	struct arena scratch;		/* of this question */
};

/* ---- acl_match.c ---- */

/*
 * "exact", "base", "one", "sub", "subtree", "children", "regex" ... HB_EINVAL.
 */
int acl_parse_style(struct slice word, enum acl_style *style_r);
bool acl_dn_match(enum acl_style, int level, const struct dn *dn,
    const struct dn *pattern);
/*
 * Extended, case ignored; the compiled pattern is the arena's, its inside must
 * be freed.
 */
int acl_regex_new(struct arena *, const char *pattern, regex_t **re_r,
    struct diag *);
/* MATCHES (N of them, may be NULL) point into TEXT. */
bool acl_regex_match(const regex_t *, struct slice text,
    struct slice *matches, unsigned n);
/* Does PATTERN hold $n, ${n}, ${dn}, ${vn}? */
bool acl_has_submatch(const char *pattern);
/*
 * PATTERN with its $n replaced; QUOTE: inserted text is made literal for a
 * regex. Terminated.
 */
char *acl_expand(struct arena *, const char *pattern,
    const struct acl_matches *, bool quote);
int acl_parse_address(const char *text, struct acl_address *, struct diag *);
/*
 * Length (4 or 16) of the address of PEERNAME, "IP=192.0.2.1:389" or
 * "IP=[::1]:389"; 0: it has none.
 */
unsigned acl_peer_address(struct slice peername, uint8_t addr[16]);
bool acl_address_match(const struct acl_address *, struct slice peername);

/* ---- acl_url.c ---- */

bool acl_is_url(struct slice text);
/* "ldap:///base?attrs?scope?filter". HB_EINVAL, HB_EDNSYNTAX, HB_EPROTO, ... */
int acl_url_parse(struct arena *, struct schema *, struct slice text,
    struct acl_url *, struct diag *);
/* Would a search for the URL find E? */
bool acl_url_has(const struct acl_url *, const struct schema *,
    const struct entry *e);

/* ---- acl_domain.c ---- */

/*
 * Name of the requester's address, in ARENA; NONE: it has none, or it has to be
 * asked for and OP may not wait (acl_must_wait() was called).
 */
struct slice acl_peer_domain(struct op *, struct arena *);

/* ---- acl_set_eval.c ---- */

/* Is SET not empty for the requester and the entry? */
bool acl_set_holds(struct acl_eval *, const struct acl_set *);

/* ---- acl_group.c ---- */

/* "group[/class[/attribute]][.exact|.expand]=dn" */
int acl_group_parse(struct arena *, struct schema *, const char *word,
    struct acl_group *, struct diag *);
/*
 * Is WHO a member of the group entry DN? Remembered for the operation. False
 * with acl_must_wait() called if that cannot be known without waiting.
 */
bool acl_group_has(struct op *, const struct acl_group *, const struct dn *dn,
    const struct dn *who);

/* ---- acl_who.c ---- */

/* All clauses of B hold, and "self" of its access too. */
bool acl_by_matches(struct acl_eval *, const struct acl_by *);

/* ---- acl_eval.c ---- */

/* Neither rules nor limits are for rootdn and for the server itself. */
bool acl_is_exempt(const struct op *);

/* The cache of OP for its database's rules; NULL: no memory. */
struct access_cache *acl_cache(struct op *);
/* From now on everything is refused to OP, until it runs where it may wait. */
void acl_must_wait(struct op *);

#endif
