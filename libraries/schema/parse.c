/*
 * Descriptions of RFC 4512 4.1: ( OID KEY value ... ). One parser for all
 * kinds; a table says which keys a kind has. It accepts what users' files
 * have beyond the grammar: keys in any case and order, OIDs and names quoted
 * or not, text behind the end.
 */
#include "schema_int.h"

enum token_kind { TK_END, TK_OPEN, TK_CLOSE, TK_DOLLAR, TK_WORD, TK_QUOTED,
	TK_UNTERMINATED };

struct token {
	enum token_kind kind;
	struct slice text;	/* of a quoted one without the quotes */
};

struct lexer {
	const char *p, *end;
	struct token tok;	/* the current one */
	struct arena *arena;
	struct diag *diag;
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
is_word_end(char c)
{
	return is_blank(c) || c == '(' || c == ')' || c == '$' || c == '\'';
}

static void
lex_quoted(struct lexer *lx)
{
	const char *start = ++lx->p;

	while (lx->p < lx->end && *lx->p != '\'')
		lx->p++;
	lx->tok.text = slice(start, (size_t)(lx->p - start));
	lx->tok.kind = lx->p < lx->end ? TK_QUOTED : TK_UNTERMINATED;
	if (lx->p < lx->end)
		lx->p++;
}

static void
lex_next(struct lexer *lx)
{
	const char *start;

	while (lx->p < lx->end && is_blank(*lx->p))
		lx->p++;
	start = lx->p;
	lx->tok = (struct token){ TK_END, slice(start, 0) };
	if (lx->p == lx->end)
		return;
	switch (*lx->p) {
	case '(':
		lx->tok.kind = TK_OPEN;
		break;
	case ')':
		lx->tok.kind = TK_CLOSE;
		break;
	case '$':
		lx->tok.kind = TK_DOLLAR;
		break;
	case '\'':
		lex_quoted(lx);
		return;
	default:
		while (lx->p < lx->end && !is_word_end(*lx->p))
			lx->p++;
		lx->tok.kind = TK_WORD;
		lx->tok.text = slice(start, (size_t)(lx->p - start));
		return;
	}
	lx->tok.text = slice(lx->p++, 1);
}

static int
unexpected(struct lexer *lx, const char *expected, struct slice key)
{
	const char *sep = key.len > 0 ? " after " : "";

	if (lx->tok.kind == TK_UNTERMINATED)
		return diag_err(lx->diag, HB_EINVAL, "missing closing quote of "
		    "'%.*s", SLICE_ARG(lx->tok.text));
	if (lx->tok.kind == TK_END)
		return diag_err(lx->diag, HB_EINVAL, "definition ends where "
		    "%s is expected%s%.*s", expected, sep, SLICE_ARG(key));
	return diag_err(lx->diag, HB_EINVAL, "'%.*s' where %s is expected"
	    "%s%.*s", SLICE_ARG(lx->tok.text), expected, sep, SLICE_ARG(key));
}

static bool
is_value(const struct lexer *lx)
{
	return lx->tok.kind == TK_WORD || lx->tok.kind == TK_QUOTED;
}

static void
field_add(struct lexer *lx, struct def_field *f, struct slice value)
{
	struct slice *vals;

	if ((f->n & (f->n - 1)) == 0) {		/* grow at powers of two */
		vals = arena_calloc(lx->arena, f->n == 0 ? 1 : f->n * 2,
		    sizeof(*vals));
		if (f->n > 0)
			memcpy(vals, f->vals, f->n * sizeof(*vals));
		f->vals = vals;
	}
	f->vals[f->n++] = value;
}

/* One value, or several in parentheses, with or without '$' between. */
static int
parse_values(struct lexer *lx, struct def_field *f, struct slice key)
{
	if (is_value(lx)) {
		field_add(lx, f, lx->tok.text);
		lex_next(lx);
		return HB_OK;
	}
	if (lx->tok.kind != TK_OPEN)
		return unexpected(lx, "a value or '('", key);
	lex_next(lx);
	for (;;) {
		while (lx->tok.kind == TK_DOLLAR)
			lex_next(lx);
		if (lx->tok.kind == TK_CLOSE)
			break;
		if (!is_value(lx))
			return unexpected(lx, "a value or ')'", key);
		field_add(lx, f, lx->tok.text);
		lex_next(lx);
	}
	lex_next(lx);
	return HB_OK;
}

static int
parse_field(struct lexer *lx, struct def *def, const struct def_key *key,
    struct slice word)
{
	struct def_field *f;

	if (def_has(def, key->key))
		return diag_err(lx->diag, HB_EINVAL, "%s is given twice",
		    key->key);
	if (def->n == DEF_FIELDS_MAX)
		return diag_err(lx->diag, HB_EINVAL, "too many keywords");
	f = &def->fields[def->n++];
	*f = (struct def_field){ key, NULL, 0 };
	switch (key->kind) {
	case DEF_FLAG:
		return HB_OK;
	case DEF_LIST:
	case DEF_NAMES:
		return parse_values(lx, f, word);
	case DEF_ONE:
	case DEF_STRING:
		break;
	}
	if (!is_value(lx))
		return unexpected(lx, "a value", word);
	field_add(lx, f, lx->tok.text);
	lex_next(lx);
	return HB_OK;
}

static bool
is_extension(struct slice word)
{
	return word.len > 2 && (word.ptr[0] == 'X' || word.ptr[0] == 'x') &&
	    word.ptr[1] == '-';
}

/* X- parts are only published: their text is kept, as RFC 4512 writes it. */
static int
parse_extension(struct lexer *lx, struct def *def, struct slice word)
{
	struct def_field f = { 0 };
	struct buf text;
	unsigned i;
	int rc;

	rc = parse_values(lx, &f, word);
	if (rc != HB_OK || f.n == 0)
		return rc;
	buf_init(&text);
	buf_printf(&text, "%.*s%s%.*s%s", SLICE_ARG(def->x_text),
	    def->x_text.len > 0 ? " " : "", SLICE_ARG(word),
	    f.n > 1 ? " (" : "");
	for (i = 0; i < f.n; i++)
		buf_printf(&text, " '%.*s'", SLICE_ARG(f.vals[i]));
	if (f.n > 1)
		buf_put_str(&text, " )");
	def->x_text = arena_slice(lx->arena, buf_slice(&text));
	buf_fini(&text);
	return HB_OK;
}

static const struct def_key *
find_key(const struct def_key *keys, struct slice word)
{
	for (; keys->key != NULL; keys++)
		if (slice_is_eq_nocase(word, slice_of(keys->key)))
			return keys;
	return NULL;
}

static int
unknown_key(struct lexer *lx, const struct def_key *keys, struct slice word)
{
	const char *names[DEF_FIELDS_MAX], *near;
	size_t n;

	for (n = 0; keys[n].key != NULL && n < DEF_FIELDS_MAX; n++)
		names[n] = keys[n].key;
	near = text_nearest(word, names, n);
	if (near != NULL)
		return diag_err(lx->diag, HB_EINVAL, "unknown keyword '%.*s' "
		    "(did you mean %s?)", SLICE_ARG(word), near);
	return diag_err(lx->diag, HB_EINVAL, "unknown keyword '%.*s'",
	    SLICE_ARG(word));
}

static struct slice
trimmed(struct slice s)
{
	while (s.len > 0 && is_blank(s.ptr[0]))
		s = slice_skip(s, 1);
	while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

static int
parse_body(struct lexer *lx, const struct def_key *keys, struct def *def)
{
	const struct def_key *key;
	struct slice word = SLICE("the OID");
	int rc;

	while (lx->tok.kind != TK_CLOSE) {
		if (lx->tok.kind != TK_WORD)
			return unexpected(lx, "a keyword or ')'", word);
		word = lx->tok.text;
		lex_next(lx);
		key = find_key(keys, word);
		if (key != NULL)
			rc = parse_field(lx, def, key, word);
		else if (is_extension(word))
			rc = parse_extension(lx, def, word);
		else
			rc = unknown_key(lx, keys, word);
		if (rc != HB_OK)
			return rc;
	}
	def->behind = trimmed(slice(lx->p, (size_t)(lx->end - lx->p)));
	return HB_OK;
}

int
def_parse(struct arena *arena, struct slice text, const struct def_key *keys,
    struct def *def_r, struct diag *diag)
{
	struct lexer lx = { .p = text.ptr, .end = text.ptr + text.len,
		.arena = arena, .diag = diag };

	*def_r = (struct def){ .x_text = SLICE(""), .behind = SLICE("") };
	lex_next(&lx);
	if (lx.tok.kind != TK_OPEN)
		return unexpected(&lx, "'('", SLICE(""));
	lex_next(&lx);
	if (!is_value(&lx) || find_key(keys, lx.tok.text) != NULL)
		return unexpected(&lx, "an OID", SLICE("'('"));
	def_r->oid = lx.tok.text;
	lex_next(&lx);
	return parse_body(&lx, keys, def_r);
}

const struct def_field *
def_find(const struct def *def, const char *key)
{
	unsigned i;

	for (i = 0; i < def->n; i++)
		if (strcmp(def->fields[i].key->key, key) == 0)
			return &def->fields[i];
	return NULL;
}

bool
def_has(const struct def *def, const char *key)
{
	return def_find(def, key) != NULL;
}

struct slice
def_value(const struct def *def, const char *key)
{
	const struct def_field *f = def_find(def, key);

	return f != NULL && f->n > 0 ? f->vals[0] : SLICE_NONE;
}

struct slice
def_extension(const struct def *def, const char *key)
{
	struct lexer lx = { .p = def->x_text.ptr,
		.end = def->x_text.ptr + def->x_text.len };
	struct slice want = slice_of(key);
	bool hit = false;

	for (lex_next(&lx); lx.tok.kind != TK_END; lex_next(&lx)) {
		if (hit && is_value(&lx))
			return lx.tok.text;
		if (lx.tok.kind == TK_WORD)
			hit = slice_is_eq_nocase(lx.tok.text, want);
	}
	return SLICE_NONE;
}
