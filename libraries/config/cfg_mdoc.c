/*
 * Rows as mdoc(7) text: what the manual says is what the parser does.
 */
#include <ctype.h>

#include "cfg.h"
#include "util/text.h"

#define COLUMNS	78

/* A word of running text; mdoc must see neither a macro nor an escape in it. */
static void
put_word(struct buf *out, struct slice w)
{
	for (size_t i = 0; i < w.len; i++)
		if (w.ptr[i] == '\\')
			buf_put_str(out, "\\e");
		else
			buf_put_char(out, w.ptr[i]);
}

static struct slice
next_word(const char **p)
{
	const char *b;

	while (**p == ' ')
		(*p)++;
	for (b = *p; **p != '\0' && **p != ' '; (*p)++)
		;
	return slice(b, (size_t)(*p - b));
}

static bool
ends_sentence(struct slice w)
{
	return w.len > 1 && strchr(".!?", w.ptr[w.len - 1]) != NULL;
}

/* TEXT filled to lines; each sentence begins one, as mdoc wants it. */
static void
put_text(struct buf *out, const char *text)
{
	struct slice w;
	size_t column = 0;

	while ((w = next_word(&text)).len > 0) {
		if (column > 0 && column + 1 + w.len > COLUMNS) {
			buf_put_char(out, '\n');
			column = 0;
		}
		if (column > 0)
			buf_put_char(out, ' ');
		else if (w.ptr[0] == '.' || w.ptr[0] == '\'')
			buf_put_str(out, "\\&");
		put_word(out, w);
		column += w.len + 1;
		if (ends_sentence(w)) {
			buf_put_char(out, '\n');
			column = 0;
		}
	}
	if (column > 0)
		buf_put_char(out, '\n');
}

/* A word on a macro line that could be taken for a macro or a delimiter. */
static void
put_macro_arg(struct buf *out, struct slice w)
{
	if (w.len == 0)
		return;
	buf_put_char(out, ' ');
	if ((w.len <= 3 && isupper((unsigned char)w.ptr[0])) ||
	    (w.len == 1 && ispunct((unsigned char)w.ptr[0])))
		buf_put_str(out, "\\&");
	put_word(out, w);
	if (w.len > 1 && strchr(")]", w.ptr[w.len - 1]) != NULL)
		buf_put_str(out, "\\&");
}

/* "<dir> [opt]" as arguments: the angle brackets only mark what is variable. */
static void
put_args(struct buf *out, const char *args)
{
	char word[128];
	struct slice w;
	size_t n;

	if (args == NULL || *args == '\0')
		return;
	buf_put_str(out, " Ar");
	while ((w = next_word(&args)).len > 0) {
		n = 0;
		for (size_t i = 0; i < w.len && n < sizeof(word); i++)
			if (w.ptr[i] != '<' && w.ptr[i] != '>')
				word[n++] = w.ptr[i];
		put_macro_arg(out, slice(word, n));
	}
}

static void
put_words(struct buf *out, const struct cfg_word *words)
{
	buf_put_str(out, "Known words:");
	for (; words->word != NULL; words++) {
		buf_put_str(out, "\n.Cm ");
		put_word(out, slice_of(words->word));
		if (words[1].word != NULL)
			buf_put_str(out, " ,");
		else
			buf_put_str(out, " .");
	}
	buf_put_char(out, '\n');
}

static void
put_default(struct buf *out, const char *def)
{
	buf_put_str(out, "Default:\n.Li \"");
	for (; *def != '\0'; def++)
		if (*def == '"')
			buf_put_str(out, "\\(dq");
		else if (*def == '\\')
			buf_put_str(out, "\\e");
		else
			buf_put_char(out, *def);
	buf_put_str(out, "\" .\n");
}

static bool
is_documented(const struct cfg_item *i)
{
	return i->type != CFG_T_OBSOLETE && i->type != CFG_T_UNSUPPORTED &&
	    (i->flags & CFG_ALIAS) == 0;
}

static void
put_item(const struct cfg_item *i, struct buf *out)
{
	buf_put_str(out, ".It Ic ");
	put_word(out, slice_of(i->name));
	put_args(out, i->args);
	buf_put_char(out, '\n');
	if (i->help != NULL)
		put_text(out, i->help);
	if (i->words != NULL)
		put_words(out, i->words);
	if (i->def != NULL && *i->def != '\0')
		put_default(out, i->def);
}

/* The rows of TYPE in one sentence that begins with INTRO. */
static void
put_names(const struct cfg_item *table, enum cfg_type type, const char *intro,
    struct buf *out)
{
	const char *sep = "";

	for (const struct cfg_item *i = table; i->name != NULL; i++) {
		if (i->type != type || (i->flags & CFG_ALIAS) != 0)
			continue;
		if (*sep == '\0') {
			buf_put_str(out, ".Pp\n");
			put_text(out, intro);
		}
		buf_put_str(out, sep);
		buf_put_str(out, ".Ic ");
		put_word(out, slice_of(i->name));
		sep = " ,\n";
	}
	if (*sep != '\0')
		buf_put_str(out, " .\n");
}

void
cfg_put_mdoc(const struct cfg_item *table, struct buf *out)
{
	bool any = false;

	for (const struct cfg_item *i = table; i->name != NULL; i++) {
		if (!is_documented(i))
			continue;
		if (!any)
			buf_put_str(out, ".Bl -tag -width Ds\n");
		any = true;
		put_item(i, out);
	}
	if (any)
		buf_put_str(out, ".El\n");
	put_names(table, CFG_T_OBSOLETE,
	    "Accepted for the sake of old files, logged and ignored:", out);
	put_names(table, CFG_T_UNSUPPORTED,
	    "Known, and refused because it is not supported yet:", out);
}
