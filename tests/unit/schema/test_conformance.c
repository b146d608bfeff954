/*
 * The tables in conformance/: what syntaxes accept and what rules answer, asked
 * of the library as the server asks: values through attr_make(), assertions
 * through filters.
 */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>

#include "entry.h"
#include "filter.h"
#include "schema_test.h"
#include "util/text.h"

#define ROWS_MIN	1500
#define FIELDS_MAX	6
#define TYPES_MAX	128
#define ARC		"1.3.6.1.4.1.4203.666.99."

struct type {
	char key[80], how[16];
	bool is_rule;			/* a row "type", not "syntax" */
	const struct attr_desc *desc;
};

struct row {
	const char *file;
	unsigned line;
	char *field[FIELDS_MAX];
	unsigned nfields;
};

struct run {
	struct schema *schema;
	struct attr_dict *dict;
	struct arena arena;		/* of one row */
	struct type types[TYPES_MAX];
	unsigned ntypes;
	unsigned rows, failed;
	const struct row *row;
};

static void
fail_row(struct run *run, const char *what)
{
	const struct row *row = run->row;
	unsigned i;

	run->failed++;
	print_error("%s:%u:", row->file, row->line);
	for (i = 1; i < row->nfields; i++)
		print_error(" %s", row->field[i]);
	print_error(": %s\n", what);
}

/* ---- reading ---- */

static unsigned
split(char *text, char **field)
{
	unsigned n = 0;
	char *tab;

	text[strcspn(text, "\r\n")] = '\0';
	if (text[0] == '\0' || text[0] == '#')
		return 0;
	for (; n < FIELDS_MAX; text = tab + 1) {
		field[n++] = text;
		if ((tab = strchr(text, '\t')) == NULL)
			break;
		*tab = '\0';
	}
	return n;
}

static size_t
put_code(char *out, unsigned long cp)
{
	size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4, i;
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (i = n; i-- > 1; cp >>= 6)
		out[i] = (char)(0x80 | (cp & 0x3f));
	out[0] = (char)(lead[n] | cp);
	return n;
}

/* \e nothing, \s blank, \xHH octet, \u{H..} character, \c the character c. */
static struct slice
unescape(struct run *run, const char *text, size_t len)
{
	char *out = arena_alloc(&run->arena, len + 1), *end;
	const char *stop = text + len;
	size_t o = 0;

	while (text < stop) {
		if (*text != '\\') {
			out[o++] = *text++;
			continue;
		}
		text += 2;
		switch (text[-1]) {
		case 'e':
			break;
		case 's':
			out[o++] = ' ';
			break;
		case 'x':
			out[o++] = (char)(text_hex_value(text[0]) << 4 |
			    text_hex_value(text[1]));
			text += 2;
			break;
		case 'u':
			o += put_code(out + o, strtoul(text + 1, &end, 16));
			text = end + 1;
			break;
		default:
			out[o++] = text[-1];
		}
	}
	return slice(out, o);
}

static struct slice
value_of(struct run *run, unsigned field)
{
	const char *text = run->row->field[field];

	return unescape(run, text, strlen(text));
}

static const char *
next_star(const char *p)
{
	for (; *p != '\0' && *p != '*'; p++)
		if (*p == '\\' && p[1] != '\0')
			p++;
	return p;
}

/* ---- the schema ---- */

static void
add_conformance_type(struct run *run, const struct row *row)
{
	struct type *t = &run->types[run->ntypes];
	bool is_rule = strcmp(row->field[0], "type") == 0;
	char name[32], text[512];

	if (strcmp(row->field[0], "define") == 0) {
		add_type(run->schema, row->field[1]);
		return;
	}
	assert_true(row->nfields >= 3 && run->ntypes < TYPES_MAX);
	snprintf(name, sizeof(name), "c%u", run->ntypes);
	snprintf(text, sizeof(text), "( " ARC "%u NAME '%s' %s%s )",
	    run->ntypes, name, is_rule ? "" : "SYNTAX ",
	    row->field[is_rule ? 3 : 2]);
	add_type(run->schema, text);
	snprintf(t->key, sizeof(t->key), "%s", row->field[1]);
	snprintf(t->how, sizeof(t->how), "%s", is_rule ? row->field[2] : "");
	t->is_rule = is_rule;
	if (row->nfields > 3 && strcmp(row->field[3], "binary") == 0)
		strcat(name, ";binary");
	assert_int_equal(schema_desc(run->schema, slice_of(name), &t->desc,
	    NULL), HB_OK);
	attr_dict_add(run->dict, t->desc, 0);
	run->ntypes++;
}

static const struct type *
find_type(struct run *run, bool is_rule)
{
	unsigned i;

	for (i = 0; i < run->ntypes; i++)
		if (run->types[i].is_rule == is_rule &&
		    strcmp(run->types[i].key, run->row->field[1]) == 0)
			return &run->types[i];
	return NULL;
}

/* ---- rows ---- */

static void
run_value(struct run *run)
{
	const struct type *t = find_type(run, false);
	bool valid = strcmp(run->row->field[3], "valid") == 0;
	struct slice v;

	if (t == NULL || (!valid &&
	    strcmp(run->row->field[3], "invalid") != 0)) {
		fail_row(run, "malformed row");
		return;
	}
	v = value_of(run, 2);
	if ((schema_check_value(run->schema, t->desc, v, NULL) == HB_OK) !=
	    valid)
		fail_row(run, valid ? "is refused" : "is accepted");
}

static struct entry *
make_entry(struct run *run, const struct type *t, struct slice value)
{
	struct diag diag = DIAG_INIT;
	struct attrs as = { NULL, 0, 0 };
	struct entry *e = NULL;
	struct attr a;
	struct buf buf;
	struct dn dn;

	buf_init(&buf);
	if (attr_make(&run->arena, run->schema, t->desc, &value, 1, &a,
	    &diag) != HB_OK)
		fail_row(run, diag.text);
	else if (attrs_add(&run->arena, &as, &a) == HB_OK &&
	    entry_encode(&as, run->dict, &buf) == HB_OK &&
	    dn_parse(&run->arena, run->schema, SLICE("cn=x"), &dn,
	    NULL) == HB_OK)
		e = entry_new(1, &dn, run->dict, buf_slice(&buf));
	buf_fini(&buf);
	return e;
}

static void
set_substrings(struct run *run, struct ldap_filter *f)
{
	const char *p = run->row->field[3], *star = next_star(p);

	f->type = LDAP_FILTER_SUBSTRINGS;
	f->initial = f->final = SLICE_NONE;
	f->any = arena_calloc(&run->arena, strlen(p) + 1, sizeof(*f->any));
	if (star > p)
		f->initial = unescape(run, p, (size_t)(star - p));
	while (*star == '*') {
		p = star + 1;
		star = next_star(p);
		if (*star == '*')
			f->any[f->nany++] = unescape(run, p,
			    (size_t)(star - p));
		else if (star > p)
			f->final = unescape(run, p, (size_t)(star - p));
	}
}

/* The assertion as a filter item on T; false if it is none. */
static bool
set_filter(struct run *run, const struct type *t, struct ldap_filter *f)
{
	const char *text = run->row->field[3], *slash;
	size_t skip = 0;

	f->attr = t->desc->name;
	f->rule = SLICE_NONE;
	if (strcmp(t->how, "substrings") == 0 && strncmp(text, ":=", 2) != 0) {
		set_substrings(run, f);
		return true;
	}
	if (strcmp(t->how, "equality") == 0) {
		f->type = LDAP_FILTER_EQUALITY;
	} else if (strcmp(t->how, "approx") == 0) {
		f->type = LDAP_FILTER_APPROX;
	} else if (strncmp(text, ">=", 2) == 0 ||
	    strncmp(text, "<=", 2) == 0) {
		f->type = text[0] == '>' ? LDAP_FILTER_GE : LDAP_FILTER_LE;
		skip = 2;
	} else {
		f->type = LDAP_FILTER_EXTENSIBLE;
		skip = strncmp(text, ":=", 2) == 0 ? 2 : 0;
		slash = strchr(t->key, '/');
		f->rule = slice(t->key, slash == NULL ? strlen(t->key) :
		    (size_t)(slash - t->key));
		if (skip == 0 && strcmp(t->how, "extensible") != 0)
			return false;
	}
	f->value = unescape(run, text + skip, strlen(text + skip));
	return true;
}

static void
ask(struct run *run, const struct ldap_filter *src, const struct entry *e,
    const char *form)
{
	static const char *const truths[] = {
		[FILTER_FALSE] = "false", [FILTER_TRUE] = "true",
		[FILTER_UNDEFINED] = "undefined"
	};
	const char *got = "error";
	struct filter *f;
	char text[64];

	if (filter_resolve(&run->arena, run->schema, src, &f) == HB_OK)
		got = truths[filter_eval(f, run->schema, e, NULL, NULL)];
	if (strcmp(got, run->row->field[4]) == 0)
		return;
	snprintf(text, sizeof(text), "%s%s", got, form);
	fail_row(run, text);
}

static void
run_match(struct run *run)
{
	const struct type *t = find_type(run, true);
	struct ldap_filter src = { .first = NULL };
	const char *slash;
	struct entry *e;

	if (t == NULL || !set_filter(run, t, &src)) {
		fail_row(run, "malformed row");
		return;
	}
	e = make_entry(run, t, value_of(run, 2));
	if (e == NULL)
		return;
	ask(run, &src, e, "");
	if (src.type == LDAP_FILTER_EQUALITY) {
		slash = strchr(t->key, '/');
		src.type = LDAP_FILTER_EXTENSIBLE;
		src.rule = slice(t->key, slash == NULL ? strlen(t->key) :
		    (size_t)(slash - t->key));
		ask(run, &src, e, " as an extensible match");
	}
	entry_unref(&e);
}

static void
run_row(struct run *run, const struct row *row)
{
	run->row = row;
	run->rows++;
	if (strcmp(row->field[0], "value") == 0 && row->nfields == 5)
		run_value(run);
	else if (strcmp(row->field[0], "match") == 0 && row->nfields == 6)
		run_match(run);
	else
		fail_row(run, "malformed row");
	arena_reset(&run->arena);
}

/* ---- files ---- */

static void
each_row(struct run *run, const char *path,
    void (*cb)(struct run *, const struct row *))
{
	struct row row = { .file = strrchr(path, '/') + 1 };
	char text[4096];
	FILE *fp = fopen(path, "r");

	if (fp == NULL)
		fail_msg("%s: %s", path, strerror(errno));
	while (fgets(text, sizeof(text), fp) != NULL) {
		row.line++;
		row.nfields = split(text, row.field);
		if (row.nfields > 0)
			cb(run, &row);
	}
	fclose(fp);
}

static void
conformance(void **state)
{
	const char *top = getenv("top_srcdir"), *name;
	static struct run run;
	char pattern[1024];
	glob_t files;
	size_t i;

	(void)state;
	dn_init();
	run.schema = schema_new();
	run.dict = attr_dict_new();
	arena_init(&run.arena, 0);
	snprintf(pattern, sizeof(pattern),
	    "%s/tests/unit/schema/conformance/types.txt",
	    top != NULL ? top : ".");
	each_row(&run, pattern, add_conformance_type);
	schema_freeze(run.schema);
	memcpy(strrchr(pattern, '/'), "/*.txt", sizeof("/*.txt"));
	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	for (i = 0; i < files.gl_pathc; i++) {
		name = strrchr(files.gl_pathv[i], '/') + 1;
		if (strcmp(name, "types.txt") != 0)
			each_row(&run, files.gl_pathv[i], run_row);
	}
	globfree(&files);
	print_message("%u rows, %u failed\n", run.rows, run.failed);
	attr_dict_free(&run.dict);
	schema_free(&run.schema);
	arena_fini(&run.arena);
	assert_int_equal(run.failed, 0);
	assert_true(run.rows >= ROWS_MIN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(conformance) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
