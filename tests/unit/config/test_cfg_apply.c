/*
 * Rows and fields: values, ranges, defaults, messages, the manual.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cfg.h"
#include "util/err.h"

struct sample {
	bool on, off;
	int number;
	unsigned count;
	uint64_t size;
	char *name, *secret;
	struct cfg_words words, once;
	int color;
	unsigned flags;
	unsigned calls;
};

static int
parse_pair(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	struct sample *s = base;

	if (strcmp(line->words[1], line->words[2]) == 0)
		return diag_err(diag, HB_EINVAL, "the same twice");
	s->calls++;
	++*(unsigned *)ctx;
	return HB_OK;
}

static const struct cfg_word colors[] = {
	{ "red", 1 }, { "green", 2 }, { "blue", 4 }, { NULL, 0 }
};

static const struct cfg_item table[] = {
	CFG_BOOL(struct sample, on, "lights", "on", 0, CFG_HOT, "Light it."),
	CFG_BOOL(struct sample, off, "dark", NULL, 0, CFG_HOT, "Dark."),
	CFG_INT(struct sample, number, "number", -5, 100, "7", 0, CFG_HOT,
	    "<n>", "A number. It has a range."),
	CFG_UINT(struct sample, count, "count", 0, 0xffffffff, "0x10", 0,
	    CFG_HOT, "<n>", "How many."),
	CFG_SIZE(struct sample, size, "size", 1, 1 << 30, "2k", 0, CFG_HOT,
	    "<bytes>", "How large."),
	CFG_STR(struct sample, name, "name", "some name", CFG_ONCE, CFG_HOT,
	    "<name>", "What for."),
	CFG_STR(struct sample, secret, "secret", NULL, CFG_SECRET | CFG_ONCE,
	    CFG_HOT, "<password>", "Nobody knows."),
	CFG_WORDS(struct sample, words, "words", 0, CFG_HOT, "<word> ...",
	    "Many."),
	CFG_WORDS(struct sample, once, "oncewords", CFG_ONCE, CFG_HOT,
	    "<word> ...", "Once."),
	CFG_ENUM(struct sample, color, "color", colors, "green", 0, CFG_HOT,
	    "<color>", "Which."),
	CFG_FLAGS(struct sample, flags, "allow", colors, NULL, CFG_PREFIX,
	    CFG_HOT, "<color> ...", "All of them."),
	CFG_CALL("pair", parse_pair, 2, 2, 0, CFG_HOT, "<a> <b>", "Two."),
	CFG_OBSOLETE("oldword", "there is nothing to set"),
	CFG_UNSUPPORTED("newword", NULL),
	CFG_BOOL(struct sample, on, "lamps", NULL, CFG_ALIAS, CFG_HOT, NULL),
	CFG_END
};

struct apply_case {
	const char *text;
	int rc;
	const char *error;
};

static const struct apply_case apply_cases[] = {
	{ "lights off", HB_OK, NULL },
	{ "lights", HB_OK, NULL },
	{ "LIGHTS Yes", HB_OK, NULL },
	{ "lights maybe", HB_EINVAL, "<lights> invalid value \"maybe\"" },
	{ "lights on off", HB_EINVAL, "<lights> extra cruft after <on|off>" },
	{ "number -5", HB_OK, NULL },
	{ "number 0x1f", HB_OK, NULL },
	{ "number 010", HB_OK, NULL },
	{ "number -6", HB_ERANGE, "-5 to 100 expected" },
	{ "number 101", HB_ERANGE, "101" },
	{ "number 99999999999999999999", HB_ERANGE, "out of range" },
	{ "number 5x", HB_EINVAL, "unable to parse \"5x\"" },
	{ "number", HB_EINVAL, "<number> missing <n> argument" },
	{ "number 10 # ten", HB_EINVAL, "<number> extra cruft after <n>" },
	{ "count 4294967295", HB_OK, NULL },
	{ "count -1", HB_ERANGE, NULL },
	{ "count 1k", HB_EINVAL, NULL },
	{ "size 4m", HB_OK, NULL },
	{ "size 0x400", HB_OK, NULL },
	{ "size 2g", HB_ERANGE, NULL },
	{ "size ", HB_EINVAL, "missing" },
	{ "name \"two words\"", HB_OK, NULL },
	{ "name two words", HB_EINVAL, "extra cruft" },
	{ "secret x", HB_OK, NULL },
	{ "words a b", HB_OK, NULL },
	{ "words", HB_EINVAL, "missing <word> ... argument" },
	{ "oncewords a", HB_OK, NULL },
	{ "color BLUE", HB_OK, NULL },
	{ "color bleu", HB_EINVAL, "did you mean \"blue\"" },
	{ "allow red blue", HB_OK, NULL },
	{ "allows green", HB_OK, NULL },
	{ "allowance pink", HB_EINVAL, "<allowance> unknown value \"pink\"" },
	{ "pair a b", HB_OK, NULL },
	{ "pair a a", HB_EINVAL, "the same twice" },
	{ "pair a", HB_EINVAL, "missing" },
	{ "pair a b c", HB_EINVAL, "extra cruft after <a> <b>: \"c\"" },
	{ "oldword a b c", HB_OK, NULL },
	{ "newword", HB_EUNSUPPORTED, "<newword> is not supported yet" },
};

struct target {
	struct sample *s;
	unsigned ctx;
};

static int
apply(const struct cfg_line *line, void *arg, struct diag *diag)
{
	struct target *t = arg;
	const struct cfg_item *i = cfg_find(table, line->words[0]);

	assert_non_null(i);
	return cfg_apply(i, t->s, line, &t->ctx, diag);
}

static int
apply_text(struct sample *s, const char *text, struct diag *diag)
{
	struct target t = { s, 0 };

	diag_clear(diag);
	return cfg_read_memory(slice_of(text), "test", NULL, apply, &t, diag);
}

static void
test_messages(void **state)
{
	struct diag diag = DIAG_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(apply_cases) / sizeof(*apply_cases);
	    i++) {
		const struct apply_case *c = &apply_cases[i];
		struct sample s = { 0 };
		int rc = apply_text(&s, c->text, &diag);

		if (rc != c->rc)
			fail_msg("<%s>: %s (%s)", c->text, hb_errname(rc),
			    diag.text);
		if (c->error != NULL && strstr(diag.text, c->error) == NULL)
			fail_msg("<%s>: %s", c->text, diag.text);
		cfg_fini(table, &s);
	}
}

static void
test_defaults(void **state)
{
	struct sample s = { 0 };

	(void)state;
	cfg_defaults(table, &s);
	assert_true(s.on);
	assert_false(s.off);
	assert_int_equal(s.number, 7);
	assert_int_equal(s.count, 16);
	assert_int_equal(s.size, 2048);
	assert_string_equal(s.name, "some name");
	assert_null(s.secret);
	assert_int_equal(s.color, 2);
	cfg_fini(table, &s);
	assert_null(s.name);
}

static void
test_values(void **state)
{
	struct sample s = { 0 };
	struct diag diag = DIAG_INIT;

	(void)state;
	cfg_defaults(table, &s);
	assert_int_equal(apply_text(&s, "lights no\nnumber 010\nsize 3K\n"
	    "name \"\"\nwords a \"b c\"\nwords d\nallow red\nallowed blue\n"
	    "color red\npair x y\n", &diag), HB_OK);
	assert_false(s.on);
	assert_int_equal(s.number, 8);
	assert_int_equal(s.size, 3072);
	assert_string_equal(s.name, "");
	assert_int_equal(s.words.n, 3);
	assert_string_equal(s.words.v[1], "b c");
	assert_string_equal(s.words.v[2], "d");
	assert_null(s.words.v[3]);
	assert_int_equal(s.flags, 5);
	assert_int_equal(s.color, 1);
	assert_int_equal(s.calls, 1);
	assert_int_equal(apply_text(&s, "secret a\nsecret b\n", &diag),
	    HB_EDUPLICATE);
	assert_int_equal(diag.line, 2);
	assert_int_equal(apply_text(&s, "oncewords a\noncewords b\n", &diag),
	    HB_EDUPLICATE);
	/* it has been given above; the default did not count */
	assert_int_equal(apply_text(&s, "name again\n", &diag),
	    HB_EDUPLICATE);
	cfg_fini(table, &s);
}

static void
test_find(void **state)
{
	const struct cfg_item *const tables[] = { table };

	(void)state;
	assert_null(cfg_find(table, "nothing"));
	assert_null(cfg_find(table, "number2"));
	assert_string_equal(cfg_find(table, "NumBer")->name, "number");
	assert_string_equal(cfg_nearest(tables, 1, "nubmer"), "number");
	assert_string_equal(cfg_nearest(tables, 1, "lihgts"), "lights");
	assert_null(cfg_nearest(tables, 1, "zzzzzzzzzzzzz"));
}

static void
test_mdoc(void **state)
{
	static const char *const parts[] = {
		".Bl -tag -width Ds\n", ".It Ic number Ar n\n",
		"A number.\nIt has a range.\n", ".Cm red ,\n", ".El\n",
		".Ic oldword .\n", ".Ic newword .\n", "Default:\n.Li \"7\" .\n"
	};
	struct buf out;

	(void)state;
	buf_init(&out);
	cfg_put_mdoc(table, &out);
	buf_put_char(&out, '\0');
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(out.data, parts[i]) == NULL)
			fail_msg("<%s> missing in <%s>", parts[i], out.data);
	assert_null(strstr(out.data, "lamps"));
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_mdoc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
