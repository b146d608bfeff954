/*
 * Reading rules: each row is a text and the words that must come of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cfg.h"
#include "util/err.h"

/* Lines as "word|word;word|word@line". */
static int
collect(const struct cfg_line *line, void *arg, struct diag *diag)
{
	struct buf *out = arg;

	(void)diag;
	if (out->len > 0)
		buf_put_str(out, ";");
	for (unsigned i = 0; i < line->nwords; i++)
		buf_printf(out, "%s%s", i > 0 ? "|" : "", line->words[i]);
	buf_printf(out, "@%u", line->line);
	if (line->nwords == 1 && *line->rest != '\0')
		buf_printf(out, "[%s]", line->rest);
	return strcmp(line->words[0], "stop") == 0 ? HB_EINVAL : HB_OK;
}

static bool
is_raw(const char *word)
{
	return strcasecmp(word, "attributetype") == 0;
}

struct read_case {
	const char *text;
	const char *lines;
	int rc;
	const char *error;		/* part of the message */
};

static const struct read_case read_cases[] = {
	{ "a b\tc\n", "a|b|c@1", HB_OK, NULL },
	{ "a b", "a|b@1", HB_OK, NULL },	/* no final newline */
	{ "a b\r\n\r\nc\r\n", "a|b@1;c@3", HB_OK, NULL },
	{ "", "", HB_OK, NULL },
	{ "\n\n", "", HB_OK, NULL },
	{ "# comment\na\n", "a@2", HB_OK, NULL },
	/* comments are logical lines */
	{ "# comment\n a b\nc\n", "c@3", HB_OK, NULL },
	{ "# c\n\ta\n  \n b\nc\n", "c@5", HB_OK, NULL },
	{ " # text\n more\n", "#|text|more@2", HB_OK, NULL },
	{ "a # b\n", "a|#|b@1", HB_OK, NULL },
	{ "a\n# c\n b\nd\n", "a@1;d@4", HB_OK, NULL },
	{ "a\n\n  # b\n", "a@1;#|b@3", HB_OK, NULL },
	/* continuation */
	{ "a b\n  c\n\td\n", "a|b|c|d@3", HB_OK, NULL },
	{ "a b\n   \n c\n", "a|b|c@3", HB_OK, NULL },
	{ "a b\n\n c\n", "a|b@1;c@3", HB_OK, NULL },
	{ "a b\n \t \n", "a|b@2", HB_OK, NULL },
	{ "a b\\\nc d\n", "a|bc|d@2", HB_OK, NULL },
	{ "a b \\\n  c\n", "a|b|c@2", HB_OK, NULL },
	{ "a b\\\\\nc\n", "a|b\\@1;c@2", HB_OK, NULL },
	{ "a \"b\n c\"\n", "a|b c@2", HB_OK, NULL },
	{ "a \"b \n  c\"\n", "a|b   c@2", HB_OK, NULL },
	{ "# c \\\nd\ne\n", "e@3", HB_OK, NULL },
	/* quoting */
	{ "a \"b c\" d\n", "a|b c|d@1", HB_OK, NULL },
	{ "a \"\"\n", "a|@1", HB_OK, NULL },
	{ "a b\"c d\"e\n", "a|bc de@1", HB_OK, NULL },
	{ "a b\\ c\n", "a|b c@1", HB_OK, NULL },
	{ "a \"\\\"OpenLDAP Server\\\"\"\n", "a|\"OpenLDAP Server\"@1", HB_OK,
	    NULL },
	{ "a \"b\\\\c\"\n", "a|b\\c@1", HB_OK, NULL },
	{ "a cn=x\\2Cy\n", "a|cn=x2Cy@1", HB_OK, NULL },
	{ "\"a\" b\n", "a|b@1", HB_OK, NULL },
	{ "a \"b c\n", "", HB_EINVAL, "unterminated quoted string" },
	{ "a \"b\nc\"\n", "", HB_EINVAL, "unterminated quoted string" },
	{ "a #\"b\n", "", HB_EINVAL, "unterminated" },
	/* raw lines */
	{ "attributetype ( 1 NAME 'x\"y' )\n",
	    "attributetype@1[( 1 NAME 'x\"y' )]", HB_OK, NULL },
	{ "attributetype( 1\n NAME 'x' )\n",
	    "attributetype@2[( 1 NAME 'x' )]", HB_OK, NULL },
	/* odd bytes */
	{ "# \xc3\xa9\na \xc3\xa9\n", "a|\xc3\xa9@2", HB_OK, NULL },
	{ "\xef\xbb\xbf" "a b\n", "a|b@1", HB_OK, NULL },
	{ ":\n", ":@1", HB_OK, NULL },
	/* include takes one argument */
	{ "include\n", "", HB_EINVAL, "missing <file> argument" },
	{ "INCLUDE a b\n", "", HB_EINVAL, "extra cruft after <file>" },
	{ "include /nonexistent/x\n", "", HB_EIO, "No such file" },
	{ "include /dev/null\n", "", HB_EINVAL, "regular file expected" },
	{ "include /\n", "", HB_EINVAL, "regular file expected" },
	{ "includes x\n y\n", "includes|x@1;y@2", HB_OK, NULL },
	{ "a\nstop here\nb\n", "a@1;stop|here@2", HB_EINVAL, NULL },
};

static void
test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(read_cases) / sizeof(*read_cases); i++) {
		const struct read_case *c = &read_cases[i];
		struct diag diag = DIAG_INIT;
		struct buf out;
		int rc;

		buf_init(&out);
		rc = cfg_read_memory(slice_of(c->text), "test", is_raw, collect,
		    &out, &diag);
		buf_put_char(&out, '\0');
		if (rc != c->rc || strcmp(out.data, c->lines) != 0)
			fail_msg("case %zu: rc %d (%s), lines <%s> for <%s>", i,
			    rc, diag.text, out.data, c->text);
		if (c->error != NULL && strstr(diag.text, c->error) == NULL)
			fail_msg("case %zu: <%s>", i, diag.text);
		if (rc != HB_OK && (diag.line == 0 || diag.file == NULL))
			fail_msg("case %zu: no place", i);
		buf_fini(&out);
	}
}

static void
test_nul(void **state)
{
	static const char text[] = "a b\nc\0d\n";
	struct diag diag = DIAG_INIT;
	struct buf out;

	(void)state;
	buf_init(&out);
	assert_int_equal(cfg_read_memory(slice(text, sizeof(text) - 1), "test",
	    NULL, collect, &out, &diag), HB_EINVAL);
	assert_non_null(strstr(diag.text, "NUL"));
	buf_fini(&out);
}

static char dir[64];

static void
write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_non_null(f = fopen(path, "w"));
	fputs(text, f);
	fclose(f);
}

static int
make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test_cfg.XXXXXX");
	return mkdtemp(dir) == NULL;
}

static int
drop_dir(void **state)
{
	static const char *const files[] = { "a", "b", "c", "loop", "fifo" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	return rmdir(dir);
}

static void
test_include(void **state)
{
	struct diag diag = DIAG_INIT;
	struct buf out;
	char text[512];

	(void)state;
	buf_init(&out);
	snprintf(text, sizeof(text), "one\ninclude %s/b\ntwo\n", dir);
	write_file("a", text);
	/* the include is done at once, its continuation is a line of its own */
	snprintf(text, sizeof(text), "b1\n b2\nInclude %s/c\n last\n", dir);
	write_file("b", text);
	write_file("c", "c1");
	snprintf(text, sizeof(text), "%s/a", dir);
	assert_int_equal(cfg_read(text, NULL, collect, &out, &diag), HB_OK);
	buf_put_char(&out, '\0');
	assert_string_equal(out.data, "one@1;b1|b2@2;c1@1;last@4;two@3");
	buf_fini(&out);
}

static void
test_include_errors(void **state)
{
	struct diag diag = DIAG_INIT;
	struct buf out;
	char text[512], path[128];

	(void)state;
	buf_init(&out);
	snprintf(path, sizeof(path), "%s/loop", dir);
	snprintf(text, sizeof(text), "x\ninclude %s\n", path);
	write_file("loop", text);
	assert_int_equal(cfg_read(path, NULL, collect, &out, &diag),
	    HB_EINVAL);
	assert_non_null(strstr(diag.text, "include each other"));

	/* an error is placed in the file where it is */
	write_file("c", "good\n\nstop \n");
	snprintf(text, sizeof(text), "one\ninclude %s/c\n", dir);
	write_file("a", text);
	snprintf(path, sizeof(path), "%s/a", dir);
	diag_clear(&diag);
	assert_int_equal(cfg_read(path, NULL, collect, &out, &diag),
	    HB_EINVAL);
	assert_int_equal(diag.line, 3);
	snprintf(path, sizeof(path), "%s/c", dir);
	assert_string_equal(diag.file, path);

	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	diag_clear(&diag);
	assert_int_equal(cfg_read(path, NULL, collect, &out, &diag),
	    HB_EINVAL);
	assert_non_null(strstr(diag.text, "regular file expected"));
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_nul),
		cmocka_unit_test_setup_teardown(test_include, make_dir,
		    drop_dir),
		cmocka_unit_test_setup_teardown(test_include_errors, make_dir,
		    drop_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
