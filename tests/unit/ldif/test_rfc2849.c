/*
 * LDIF by the grammar of RFC 2849: each production with what it takes and what
 * it refuses, the seven examples of the RFC, and random records written and
 * read again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ldif.h"
#include "util/err.h"

/* How many records TEXT has; -N: the error is in line N. */
static int
count(struct slice text, unsigned flags)
{
	struct ldif_reader *r = ldif_open_memory(text, "t", flags);
	struct ldif_record rec;
	struct arena arena;
	struct diag diag;
	int n = 0, rc;

	arena_init(&arena, 0);
	diag_clear(&diag);
	while ((rc = ldif_next(r, &arena, &rec, &diag)) == HB_OK)
		n++;
	if (rc != HB_EEND) {
		assert_int_equal(rc, HB_EINVAL);
		assert_string_equal(diag.file, "t");
		n = -(int)diag.line;
	}
	ldif_close(&r);
	arena_fini(&arena);
	return n;
}

struct grammar_case {
	const char *production, *text;
	int records;			/* see count() */
};

#define DN	"dn: cn=a\n"
#define MODIFY	DN "changetype: modify\n"

static const struct grammar_case grammar_cases[] = {
	{ "ldif-content", DN "cn: a\n\ndn: cn=b\ncn: b\n", 2 },
	{ "ldif-content", "\n\n" DN "cn: a\n\n\n\ndn: b\ncn: b\n\n\n", 2 },
	{ "ldif-content", "cn: a\n", -1 },
	{ "ldif-changes", DN "changetype: delete\n\ndn: b\nchangetype: add\n"
	    "cn: b\n", 2 },
	{ "version-spec", "version: 1\n" DN "cn: a\n", 1 },
	{ "version-spec", "version:1\n\n" DN "cn: a\n", 1 },
	{ "version-spec", "version: 2\n" DN, -1 },
	{ "version-spec", "version: x\n" DN, -1 },
	{ "dn-spec", "dn:cn=a\ncn: a\n", 1 },
	{ "dn-spec", "dn:    cn=a\ncn: a\n", 1 },
	{ "dn-spec", "dn:: Y249YQ==\ncn: a\n", 1 },
	{ "dn-spec", "dn:\ncn: a\n", 1 },
	{ "dn-spec", "DN: cn=a\ncn: a\n", 1 },
	{ "dn-spec", "dn:: Y249YQ\ncn: a\n", -1 },
	{ "dn-spec", "dn cn=a\ncn: a\n", -1 },
	{ "control", DN "control: 1.2.3\nchangetype: delete\n", 1 },
	{ "control", DN "control: 1.2.3 true\ncontrol: 1.2 false\n"
	    "changetype: delete\n", 1 },
	{ "control", DN "control: 1.2.3 true: v\nchangetype: delete\n", 1 },
	{ "control", DN "control: 1.2.3 true:: dg==\nchangetype: delete\n", 1 },
	{ "control", DN "control: 1.2.3: v\nchangetype: delete\n", 1 },
	{ "control", DN "control: 1.2.3 yes\nchangetype: delete\n", -2 },
	{ "control", DN "control:\nchangetype: delete\n", -2 },
	{ "control", DN "control: 1.2.3 true v\nchangetype: delete\n", -2 },
	{ "control", DN "control: 1.2.3:: *\nchangetype: delete\n", -2 },
	{ "control", DN "control: 1.2.3\n", -3 },
	{ "change-add", DN "changetype: add\ncn: a\n", 1 },
	{ "change-add", DN "changetype: add\n", -3 },
	{ "change-delete", DN "changetype: delete\n", 1 },
	{ "change-delete", DN "changetype: delete\ncn: a\n", -3 },
	{ "change-modify", MODIFY "add: cn\ncn: b\n-\n", 1 },
	{ "change-modify", MODIFY "add: cn\ncn: b\n-\ndelete: sn\n-\n"
	    "replace: o\no: x\no: y\n-\n", 1 },
	{ "change-modify", MODIFY "delete: cn\n-\n", 1 },
	{ "change-modify", MODIFY "replace: cn\n-\n", 1 },
	{ "change-modify", MODIFY "increment: n\nn: 1\n-\n", 1 },
	{ "change-modify", MODIFY "add: cn;lang-en\ncn;lang-en: b\n-\n", 1 },
	{ "change-modify", MODIFY "add: cn\ncn: b\n", 1 },
	{ "change-modify", MODIFY "-\n", -3 },
	{ "change-modify", MODIFY "add: cn\nsn: b\n-\n", -4 },
	{ "change-modify", MODIFY "add:\ncn: b\n-\n", -3 },
	{ "change-modify", MODIFY "change: cn\ncn: b\n-\n", -3 },
	{ "change-moddn", DN "changetype: modrdn\nnewrdn: cn=b\n"
	    "deleteoldrdn: 1\n", 1 },
	{ "change-moddn", DN "changetype: moddn\nnewrdn:: Y249Yg==\n"
	    "deleteoldrdn: 0\nnewsuperior: dc=x\n", 1 },
	{ "change-moddn", DN "changetype: modrdn\nnewrdn: cn=b\n"
	    "deleteoldrdn: 1\nnewsuperior:: ZGM9eA==\n", 1 },
	{ "change-moddn", DN "changetype: modrdn\nnewrdn: cn=b\n"
	    "deleteoldrdn: 1\nnewsuperior:\n", 1 },
	{ "change-moddn", DN "changetype: modrdn\ndeleteoldrdn: 1\n", -3 },
	{ "change-moddn", DN "changetype: modrdn\nnewrdn: cn=b\n", -4 },
	{ "change-moddn", DN "changetype: modrdn\nnewrdn: cn=b\n"
	    "deleteoldrdn: yes\n", -4 },
	{ "change-moddn", DN "changetype: modrdn\nnewrdn: cn=b\n"
	    "deleteoldrdn: 1\nnewsuperior: dc=x\ncn: x\n", -6 },
	{ "changerecord", DN "changetype: rename\n", -2 },
	{ "changerecord", DN "changetype:\n", -2 },
	{ "AttributeDescription", DN "cn;lang-en: a\n", 1 },
	{ "AttributeDescription", DN "cn;lang-en;x-y: a\n", 1 },
	{ "AttributeDescription", DN "2.5.4.3: a\n", 1 },
	{ "AttributeDescription", DN "userCertificate;binary:: AA==\n", 1 },
	{ "AttributeDescription", DN ": a\n", -2 },
	{ "AttributeDescription", DN "c n: a\n", -2 },
	{ "AttributeDescription", DN "cn : a\n", -2 },
	{ "attrval-spec", DN "cn:a\ncn: a\ncn:   a\ncn:\ncn: \n", 1 },
	{ "attrval-spec", DN "cn\n", -2 },
	{ "value-spec", DN "cn::\ncn:: \ncn:: YQ==\ncn::YQ==\n", 1 },
	{ "value-spec", DN "cn:: YQ\n", -2 },
	{ "value-spec", DN "cn:: Y Q = =\n", -2 },
	{ "value-spec", DN "cn:: YQ==YQ==\n", -2 },
	{ "value-spec", DN "cn:< file:///etc/hostname\n", -2 },
	{ "SAFE-STRING", DN "cn: a:b <c> #d\n", 1 },
	{ "SAFE-STRING", DN "cn: \xc3\xa4\n", 1 },	/* people write that */
	{ "folding", DN "cn: a\n b\n c\n", 1 },
	{ "folding", DN "c\n n: a\n", 1 },
	{ "folding", "d\n n\n :\n  cn=a\ncn: a\n", 1 },
	{ "folding", DN "cn:: Y\n Q\n =\n =\n", 1 },
	{ "folding", DN "cn: a\n \n \nsn: b\n", 1 },
	{ "folding", DN "cn: a\r\n b\r\nsn: c\r\n", 1 },
	{ "folding", " " DN, -1 },
	{ "comment", "# a\n" DN "# b\ncn: a\n#c\n", 1 },
	{ "comment", "# a\n  cn: not\n  a value\n" DN "cn: a\n", 1 },
	{ "comment", DN "cn: a\n# b\n c\n d\nsn: e\n", 1 },
	{ "comment", "#\n#\n\n#\n" DN "cn: a\n\n# end", 1 },
	{ "comment", MODIFY "# b\nadd: cn\n# c\n d\ncn: b\n# e\n-\n# f\n", 1 },
	{ "SEP", "version: 1\r\n\r\n" "dn: a\r\ncn: b\r\n\r\ndn: b\r\n"
	    "cn: c", 2 },
	{ "SEP", "", 0 },
	{ "SEP", "\n", 0 },
	{ "SEP", "\r\n\r\n", 0 },
};

static void
grammar(void **state)
{
	const struct grammar_case *c = grammar_cases;
	size_t n = sizeof(grammar_cases) / sizeof(*grammar_cases);
	int got;

	(void)state;
	for (; n > 0; n--, c++)
		if ((got = count(slice_of(c->text), 0)) != c->records)
			fail_msg("%s: \"%s\": %d, not %d", c->production,
			    c->text, got, c->records);
}

/* The RFC's examples, of the same shapes. */
static const struct grammar_case examples[] = {
	{ "1: two entries", "version: 1\n"
	    "dn: cn=Barbara Jensen, ou=Product Development, dc=airius, dc=com\n"
	    "objectclass: top\nobjectclass: person\n"
	    "objectclass: organizationalPerson\ncn: Barbara Jensen\n"
	    "cn: Barbara J Jensen\ncn: Babs Jensen\nsn: Jensen\nuid: bjensen\n"
	    "telephonenumber: +1 408 555 1212\ndescription: A big sailing fan."
	    "\n\ndn: cn=Bjorn Jensen, ou=Accounting, dc=airius, dc=com\n"
	    "objectclass: top\nobjectclass: person\ncn: Bjorn Jensen\n"
	    "sn: Jensen\ntelephonenumber: +1 408 555 1212\n", 2 },
	{ "2: a folded value", "version: 1\n"
	    "dn:cn=Barbara Jensen, ou=Product Development, dc=airius, dc=com\n"
	    "objectclass:top\nobjectclass:person\ncn:Barbara Jensen\n"
	    "sn:Jensen\nuid:bjensen\ndescription:Babs is a big sailing fan, "
	    "and travels exten\n sively in search of perfect sailing "
	    "conditions.\ntitle:Product Manager, Rod and Reel Division\n", 1 },
	{ "3: base64", "version: 1\n"
	    "dn: cn=Gern Jensen, ou=Product Testing, dc=airius, dc=com\n"
	    "objectclass: top\nobjectclass: person\ncn: Gern Jensen\n"
	    "sn: Jensen\nuid: gernj\ndescription:: V2hhdCBhIGNhcmVmdWwgcmVhZG"
	    "VyIHlvdSBhcmUhICBUaGlzIHZhbHVlI\n GlzIGJhc2UtNjQtZW5jb2RlZC4=\n",
	    1 },
	{ "4: UTF-8, base64 names, comments, languages", "version: 1\n"
	    "dn:: b3U95Za25qWt6YOoLG89QWlyaXVz\n"
	    "# dn:: ou=<JapaneseOU>,o=Airius\n"
	    "objectclass: top\nobjectclass: organizationalUnit\n"
	    "ou:: 5Za25qWt6YOo\n# ou:: <JapaneseOU>\n"
	    "ou;lang-ja:: 5Za25qWt6YOo\n"
	    "ou;lang-ja;phonetic:: 44GI44GE44GO44KH44GG44G2\n"
	    "ou;lang-en: Sales\ndescription: Japanese office\n\n"
	    "dn:: dWlkPXJvZ2FzYXdhcmEsb3U95Za25qWt6YOoLG89QWlyaXVz\n"
	    "userpassword: {SHA}O3HSv1MusyL4kTjP+HKI5uxuNoM=\n"
	    "objectclass: top\nuid: rogasawara\n"
	    "cn;lang-ja:: 5bCP56yg5Y6fIOODreODieODi+ODvA==\n"
	    "sn;lang-en: Ogasawara\n", 2 },
	{ "5: a value from a file, refused here", "version: 1\n"
	    "dn: cn=Horatio Jensen, ou=Product Testing, dc=airius, dc=com\n"
	    "objectclass: top\ncn: Horatio Jensen\n\n"
	    "dn: cn=b\njpegphoto:< file:///usr/local/photos/h.jpg\n", -7 },
	{ "6: changes", "version: 1\n# Add a new entry\n"
	    "dn: cn=Fiona Jensen, ou=Marketing, dc=airius, dc=com\n"
	    "changetype: add\nobjectclass: top\ncn: Fiona Jensen\n"
	    "jpegphoto:: /9j/4AA=\n\n# Delete an existing entry\n"
	    "dn: cn=Robert Jensen, ou=Marketing, dc=airius, dc=com\n"
	    "changetype: delete\n\n# Modify an entry's relative name\n"
	    "dn: cn=Paul Jensen, ou=Product Development, dc=airius, dc=com\n"
	    "changetype: modrdn\nnewrdn: cn=Paula Jensen\ndeleteoldrdn: 1\n\n"
	    "# Rename an entry and move all of its children\n"
	    "dn: ou=PD Accountants, ou=Product Development, dc=airius, dc=com\n"
	    "changetype: modrdn\nnewrdn: ou=Product Development Accountants\n"
	    "deleteoldrdn: 0\nnewsuperior: ou=Accounting, dc=airius, dc=com\n\n"
	    "# Modify an entry\n"
	    "dn: cn=Paula Jensen, ou=Product Development, dc=airius, dc=com\n"
	    "changetype: modify\nadd: postaladdress\n"
	    "postaladdress: 123 Anystreet $ Sunnyvale, CA $ 94086\n-\n\n"
	    "# Delete all values, replace, delete one\n"
	    "dn: cn=Ingrid Jensen, ou=Product Support, dc=airius, dc=com\n"
	    "changetype: modify\ndelete: description\n-\n"
	    "replace: telephonenumber\ntelephonenumber: +1 408 555 1234\n"
	    "telephonenumber: +1 408 555 5678\n-\n"
	    "delete: facsimiletelephonenumber\n"
	    "facsimiletelephonenumber: +1 408 555 9876\n-\n", 6 },
	{ "7: a change with a control", "version: 1\n# Delete an entry. The "
	    "operation will attach the LDAPv3\n# Tree Delete Control\n"
	    "dn: ou=Product Development, dc=airius, dc=com\n"
	    "control: 1.2.840.113556.1.4.805 true\nchangetype: delete\n", 1 },
};

static void
rfc_examples(void **state)
{
	int got;

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
		if ((got = count(slice_of(examples[i].text), 0)) !=
		    examples[i].records)
			fail_msg("%s: %d", examples[i].production, got);
}

/* ---- random records ---- */

static unsigned seed = 20261201;

static unsigned
rnd(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

static struct slice
make_value(struct arena *arena)
{
	static const char often[] = " :<#-\n\r\0ab=";
	unsigned n = rnd(50) == 0 ? rnd(70000) : rnd(100), kind = rnd(3), i;
	char *p = arena_alloc(arena, n + 1);

	for (i = 0; i < n; i++)
		p[i] = kind == 0 ? (char)rnd(256) : kind == 1 ?
		    (char)(' ' + rnd(95)) : often[rnd(sizeof(often) - 1)];
	return slice(p, n);
}

static void
check_columns(struct slice text, unsigned wrap)
{
	size_t column = 0;

	for (size_t i = 0; i < text.len; i++) {
		column = text.ptr[i] == '\n' ? 0 : column + 1;
		assert_true(wrap == 0 || column <= wrap);
	}
}

static void
to_crlf(struct slice text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\n')
			buf_put_char(out, '\r');
		buf_put_char(out, text.ptr[i]);
	}
}

static void
read_back(struct arena *arena, struct slice text, struct slice dn,
    const struct slice *values, unsigned n)
{
	struct ldif_reader *r = ldif_open_memory(text, "t", 0);
	struct ldif_record rec;

	assert_int_equal(ldif_next(r, arena, &rec, NULL), HB_OK);
	assert_true(slice_is_eq(rec.dn, dn));
	assert_int_equal(rec.nvalues, n);
	for (unsigned i = 0; i < n; i++) {
		assert_true(slice_is_eq(rec.values[i].name,
		    SLICE("cn;lang-en")));
		assert_true(slice_is_eq(rec.values[i].value, values[i]));
	}
	assert_int_equal(ldif_next(r, arena, &rec, NULL), HB_EEND);
	ldif_close(&r);
}

static void
random_records(void **state)
{
	static const unsigned wraps[] = { 0, 2, 3, 20, LDIF_WRAP, 100000 };
	struct slice dn, values[8];
	struct buf text, crlf;
	struct arena arena;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&text);
	buf_init(&crlf);
	for (unsigned round = 0; round < 3000; round++) {
		unsigned wrap = wraps[rnd(6)], n = rnd(8);

		buf_reset(&text);
		buf_reset(&crlf);
		dn = make_value(&arena);
		ldif_put(&text, SLICE("dn"), dn, wrap, rnd(4) == 0);
		for (unsigned i = 0; i < n; i++) {
			values[i] = make_value(&arena);
			if (rnd(4) == 0)
				ldif_put_comment(&text, SLICE("cn: no value\n"
				    "dn: of a comment"), wrap);
			ldif_put(&text, SLICE("cn;lang-en"), values[i], wrap,
			    rnd(4) == 0);
		}
		check_columns(buf_slice(&text), wrap);
		read_back(&arena, buf_slice(&text), dn, values, n);
		to_crlf(buf_slice(&text), &crlf);
		read_back(&arena, buf_slice(&crlf), dn, values, n);
		text.len--;		/* the last line without its end */
		read_back(&arena, buf_slice(&text), dn, values, n);
		arena_reset(&arena);
	}
	buf_fini(&crlf);
	buf_fini(&text);
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grammar),
		cmocka_unit_test(rfc_examples),
		cmocka_unit_test(random_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
