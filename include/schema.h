/*
 * Schema: syntaxes, matching rules, attribute types, object classes, content
 * rules (RFC 4512), and what values mean under them (RFC 4517, 4518). Knows no
 * entries and no DN parser: the DN-valued rules are bound by dn.h.
 *
 * A schema is built by one thread (configuration), then frozen; from then on
 * it is read without locks. Only attribute descriptions with options go on
 * being interned, under an inner lock. All pointers handed out live as long as
 * the schema.
 */
#ifndef SCHEMA_H
#define SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/buf.h"
#include "util/diag.h"
#include "util/err.h"
#include "util/slice.h"

struct schema;
struct matching_rule;

/* What is worth saying about a definition that was accepted. */
struct schema_note {
	bool same;		/* defined alike before: nothing was done */
	bool ignored;		/* text stands behind the definition */
	char text[384];		/* "" if neither */
};

enum syntax_flags {
	SYN_BINARY_TRANSFER = 1,	/* ;binary required (X-BINARY-TRANSFER-REQUIRED) */
	SYN_NOT_HUMAN = 2,		/* X-NOT-HUMAN-READABLE: base64 in LDIF */
	SYN_HIDDEN = 4			/* not published */
};

struct syntax {
	const char *oid;
	const char *desc;
	unsigned flags;
	/* HB_OK or HB_ESYNTAX; NULL: every value is accepted */
	int (*validate)(const struct schema *, struct slice value);
	const char *x_text;		/* X- parts of the definition, or NULL */
};

enum rule_kind {
	MR_EQUALITY = 1, MR_ORDERING = 2, MR_SUBSTRINGS = 4, MR_EXTENSIBLE = 8,
	MR_APPROX = 16, MR_HIDDEN = 32,
	MR_STORED = 64		/* match() looks at the value, not its normal form */
};

/* Where a piece of a substrings assertion stands (RFC 4518 2.6.1). */
enum substr_part { SUBSTR_WHOLE, SUBSTR_INITIAL, SUBSTR_ANY, SUBSTR_FINAL };

struct matching_rule {
	const char *oid;
	const char *name;		/* first NAME */
	const struct syntax *syntax;	/* of the assertion */
	unsigned kind;
	/*
	 * Normal form of VALUE (PART: all of it, or a piece): two values match
	 * under the rule exactly if the normal forms have the same octets.
	 * *norm_r points into ARENA, into VALUE or into the schema.
	 * HB_OK, HB_ESYNTAX, HB_ELIMIT.
	 */
	int (*normalise)(const struct schema *, struct arena *,
	    enum substr_part part, struct slice value, struct slice *norm_r);
	/* Order of two normal forms; NULL: octet order. */
	int (*compare)(struct slice norm_a, struct slice norm_b);
	/*
	 * Octets whose memcmp order is the rule's order; NULL: the normal form
	 * itself. Of a rule with match: the same for all that match.
	 */
	void (*order_key)(struct slice norm, struct buf *key);
	/*
	 * Rules that are no equality of normal forms (integerBitAnd, DN subtree,
	 * approximate, components of certificates): does STORED (normal form
	 * under the attribute's equality rule; MR_STORED: the value itself)
	 * match? NULL: octets are compared.
	 */
	bool (*match)(const struct schema *, struct slice stored,
	    struct slice assertion);
};

enum attr_usage {
	USAGE_USER, USAGE_DIRECTORY, USAGE_DISTRIBUTED, USAGE_DSA
};

enum attr_flags {
	AT_SINGLE_VALUE = 1, AT_COLLECTIVE = 2, AT_NO_USER_MOD = 4,
	AT_OBSOLETE = 8,
	AT_HIDDEN = 16,			/* not published in the subschema */
	AT_ORDERED_VALUES = 32,		/* X-ORDERED 'VALUES' */
	AT_ORDERED_SIBLINGS = 64,
	AT_UNDEFINED = 128,		/* made up for a name that is not in the schema */
	AT_HAS_SUBTYPES = 256,		/* another type names it as SUP */
	/*
	 * A value of ASCII ' '..'~', not empty, with no blank at the ends and
	 * none beside another, is valid and its normal form is itself, in
	 * lower case (FOLD) or as it stands (EXACT). At most one is set.
	 */
	AT_PLAIN_FOLD = 512,
	AT_PLAIN_EXACT = 1024
};

/* An attribute type with its options, interned: equal exactly if same pointer. */
struct attr_desc {
	const struct attr_type *type;
	struct slice name;		/* to show: first NAME, options as first given */
	uint32_t id;			/* dense from 1, for arrays */
	bool binary;			/* ;binary */
	bool range;			/* an option ends in '-' (RFC 3866): nothing is stored so */
	unsigned noptions;		/* tagging options */
	const struct slice *options;	/* lower case, sorted */
};

struct attr_type {
	const char *oid;
	const char *const *names;	/* NULL-terminated; names[0] is shown; the OID if there is none */
	const char *desc_text;		/* DESC, or NULL */
	const struct attr_type *sup;
	/* all inherited from SUP where not given; rules may be NULL */
	const struct matching_rule *equality, *ordering, *substr, *approx;
	const struct syntax *syntax;
	unsigned syntax_len;		/* {n} noted minimum upper bound; 0: none */
	unsigned flags;
	enum attr_usage usage;
	struct attr_desc desc;		/* the description without options */
};

enum class_kind { CLASS_ABSTRACT, CLASS_STRUCTURAL, CLASS_AUXILIARY };

struct object_class {
	const char *oid;
	const char *const *names;
	const char *desc_text;
	const struct object_class *const *sups;	/* NULL-terminated */
	enum class_kind kind;
	bool obsolete, hidden;
	const struct attr_type *const *must, *const *may; /* own ones, NULL-terminated */
	const struct content_rule *content_rule;	/* of a structural class, or NULL */
	uint32_t id;			/* dense from 0 */
};

struct content_rule {
	const char *oid;
	const char *const *names;
	bool obsolete;
	const struct object_class *const *aux;
	const struct attr_type *const *must, *const *may, *const *not;
};

HB_API_BEGIN

/*
 * A schema with the built-in syntaxes, matching rules, attribute types and
 * classes (RFC 4512, 4517, 4519's naming types and what slapd has built in).
 */
struct schema *schema_new(void);
void schema_free(struct schema **schema);

/*
 * Definitions of RFC 4512 4.1 as slapd.conf and .schema files give them: TEXT is
 * the parenthesised description; OID macros are resolved. DIAG says what is
 * wrong at which token and, for an unknown name, the nearest known one.
 * A redefinition of the same meaning is HB_OK and noted in NOTE (may be NULL);
 * a conflicting one HB_EDUPLICATE, and DIAG names the keyword that differs and
 * the place of the first (FILE, LINE are remembered for that).
 */
int schema_add_attr_type(struct schema *, struct slice text, const char *file,
    unsigned line, struct schema_note *note, struct diag *);
int schema_add_object_class(struct schema *, struct slice text,
    const char *file, unsigned line, struct schema_note *note, struct diag *);
int schema_add_content_rule(struct schema *, struct slice text,
    const char *file, unsigned line, struct schema_note *note, struct diag *);
/* ldapsyntax: X-SUBST names a known one; without it any octets are values. */
int schema_add_syntax(struct schema *, struct slice text, const char *file,
    unsigned line, struct schema_note *note, struct diag *);
/*
 * objectidentifier NAME OID-or-NAME:suffix. Names that differ in case are two
 * macros; one that is used in another case than defined is found all the same.
 */
int schema_add_macro(struct schema *, struct slice name, struct slice oid,
    const char *file, unsigned line, struct schema_note *note, struct diag *);
/* attributeoptions: replaces the list (default "lang-"); ranges end in '-'. */
int schema_set_options(struct schema *, const struct slice *names, unsigned n,
    struct diag *);
/* No definition may follow. Computes what depends on all of them. */
void schema_freeze(struct schema *);

/* By name or OID, case ignored; NULL if there is none. Allocate nothing. */
const struct attr_type *schema_find_type(const struct schema *, struct slice);
const struct object_class *schema_find_class(const struct schema *,
    struct slice);
const struct matching_rule *schema_find_rule(const struct schema *,
    struct slice);
const struct syntax *schema_find_syntax(const struct schema *, struct slice);
/*
 * May RULE be asserted on values of TYPE (extensible match)? Not on undefined
 * types.
 */
bool schema_rule_applies(const struct matching_rule *rule,
    const struct attr_type *type);
/* The nearest attribute type or class name to a misspelt one; NULL: none near. */
const char *schema_nearest_type(const struct schema *, struct slice);
const char *schema_nearest_class(const struct schema *, struct slice);

/*
 * The description TEXT ("cn", "2.5.4.3;lang-en", "userCertificate;binary").
 * HB_OK; HB_EUNDEFTYPE (type or option not known) with text in DIAG; HB_ESYNTAX. Thread-safe.
 */
int schema_desc(struct schema *, struct slice text,
    const struct attr_desc **desc_r, struct diag *);
/*
 * The same, but an unknown type yields a description flagged AT_UNDEFINED.
 * Both intern at most 65,536 descriptions that a client made up; beyond them
 * one not seen before is HB_ELIMIT.
 */
int schema_desc_any(struct schema *, struct slice text,
    const struct attr_desc **desc_r);
/* The description without options of a type that is built in; asserts it exists. */
const struct attr_desc *schema_builtin(const struct schema *,
    const char *name);
/* What every entry is looked at for; found once, when the schema is made. */
struct schema_basics {
	const struct attr_desc *object_class, *structural_class;
	const struct object_class *extensible, *collective_subentry;
};
const struct schema_basics *schema_basics(const struct schema *);
/* All descriptions have ids below this. */
uint32_t schema_desc_count(const struct schema *);

/* RFC 4512 2.5.2.1, 2.5.3: is A the same as B, a subtype by SUP, or by more options? */
bool attr_desc_is_sub_slow(const struct attr_desc *a,
    const struct attr_desc *b);
static inline bool
attr_desc_is_sub(const struct attr_desc *a, const struct attr_desc *b)
{
	return a == b || ((a->noptions > 0 || a->binary ||
	    (b->type->flags & AT_HAS_SUBTYPES)) && attr_desc_is_sub_slow(a, b));
}
bool attr_type_is_sub(const struct attr_type *a, const struct attr_type *b);
/* RFC 3866 2.1: stands for all its options begin, in requests alone. */
static inline bool
attr_desc_is_range(const struct attr_desc *d)
{
	return d->range;
}
static inline bool
attr_desc_is_operational(const struct attr_desc *d)
{
	return d->type->usage != USAGE_USER;
}
/* Same class or below it. */
bool object_class_is_sub(const struct object_class *a,
    const struct object_class *b);

/*
 * X-ORDERED 'VALUES': is VALUE of the form "{n}rest" and TYPE so ordered? n is
 * UINT32_MAX if it is negative or too large: "at the end".
 */
bool schema_order_of(const struct attr_type *type, struct slice value,
    uint32_t *n_r, struct slice *rest_r);
/* VALUE without such a number; rules and syntaxes do not see it. */
struct slice schema_skip_order(const struct attr_type *type,
    struct slice value);

/* HB_OK or HB_ESYNTAX with a text that names attribute and cause (never the value). */
int schema_check_value(const struct schema *, const struct attr_desc *,
    struct slice value, struct diag *);
/*
 * Normal form of a value under the attribute's equality rule; the value itself
 * where there is none. A value that the syntax allows but RFC 4518 2.4
 * prohibits has the form FF value: it can be stored, is equal to itself and
 * matches no assertion. *norm_r points into ARENA, into VALUE or into the
 * schema.
 * Where SUBSTR or ORDERING treat case otherwise than EQUALITY, values must be
 * normalised under those for their assertions (schema_norm_assertion).
 * HB_OK, HB_ESYNTAX, HB_ELIMIT.
 */
int schema_norm_value(const struct schema *, struct arena *,
    const struct attr_desc *, struct slice value, struct slice *norm_r);
/* Is NORM, of a value under RULE or a like one, of the form FF value? */
bool schema_is_prohibited(const struct matching_rule *rule, struct slice norm);
/* Normal form of an equality/ordering/substrings assertion value under RULE (validates the assertion syntax). */
int schema_norm_assertion(const struct schema *, struct arena *,
    const struct matching_rule *rule, enum substr_part part,
    struct slice value, struct slice *norm_r);

/* RFC 4512 descriptions of everything, for cn=Subschema: call CB once a definition. */
enum schema_kind {
	SCHEMA_SYNTAXES, SCHEMA_RULES, SCHEMA_RULE_USES, SCHEMA_TYPES,
	SCHEMA_CLASSES, SCHEMA_CONTENT_RULES
};
void schema_describe(const struct schema *, enum schema_kind,
    void (*cb)(struct slice description, void *arg), void *arg);
void schema_each_type(const struct schema *,
    void (*cb)(const struct attr_type *, void *arg), void *arg);
/* By dense id; NULL beyond the last. */
const struct object_class *schema_class_by_id(const struct schema *,
    uint32_t id);
bool object_class_allows(const struct object_class *oc,
    const struct attr_type *at);	/* MUST or MAY, superiors included */

/*
 * RFC 4518: prepare TEXT; FOLD case or not. Insignificant spaces by PART,
 * trimmed and squeezed to one; what is nothing but spaces is one space. A
 * prepared string prepares to itself. Code points that no Unicode version we
 * know assigns are prohibited as those of section 2.4 are.
 * HB_OK, HB_ESYNTAX (prohibited or malformed), HB_ELIMIT.
 */
int schema_prepare(struct arena *, struct slice text, bool fold,
    enum substr_part part, struct slice *prepared_r);
/*
 * Where a piece of a substrings assertion begins or ends in a space, pieces and
 * value are compared in the form of RFC 4518 2.6.1: framed with one space, two
 * between words. It is made of a normal form under RULE and appended to OUT;
 * false if RULE knows no insignificant spaces.
 */
bool schema_frame(const struct matching_rule *rule, enum substr_part part,
    struct slice norm, struct buf *out);

/*
 * How WORD sounds (approximate matching): 0..8 octets into OUT, the number is
 * returned. Words of TEXT are taken off one by one; false when there is none.
 */
#define SCHEMA_PHONETIC_LEN	8
size_t schema_phonetic(struct slice word, char out[SCHEMA_PHONETIC_LEN]);
bool schema_next_word(struct slice *text, struct slice *word_r);

/*
 * Called by dn.h once: how DN values (syntaxes 12 and 34) are validated and
 * normalised. Process-wide.
 */
struct schema_dn_ops {
	int (*validate)(const struct schema *, struct slice value);
	int (*normalise)(const struct schema *, struct arena *,
	    struct slice value, struct slice *norm_r);
};
void schema_bind_dn(const struct schema_dn_ops *ops);

HB_API_END

#endif
