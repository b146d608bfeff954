/*
 * LDIF: records of all kinds, spellings of lines, messages, writing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "ldif.h"
#include "util/err.h"
#include "util/mem.h"

static void
show_values(struct buf *out, const struct ldif_value *v, unsigned n)
{
	for (; n > 0; n--, v++) {
		buf_put_char(out, ' ');
		buf_put_slice(out, v->name);
		buf_put_char(out, '=');
		buf_put_slice(out, v->value);
	}
}

static void
show(struct buf *out, const struct ldif_record *r)
{
	static const char *const kinds[] = {
		"", "add", "delete", "modify", "modrdn"
	};
	unsigned i;

	buf_printf(out, "%u<%.*s>%s", r->line, SLICE_ARG(r->dn),
	    kinds[r->change]);
	show_values(out, r->values, r->nvalues);
	for (i = 0; i < r->nmods; i++) {
		buf_printf(out, " [%d %.*s", r->mods[i].op,
		    SLICE_ARG(r->mods[i].name));
		show_values(out, r->mods[i].values, r->mods[i].n);
		buf_put_char(out, ']');
	}
	if (r->change == LDIF_MODRDN) {
		buf_printf(out, " %.*s %d", SLICE_ARG(r->new_rdn),
		    r->delete_old);
		if (!slice_is_none(r->new_superior))
			buf_printf(out, " <%.*s>", SLICE_ARG(r->new_superior));
	}
	for (i = 0; i < r->ncontrols; i++) {
		buf_printf(out, " {%.*s %d", SLICE_ARG(r->controls[i].oid),
		    r->controls[i].critical);
		if (!slice_is_none(r->controls[i].value))
			buf_printf(out, " %.*s",
			    SLICE_ARG(r->controls[i].value));
		buf_put_char(out, '}');
	}
	buf_put_char(out, '\n');
}

/* All records of R, errors as "! file: line n: text". */
static void
show_all(struct ldif_reader *r, struct buf *out)
{
	struct ldif_record rec;
	struct arena arena;
	struct diag diag;
	char text[1200];
	int rc;

	arena_init(&arena, 0);
	for (;;) {
		diag_clear(&diag);
		if ((rc = ldif_next(r, &arena, &rec, &diag)) == HB_EEND)
			break;
		if (rc == HB_OK) {
			show(out, &rec);
		} else {
			assert_int_equal(rc, HB_EINVAL);
			diag_format(&diag, text, sizeof(text));
			buf_printf(out, "! %s\n", text);
		}
		arena_reset(&arena);
	}
	arena_fini(&arena);
}

struct read_case {
	const char *in, *out;
};

static const struct read_case read_cases[] = {
	{ "", "" },
	{ "\n\n# only this\n\n", "" },
	{ "dn: dc=x\ndc: x\n", "1<dc=x> dc=x\n" },
	{ "dn: dc=x\ndc: x", "1<dc=x> dc=x\n" },
	{ "dn: dc=x\r\ndc: x\r\n\r\ndn: a\r\n", "1<dc=x> dc=x\n4<a>\n" },
	{ "version: 1\n\ndn: dc=x\ndc: x\n\n\n\ndn: dc=y\ndc:y\n\n",
	    "3<dc=x> dc=x\n8<dc=y> dc=y\n" },
	{ "version: 1\ndn: dc=x\ndc:    x\n", "2<dc=x> dc=x\n" },
	{ "\xef\xbb\xbf" "dn: dc=x\n", "1<dc=x>\n" },
	{ "# c\n  more\n# d\ndn: dc\n =x\n# in between\n  and on\ndc: a\n b\n"
	    "  c\no: \n", "4<dc=x> dc=ab c o=\n" },
	{ "dn:: ZGM9eA==\nuserPassword:: c2VjcmV0\njpeg::\ncn:: YQ\n b=\n",
	    "! t: line 4: base64 after '::' expected: \"cn:: YQb=\"\n" },
	{ "dn:: ZGM9\n eA==\ncn;lang-en:: YQ== \n",
	    "1<dc=x> cn;lang-en=a\n" },
	{ "dn:\ndc: x\n", "1<> dc=x\n" },
	{ "dn: a\nchangetype: add\ncn: b\ncn: c\n", "1<a>add cn=b cn=c\n" },
	{ "dn: a\nchangetype: delete\n\ndn: b\nchangetype: DELETE\n",
	    "1<a>delete\n4<b>delete\n" },
	{ "dn: a\nchangetype: modify\nadd: cn\ncn: b\nCN: c\n-\ndelete: sn\n-\n"
	    "replace: mail\nmail: x\n-\nincrement: n\nn: 1\n",
	    "1<a>modify [0 cn cn=b CN=c] [1 sn] [2 mail mail=x] [3 n n=1]\n" },
	{ "dn: a\nchangetype: modify\n", "1<a>modify\n" },
	{ "dn: a\nchangetype: modrdn\nnewrdn: cn=b\ndeleteoldrdn: 1\n",
	    "1<a>modrdn cn=b 1\n" },
	{ "dn: a\nchangetype: moddn\nnewrdn: cn=b\ndeleteoldrdn: 0\n"
	    "newsuperior: dc=y\n", "1<a>modrdn cn=b 0 <dc=y>\n" },
	{ "dn: a\ncontrol: 1.2.840.1 true\ncontrol: 1.3 : v\n"
	    "control: 1.4 false:: dg==\ncontrol: 1.5\nchangetype: delete\n",
	    "1<a>delete {1.2.840.1 1} {1.3 0 v} {1.4 0 v} {1.5 0}\n" },
	{ "dc: x\no: y\n\ndn: b\n",
	    "! t: line 1: \"dn:\" expected: \"dc: x\"\n4<b>\n" },
	{ "dn: a\nnonsense\ncn: x\n\ndn: b\n", "! t: line 2: \"attribute: "
	    "value\" expected: \"nonsense\"\n5<b>\n" },
	{ "dn: a\n: x\n", "! t: line 2: \"attribute: value\" expected: "
	    "\": x\"\n" },
	{ "dn: a\nc n: x\n", "! t: line 2: attribute description without "
	    "blanks before ':' expected: \"c n: x\"\n" },
	{ "\n x\n\ndn: b\n", "! t: line 2: line that is no continuation "
	    "expected: \" x\"\n4<b>\n" },
	{ "version: 2\n\ndn: b\n",
	    "! t: line 1: version 1 expected: \"version: 2\"\n3<b>\n" },
	{ "dn: a\ncn:< file:///etc/passwd\n", "! t: line 2: value (URLs of "
	    "files are not read unless allowed) expected: \"cn:< file:///etc/passwd\"\n" },
	{ "dn: a\nchangetype: modify\nadd: cn\nsn: b\n", "! t: line 4: value "
	    "of the attribute that is modified, or \"-\" expected: "
	    "\"sn: b\"\n" },
	{ "dn: a\nchangetype: modify\ncn: b\n", "! t: line 3: \"add:\", "
	    "\"delete:\", \"replace:\" or \"increment:\" expected: "
	    "\"cn: b\"\n" },
	{ "dn: a\nchangetype: twist\n", "! t: line 2: add, delete, modify, "
	    "modrdn or moddn expected: \"changetype: twist\"\n" },
	{ "dn: a\nchangetype: delete\ncn: x\n\ndn: b\n",
	    "! t: line 3: end of the record expected: \"cn: x\"\n5<b>\n" },
	{ "dn: a\nchangetype: modrdn\nnewrdn: cn=b\n\ndn: b\n",
	    "! t: line 4: \"deleteoldrdn:\" expected: \"\"\n5<b>\n" },
	{ "dn: a\nchangetype: modrdn\nnewrdn: cn=b\ndeleteoldrdn: 2\n",
	    "! t: line 4: \"deleteoldrdn:\" with 0 or 1 expected: "
	    "\"deleteoldrdn: 2\"\n" },
	{ "dn: a\ncontrol: x\nchangetype: add\n",
	    "! t: line 2: OID of a control expected: \"control: x\"\n" },
	{ "dn: a\ncontrol: 1.2\ncn: x\n",
	    "! t: line 3: \"changetype:\" expected: \"cn: x\"\n" },
};

static void
check(struct ldif_reader *r, const char *out)
{
	struct buf buf;

	buf_init(&buf);
	show_all(r, &buf);
	buf_put_char(&buf, '\0');
	assert_string_equal(buf.data, out);
	buf_fini(&buf);
	ldif_close(&r);
	assert_null(r);
}

static void
read_memory(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(read_cases) / sizeof(*read_cases); i++)
		check(ldif_open_memory(slice_of(read_cases[i].in), "t", 0),
		    read_cases[i].out);
}

/* Write TEXT to standard input's place, as a pipe or as a file. */
static struct ldif_reader *
open_stdin(const char *text, bool as_pipe)
{
	struct diag diag = DIAG_INIT;
	struct ldif_reader *r;
	int saved = dup(STDIN_FILENO), fds[2];
	FILE *f = NULL;

	if (as_pipe) {
		assert_int_equal(pipe(fds), 0);
		assert_int_equal(write(fds[1], text, strlen(text)),
		    strlen(text));
		close(fds[1]);
	} else {
		assert_non_null(f = tmpfile());
		fputs(text, f);
		rewind(f);
		fds[0] = dup(fileno(f));
		fclose(f);
	}
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	assert_int_equal(ldif_open(NULL, 0, &r, &diag), HB_OK);
	dup2(saved, STDIN_FILENO);
	close(saved);
	return r;
}

static void
read_stdin(void **state)
{
	const struct read_case *c;
	struct buf want;
	const char *s;
	unsigned i;

	(void)state;
	for (i = 0; i < 2 * sizeof(read_cases) / sizeof(*read_cases); i++) {
		c = &read_cases[i / 2];
		buf_init(&want);
		for (s = c->out; *s != '\0'; s++) {
			if (strncmp(s, "! t:", 4) == 0) {
				buf_put_str(&want, "! <stdin>:");
				s += 3;
			} else {
				buf_put_char(&want, *s);
			}
		}
		buf_put_char(&want, '\0');
		check(open_stdin(c->in, i % 2), want.data);
		buf_fini(&want);
	}
}

static void
raw_and_position(void **state)
{
	const char *text = "# x\n\ndn: a\n# c\ncn: b\n\n\ndn: c\r\ncn:\r\n\r\n";
	struct ldif_record rec;
	struct ldif_reader *r;
	struct arena arena;
	uint64_t done, total;

	(void)state;
	arena_init(&arena, 0);
	r = ldif_open_memory(slice_of(text), "t", 0);
	assert_int_equal(ldif_next(r, &arena, &rec, NULL), HB_OK);
	assert_true(slice_is_eq(rec.raw, SLICE("dn: a\n# c\ncn: b")));
	assert_true(rec.values[0].value.ptr > text &&
	    rec.values[0].value.ptr < text + strlen(text));
	assert_int_equal(rec.values[0].line, 5);
	ldif_position(r, &done, &total);
	assert_int_equal(total, strlen(text));
	assert_true(done > 10 && done < total);
	assert_int_equal(ldif_next(r, &arena, &rec, NULL), HB_OK);
	assert_true(slice_is_eq(rec.raw, SLICE("dn: c\r\ncn:")));
	assert_int_equal(ldif_next(r, &arena, &rec, NULL), HB_EEND);
	ldif_position(r, &done, &total);
	assert_int_equal(done, total);
	ldif_close(&r);
	arena_fini(&arena);
}

static void
urls(void **state)
{
	char path[] = "/tmp/test_ldifXXXXXX", text[200];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "hello", 5), 5);
	close(fd);
	snprintf(text, sizeof(text), "dn: a\ncn:< file:///%%74mp%s\n",
	    path + 4);
	check(ldif_open_memory(slice_of(text), "t", LDIF_ALLOW_URLS),
	    "1<a> cn=hello\n");
	unlink(path);
	check(ldif_open_memory(slice_of(
	    "dn: a\ncn:< file:///no/such/file\n\ndn: b\ncn:< http://x/\n"), "t",
	    LDIF_ALLOW_URLS), "! t: line 2: cannot read /no/such/file: No such "
	    "file or directory\n! t: line 5: file:/// URL after ':<' expected: "
	    "\"cn:< http://x/\"\n");
}

static void
open_fails(void **state)
{
	struct diag diag = DIAG_INIT;
	struct ldif_reader *r;

	(void)state;
	assert_int_equal(ldif_open("/no/such", 0, &r, &diag), HB_EIO);
	assert_null(r);
	assert_string_equal(diag.text,
	    "cannot open /no/such: No such file or directory");
	diag_clear(&diag);
	assert_int_equal(ldif_open("/tmp", 0, &r, &diag), HB_EIO);
	assert_string_equal(diag.text, "cannot read /tmp: Is a directory");
}

#define TEN	"aaaaaaaaaa"

struct write_case {
	const char *value;
	unsigned wrap;
	bool force64;
	const char *out;
};

static const struct write_case write_cases[] = {
	{ "x", 78, false, "cn: x\n" },
	{ "", 78, false, "cn: \n" },
	{ " x", 78, false, "cn:: IHg=\n" },
	{ "x ", 78, false, "cn:: eCA=\n" },
	{ ":x", 78, false, "cn:: Ong=\n" },
	{ "<x", 78, false, "cn:: PHg=\n" },
	{ "#x", 78, false, "cn: #x\n" },
	{ "a\nb", 78, false, "cn:: YQpi\n" },
	{ "\xc3\xa4", 78, false, "cn:: w6Q=\n" },
	{ "x", 78, true, "cn:: eA==\n" },
	{ TEN TEN, 24, false, "cn: " TEN TEN "\n" },
	{ TEN TEN "b", 24, false, "cn: " TEN TEN "\n b\n" },
	{ TEN TEN TEN TEN TEN, 14, false, "cn: " TEN "\n " TEN "aaa\n " TEN
	    "aaa\n " TEN "aaa\n a\n" },
	{ TEN TEN TEN TEN TEN, 0, false, "cn: " TEN TEN TEN TEN TEN "\n" },
	{ "\x01\x02\x03\x04\x05\x06", 8, false, "cn:: AQI\n DBAUG\n" },
};

static void
write_lines(void **state)
{
	const struct write_case *c;
	struct buf buf;
	unsigned i;

	(void)state;
	buf_init(&buf);
	for (i = 0; i < sizeof(write_cases) / sizeof(*write_cases); i++) {
		c = &write_cases[i];
		buf_reset(&buf);
		ldif_put(&buf, SLICE("cn"), slice_of(c->value), c->wrap,
		    c->force64);
		buf_put_char(&buf, '\0');
		assert_string_equal(buf.data, c->out);
	}
	buf_reset(&buf);
	ldif_put_comment(&buf, SLICE("id=1\nand more of it"), 10);
	buf_put_char(&buf, '\0');
	assert_string_equal(buf.data, "# id=1\n# and more\n  of it\n");
	buf_fini(&buf);
}

/* What was written is read again, for values of all lengths and folds. */
static void
round_trip(void **state)
{
	struct ldif_record rec;
	struct ldif_reader *r;
	struct arena arena;
	char value[300];
	struct buf buf;
	unsigned i, j;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	for (i = 0; i < 300; i++) {
		for (j = 0; j < i; j++)
			value[j] = (char)(i % 3 == 0 ? j : 'a' + j % 26);
		buf_reset(&buf);
		ldif_put(&buf, SLICE("dn"), slice(value, i), 2 + i % 90, false);
		r = ldif_open_memory(buf_slice(&buf), "t", 0);
		assert_int_equal(ldif_next(r, &arena, &rec, NULL), HB_OK);
		assert_true(slice_is_eq(rec.dn, slice(value, i)));
		ldif_close(&r);
		arena_reset(&arena);
	}
	buf_fini(&buf);
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_memory),
		cmocka_unit_test(read_stdin),
		cmocka_unit_test(raw_and_position),
		cmocka_unit_test(urls),
		cmocka_unit_test(open_fails),
		cmocka_unit_test(write_lines),
		cmocka_unit_test(round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
