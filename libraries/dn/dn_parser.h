/*
 * The parser behind dn_parse(), dn_rdn_avas() and the validator of DN-valued
 * attributes. Private to this folder; one parse belongs to one thread.
 */
#ifndef DN_PARSER_H
#define DN_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dn.h"

/* AVAs of one RDN. Types are distinct, so this is far beyond real names. */
#define DN_RDN_AVAS_MAX	64
#define DN_OUT_INLINE	512

/* Output string: on the parser's stack at first, in the arena when it grows. */
struct dn_out {
	char *data;
	size_t len, cap;
	char room[DN_OUT_INLINE];
};

/* What is known of an AVA of the RDN being parsed. */
struct dn_mark {
	const struct attr_type *type;	/* NULL: not in the schema */
	struct slice name;		/* of an unknown type, as given */
	struct slice value;
	struct slice norm;		/* in DN_MODE_AVAS only */
	size_t text_at, norm_at;	/* where it begins in the outputs */
	size_t text_len, norm_len;
};

enum dn_parse_mode {
	DN_MODE_FULL,			/* text and norm */
	DN_MODE_AVAS,			/* and each value with its normal form */
	DN_MODE_CHECK			/* is it a DN? norm is not complete */
};

struct dn_parser {
	const char *start, *pos, *end;
	struct arena *arena;
	const struct schema *schema;
	struct diag *diag;
	enum dn_parse_mode mode;
	unsigned nrdns, nmarks;		/* marks: of the last RDN */
	struct dn_out text, norm;
	struct dn_mark marks[DN_RDN_AVAS_MAX];
};

void dn_parser_init(struct dn_parser *, struct arena *, const struct schema *,
    struct slice text, enum dn_parse_mode, struct diag *);
/* All RDNs. HB_OK, HB_EDNSYNTAX, HB_ELIMIT. */
int dn_parser_run(struct dn_parser *);

/* dn_value.c: the value at POS. *ber_r: it is #hex of BER that is no string. */
int dn_parser_value(struct dn_parser *, bool known_type,
    struct slice *value_r, bool *ber_r);
/* HB_EDNSYNTAX with WHAT and the offset of AT. */
int dn_parser_fail(struct dn_parser *, const char *at, const char *what);

/* dn_out.c */
void dn_out_init(struct dn_out *);
int dn_out_grow(struct dn_parser *, struct dn_out *, size_t more);
static inline int
dn_out_reserve(struct dn_parser *p, struct dn_out *o, size_t more)
{
	return o->cap - o->len >= more ? HB_OK : dn_out_grow(p, o, more);
}
int dn_out_char(struct dn_parser *, char c);		/* to both */
/* "NAME=" to both outputs; norm has it in lower case. */
int dn_out_name(struct dn_parser *, struct slice name);
/* VALUE with escapes. */
int dn_out_value(struct dn_parser *, struct dn_out *, struct slice value);
/* "#hex" of BER. */
int dn_out_hex(struct dn_parser *, struct dn_out *, struct slice ber);
/* Rewrite the RDN that both outputs end with in the order of the marks. */
int dn_out_reorder(struct dn_parser *, size_t text_at, size_t norm_at);

static inline void
dn_parser_skip_blanks(struct dn_parser *p)
{
	while (p->pos < p->end && *p->pos == ' ')
		p->pos++;
}

/* dn_escape.c */
#define DN_ESCAPED_MAX	3		/* octets that one may become */
enum {
	DN_CHAR_ESCAPE = 1,		/* has to be written as \XX */
	DN_CHAR_STOP = 2,		/* ends or may not be in a bare value */
	DN_CHAR_SEPARATOR = 4,
	DN_CHAR_NAME = 8,		/* of an attribute type */
	DN_CHAR_PAIR = 16,		/* may follow a backslash as itself */
	DN_CHAR_HIGH = 32,		/* not ASCII */
	DN_CHAR_UPPER = 64,		/* twice what makes it lower case */
	DN_CHAR_BLANK = 128
};
extern const uint8_t dn_char[256];
char *dn_escape(char *out, struct slice value);

#endif
