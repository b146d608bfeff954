/*
 * Distinguished names (RFC 4514): parsed and normalised once, then handled as
 * two strings: the one to show and the one to compare. Immutable, thread-safe.
 *
 * text: no blanks around , = +; types by the schema's first name (unknown types as given), value spelling kept, AVAs of
 *       a multi-valued RDN ordered as in norm, specials escaped as \2C.
 * norm: types in lower case (OID-known types by first name), values in the normal form of their equality
 *       rule, escaped so that ',' '+' '=' and '\' occur only as separators or escapes \XX; two DNs are
 *       equal exactly if norm has the same octets. It holds no NUL octet. A normal form that is no value of
 *       its type (of a UUID, say) stands as #hex, so that norm is a DN as well.
 * The empty DN has both empty ("", not NONE).
 */
#ifndef DN_H
#define DN_H

#include <stdbool.h>

#include "schema.h"
#include "util/arena.h"
#include "util/buf.h"
#include "util/slice.h"

#define DN_LEN_MAX	8192

struct dn {
	struct slice text;
	struct slice norm;
};

#define DN_EMPTY	((struct dn){ { "", 0 }, { "", 0 } })

/* One attribute value assertion of an RDN. */
struct ava {
	const struct attr_desc *desc;	/* may be AT_UNDEFINED */
	struct slice value;		/* unescaped octets */
	struct slice norm;
};

HB_API_BEGIN

/* Bind the DN-valued matching rules (schema_bind_dn). Call once at start. */
void dn_init(void);

/*
 * Parse and normalise. Both strings point into ARENA only.
 * HB_OK; HB_EDNSYNTAX with what is wrong and where in DIAG; HB_ELIMIT.
 */
int dn_parse(struct arena *, struct schema *, struct slice text,
    struct dn *dn_r, struct diag *);
/* The same for exactly one RDN (modrdn). */
int dn_parse_rdn(struct arena *, struct schema *, struct slice text,
    struct dn *rdn_r, struct diag *);
/* AVAs of the first RDN of DN, in order. */
int dn_rdn_avas(struct arena *, struct schema *, const struct dn *,
    struct ava **avas_r, unsigned *n_r);

static inline bool
dn_is_empty(const struct dn *dn)
{
	return dn->norm.len == 0;
}
static inline bool
dn_is_eq(const struct dn *a, const struct dn *b)
{
	return slice_is_eq(a->norm, b->norm);
}
/* DN is BASE or lies below it (BASE empty: always). */
static inline bool
dn_is_within(const struct dn *dn, const struct dn *base)
{
	size_t n = base->norm.len, m = dn->norm.len;

	return n == 0 || (m >= n && memcmp(dn->norm.ptr + m - n,
	    base->norm.ptr, n) == 0 && (m == n || (m > n + 1 &&
	    dn->norm.ptr[m - n - 1] == ',')));
}
/* First RDN; the slices point into DN. */
struct dn dn_rdn(const struct dn *dn);
/* DN without its first RDN; empty for one RDN. Slices point into DN. */
struct dn dn_parent(const struct dn *dn);
unsigned dn_depth(const struct dn *dn);		/* number of RDNs */
/* DN is directly below BASE. */
bool dn_is_child(const struct dn *dn, const struct dn *base);
/* RDN put before PARENT. */
int dn_join(struct arena *, const struct dn *rdn, const struct dn *parent,
    struct dn *dn_r);
/* DN (which is within OLD_BASE) moved below NEW_BASE. */
int dn_rebase(struct arena *, const struct dn *dn, const struct dn *old_base,
    const struct dn *new_base, struct dn *dn_r);
/*
 * Key of back-bdb: RDNs of norm from the suffix down, each followed by a NUL:
 *   uid=a,ou=p,dc=x  ->  dc=x\0 ou=p\0 uid=a\0
 * so a subtree is the range of keys that begin with the base's key.
 */
void dn_put_flat_key(struct buf *out, struct slice norm);
struct dn dn_copy(struct arena *, const struct dn *);
/* Heap copy in one block, freed by free(dn_r->text.ptr) cast; for configuration. */
struct dn dn_dup(const struct dn *);

/* Escape VALUE for use in text of a DN (RFC 4514 2.4), as \2C forms. */
void dn_put_escaped(struct buf *out, struct slice value);

HB_API_END

#endif
