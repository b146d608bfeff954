/*
 * Schema check, naming attributes, rename, operational attributes.
 */
#include "../dn/sample.h"

#include "entry.h"

static struct schema *schema;

/* "objectClass=person cn=a|b" */
static void
take_attrs(struct arena *arena, const char *text, struct attrs *as)
{
	char *copy = arena_strdup(arena, text), *save, *w, *v, *s2;
	const struct attr_desc *desc;
	struct slice values[8];
	struct attr a;
	unsigned n;

	*as = (struct attrs){ NULL, 0, 0 };
	for (w = strtok_r(copy, " ", &save); w != NULL;
	    w = strtok_r(NULL, " ", &save)) {
		assert_non_null(v = strchr(w, '='));
		*v++ = '\0';
		assert_int_equal(schema_desc_any(schema, slice_of(w), &desc),
		    HB_OK);
		n = 0;
		for (v = strtok_r(v, "|", &s2); v != NULL;
		    v = strtok_r(NULL, "|", &s2)) {
			/* attr_make() would refuse two values of a single-valued type */
			values[0] = slice_of(v);
			assert_int_equal(attr_make(arena, schema, desc, values,
			    1, &a, NULL), HB_OK);
			assert_int_equal(attrs_add(arena, as, &a), HB_OK);
			n++;
		}
	}
}

static void
show(const struct attrs *as, struct buf *out)
{
	unsigned i, j;

	for (i = 0; i < as->n; i++) {
		if (i > 0)
			buf_put_char(out, ' ');
		buf_put_slice(out, as->v[i].desc->name);
		for (j = 0; j < as->v[i].n; j++) {
			buf_put_char(out, j == 0 ? '=' : '|');
			buf_put_slice(out, as->v[i].values[j]);
		}
	}
}

struct check_case {
	const char *dn, *attrs;
	unsigned flags;
	int rc;
	const char *text;
};

static const struct check_case check_cases[] = {
	{ "cn=a", "objectClass=person cn=a sn=b", 0, HB_OK, "" },
	{ "cn=a", "objectClass=inetOrgPerson cn=a sn=b mail=c", 0, HB_OK, "" },
	{ "cn=a", "objectClass=top|person|organizationalPerson|inetOrgPerson "
	    "cn=a sn=b", 0, HB_OK, "" },
	{ "cn=a", "objectClass=person|dcObject cn=a sn=b dc=x", 0, HB_OK, "" },
	{ "cn=a", "cn=a sn=b", 0, HB_EOBJECTCLASS, "no objectClass attribute" },
	{ "cn=a", "objectClass=person cn=a", 0, HB_EOBJECTCLASS,
	    "object class 'person' requires attribute 'sn'" },
	{ "cn=a", "objectClass=person cn=a sn=b mail=c", 0, HB_EOBJECTCLASS,
	    "attribute 'mail' not allowed (object classes 'inetOrgPerson', "
	    "'helper' would allow it); the entry's object class is 'person'" },
	{ "cn=a", "objectClass=person cn=a mail=c uid=d member=cn=x", 0,
	    HB_EOBJECTCLASS,
	    "attribute 'mail' not allowed (object classes 'inetOrgPerson', "
	    "'helper' would allow it); attribute 'uid' not allowed (object "
	    "class 'inetOrgPerson' would allow it); attribute 'member' not "
	    "allowed; object class 'person' requires attribute 'sn'; "
	    "the entry's object class is 'person'" },
	/* what cannot be had by changing the structural class is no advice */
	{ "cn=a", "objectClass=person cn=a sn=b mail=c uid=d",
	    ENTRY_CHECK_MODIFY, HB_EOBJECTCLASS,
	    "attribute 'mail' not allowed (object class 'helper' would allow "
	    "it); attribute 'uid' not allowed; the entry's object class is "
	    "'person'" },
	{ "cn=a", "objectClass=strict cn=a sn=b dc=c mail=d",
	    ENTRY_CHECK_MODIFY, HB_EOBJECTCLASS,
	    "attribute 'dc' not allowed; attribute 'mail' not allowed (object "
	    "class 'helper' would allow it); the entry's object class is "
	    "'strict'" },
	{ "cn=a", "objectClass=person nosuch=c cn=a sn=b", 0, HB_EOBJECTCLASS,
	    "attribute 'nosuch' not allowed; the entry's object class is "
	    "'person'" },
	{ "cn=a", "objectClass=person|persn cn=a sn=b", 0, HB_ESYNTAX,
	    "objectClass: value #1 invalid per syntax: no object class 'persn' "
	    "is known; did you mean 'person'?" },
	{ "cn=a", "objectClass=person cn=a sn=b cn;lang-en=c", 0, HB_OK, "" },
	{ "cn=a", "objectClass=top cn=a", 0, HB_EOBJECTCLASS,
	    "no structural object class provided; attribute 'cn' not allowed "
	    "(object classes 'OpenLDAProotDSE', 'subentry', 'person', ... would "
	    "allow it); the entry's object class is 'top'" },
	{ "dc=a", "objectClass=dcObject dc=a", 0, HB_EOBJECTCLASS,
	    "no structural object class provided; the entry's object class is "
	    "'dcObject'" },
	{ "cn=a", "objectClass=top|dcObject|helper|old|plain cn=a dc=b", 0,
	    HB_EOBJECTCLASS, "no structural object class provided; object "
	    "class 'old' is obsolete; instantiation of abstract object class "
	    "'plain' not allowed; attribute 'cn' not allowed (object classes "
	    "'OpenLDAProotDSE', 'subentry', 'person', ... would allow it); "
	    "the entry's object classes are 'top', 'dcObject', 'helper', "
	    "..." },
	{ "cn=a", "objectClass=person|account cn=a sn=b uid=c", 0,
	    HB_EOBJECTCLASS,
	    "invalid structural object class chain (person/account)" },
	{ "cn=a", "objectClass=person|plain cn=a sn=b", 0, HB_EOBJECTCLASS,
	    "instantiation of abstract object class 'plain' not allowed" },
	{ "cn=a", "objectClass=person|old cn=a sn=b", 0, HB_EOBJECTCLASS,
	    "object class 'old' is obsolete" },
	{ "cn=a", "objectClass=person|old cn=a sn=b", ENTRY_CHECK_RELAX, HB_OK,
	    "" },
	{ "cn=a", "objectClass=person|extensibleObject cn=a sn=b mail=c dc=d",
	    0, HB_OK, "" },
	{ "cn=a", "objectClass=person cn=a sn=b modifiersName=cn=x", 0, HB_OK,
	    "" },
	{ "cn=a", "objectClass=inetOrgPerson cn=a sn=b c=DE|FR", 0,
	    HB_ECONSTRAINT, "attribute 'c' cannot have multiple values" },
	{ "cn=a", "objectClass=inetOrgPerson cn=a sn=b gone=x shared=y", 0,
	    HB_ECONSTRAINT, "attribute 'gone' is obsolete; "
	    "attribute 'shared' is collective: only a "
	    "collectiveAttributeSubentry holds it" },
	{ "cn=a", "objectClass=inetOrgPerson cn=a sn=b gone=x shared=y",
	    ENTRY_CHECK_RELAX, HB_OK, "" },
	/* what an entry has kept from older days does not stop other changes */
	{ "cn=a", "objectClass=inetOrgPerson cn=a sn=b gone=x",
	    ENTRY_CHECK_MODIFY, HB_OK, "" },
	/* RFC 3671, 3672 */
	{ "cn=a", "objectClass=subentry|collectiveAttributeSubentry cn=a "
	    "subtreeSpecification={} shared=x", 0, HB_OK, "" },
	{ "cn=a", "objectClass=subentry cn=a subtreeSpecification={} shared=x",
	    0, HB_EOBJECTCLASS, "attribute 'shared' is collective: only a "
	    "collectiveAttributeSubentry holds it" },
	{ "cn=a", "objectClass=subentry cn=a", 0, HB_EOBJECTCLASS, "object "
	    "class 'subentry' requires attribute 'subtreeSpecification'" },
	{ "cn=a", "objectClass=person|extensibleObject cn=a sn=b shared=x", 0,
	    HB_EOBJECTCLASS, "attribute 'shared' is collective: only a "
	    "collectiveAttributeSubentry holds it" },
	{ "cn=a", "objectClass=person cn=a sn=b "
	    "collectiveExclusions=2.5.18.0|shared", 0, HB_OK, "" },
	{ "mark=a", "objectClass=inetOrgPerson cn=b sn=b mark=a", 0,
	    HB_ENAMING, "naming attribute 'mark' is operational" },
	{ "gone=a", "objectClass=inetOrgPerson cn=b sn=b gone=a",
	    ENTRY_CHECK_MODIFY, HB_ENAMING,
	    "naming attribute 'gone' is obsolete" },
	{ "shared=a", "objectClass=inetOrgPerson cn=b sn=b", 0, HB_ENAMING,
	    "naming attribute 'shared' is collective; naming attribute "
	    "'shared' is not present in entry" },
	{ "c=DE", "objectClass=inetOrgPerson cn=b sn=b c=FR", 0, HB_ENAMING,
	    "value of single-valued naming attribute 'c' conflicts with value "
	    "present in entry" },
	{ "c=DE", "objectClass=inetOrgPerson cn=b sn=b c=FR",
	    ENTRY_CHECK_MODIFY, HB_ENOTONRDN,
	    "value of single-valued naming attribute 'c' conflicts with value "
	    "present in entry" },
	{ "cn=a+sn=c", "objectClass=person cn=b sn=b", 0, HB_ENAMING,
	    "value of naming attribute 'cn' is not present in entry; value of "
	    "naming attribute 'sn' is not present in entry" },
	{ "list=a", "objectClass=extensibleObject|person cn=b sn=b list={0}A",
	    0, HB_OK, "" },
	{ "cn=a", "objectClass=person cn=b sn=b", 0, HB_ENAMING,
	    "value of naming attribute 'cn' is not present in entry" },
	{ "uid=a", "objectClass=person cn=b sn=b", 0, HB_ENAMING,
	    "naming attribute 'uid' is not present in entry" },
	{ "cn=a", "objectClass=person cn=b sn=b", ENTRY_CHECK_MODIFY,
	    HB_ENOTONRDN,
	    "value of naming attribute 'cn' is not present in entry" },
	{ "odd=a", "objectClass=person cn=b sn=b", 0, HB_ENAMING,
	    "naming attribute 'odd' is not in the schema; "
	    "naming attribute 'odd' is not present in entry" },
	{ "blob=a", "objectClass=inetOrgPerson cn=b sn=b blob=a", 0,
	    HB_ENAMING,
	    "naming attribute 'blob' has no equality matching rule" },
	{ "", "objectClass=person cn=b sn=b", 0, HB_OK, "" },
	{ "cn=a", "objectClass=person cn=a sn=b structuralObjectClass=account",
	    ENTRY_CHECK_MODIFY, HB_ECLASSMODS, "structural object class "
	    "modification from 'account' to 'person' not allowed" },
	{ "cn=a", "objectClass=person cn=a sn=b structuralObjectClass=account",
	    0, HB_OK, "" },
	{ "cn=a", "objectClass=strict|helper cn=a sn=b o=c mail=d", 0, HB_OK,
	    "" },
	{ "cn=a", "objectClass=strict cn=a", 0, HB_EOBJECTCLASS,
	    "content rule 'strictRule' requires attribute 'sn'" },
	{ "cn=a", "objectClass=strict|dcObject cn=a sn=b dc=c description=d",
	    0, HB_EOBJECTCLASS, "object class 'dcObject' not allowed by "
	    "content rule 'strictRule'; content rule 'strictRule' precludes "
	    "attribute 'description'" },
	{ "cn=a", "objectClass=strict|extensibleObject cn=a sn=b", 0,
	    HB_EOBJECTCLASS, "object class 'extensibleObject' not allowed by "
	    "content rule 'strictRule'" },
};

static void
check(void **state)
{
	const struct check_case *c;
	struct arena arena;
	struct diag diag;
	struct attrs as;
	struct dn dn;
	unsigned i;
	int rc;

	(void)state;
	arena_init(&arena, 0);
	for (i = 0; i < sizeof(check_cases) / sizeof(*check_cases); i++) {
		c = &check_cases[i];
		diag_clear(&diag);
		dn = sample_dn(&arena, schema, c->dn);
		take_attrs(&arena, c->attrs, &as);
		rc = entry_check(&arena, schema, &dn, &as, c->flags, &diag);
		if (rc != c->rc || strcmp(diag.text, c->text) != 0)
			print_message("%s: %s\n", c->attrs, diag.text);
		assert_int_equal(rc, c->rc);
		assert_string_equal(diag.text, c->text);
	}
	take_attrs(&arena, "objectClass=top|INETORGPERSON|person cn=a sn=b",
	    &as);
	dn = sample_dn(&arena, schema, "cn=a");
	assert_int_equal(entry_check(&arena, schema, &dn, &as, 0, NULL), HB_OK);
	assert_slice_is(as.v[as.n - 1].desc->name, "structuralObjectClass");
	assert_slice_is(as.v[as.n - 1].values[0], "inetOrgPerson");
	arena_fini(&arena);
}

struct naming_case {
	const char *before, *dn, *after;	/* NULL: HB_ENAMING */
};

static const struct naming_case naming_cases[] = {
	{ "sn=b", "cn=A", "sn=b cn=A" },
	{ "cn=a sn=b", "cn=A", "cn=a sn=b" },
	{ "cn=b", "cn=A+uid=X,dc=x", "cn=b|A uid=X" },
	{ "c=DE", "c=FR", NULL },
	{ "c=DE", "c=de", "c=DE" },
	{ "cn=b", "", "cn=b" },
};

static void
naming(void **state)
{
	const struct naming_case *c;
	struct arena arena;
	struct attrs as;
	struct buf buf;
	struct dn dn;
	unsigned i;
	int rc;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	for (i = 0; i < sizeof(naming_cases) / sizeof(*naming_cases); i++) {
		c = &naming_cases[i];
		take_attrs(&arena, c->before, &as);
		dn = sample_dn(&arena, schema, c->dn);
		rc = entry_add_naming(&arena, schema, &dn, &as, NULL);
		assert_int_equal(rc, c->after == NULL ? HB_ENAMING : HB_OK);
		if (c->after == NULL)
			continue;
		buf_reset(&buf);
		show(&as, &buf);
		assert_slice_is(buf_slice(&buf), c->after);
	}
	buf_fini(&buf);
	arena_fini(&arena);
}

struct rename_case {
	const char *before, *from, *to;
	bool delete_old;
	const char *after;
};

static const struct rename_case rename_cases[] = {
	{ "cn=a sn=b", "cn=a", "cn=c", true, "sn=b cn=c" },
	{ "cn=a sn=b", "cn=a", "cn=c", false, "cn=a|c sn=b" },
	{ "cn=a|x sn=b", "cn=a", "cn=A", true, "cn=x|A sn=b" },
	{ "cn=a|x sn=b", "cn=a", "cn=A", false, "cn=a|x sn=b" },
	{ "cn=a|x sn=b", "cn=a", "cn=x", true, "cn=x sn=b" },
	{ "cn=a uid=u", "cn=a+uid=u", "cn=q", true, "cn=q" },
	{ "c=DE cn=a", "c=DE", "c=FR", true, "cn=a c=FR" },
	{ "c=DE cn=a", "c=DE", "c=FR", false, NULL },
};

static void
rename_entry(void **state)
{
	const struct rename_case *c;
	struct arena arena;
	struct attrs as;
	struct dn from, to;
	struct buf buf;
	unsigned i;
	int rc;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	for (i = 0; i < sizeof(rename_cases) / sizeof(*rename_cases); i++) {
		c = &rename_cases[i];
		take_attrs(&arena, c->before, &as);
		from = sample_dn(&arena, schema, c->from);
		to = sample_dn(&arena, schema, c->to);
		rc = entry_rename(&arena, schema, &as, &from, &to,
		    c->delete_old, NULL);
		assert_int_equal(rc, c->after == NULL ? HB_ENAMING : HB_OK);
		if (c->after == NULL)
			continue;
		buf_reset(&buf);
		show(&as, &buf);
		assert_slice_is(buf_slice(&buf), c->after);
	}
	buf_fini(&buf);
	arena_fini(&arena);
}

static void
stamp(void **state)
{
	static const char *const order[] = {
		"cn", "entryUUID", "creatorsName", "createTimestamp",
		"entryCSN", "modifiersName", "modifyTimestamp"
	};
	struct entry_stamp st = {
		.csn = SLICE("20260102030405.000001Z#000000#000#000000"),
		.time = SLICE("20260102030405Z"),
	};
	struct attrs as, as2;
	struct arena arena;
	struct mod mods[3];
	struct slice uuid;
	unsigned i;

	(void)state;
	arena_init(&arena, 0);
	st.who = sample_dn(&arena, schema, "cn=Me");
	take_attrs(&arena, "cn=a", &as);
	assert_int_equal(entry_stamp_add(&arena, schema, &as, &st), HB_OK);
	assert_int_equal(as.n, 7);
	for (i = 0; i < 7; i++)
		assert_slice_is(as.v[i].desc->name, order[i]);
	uuid = as.v[1].values[0];
	assert_int_equal(uuid.len, 36);
	assert_true(uuid.ptr[14] == '4' && uuid.ptr[8] == '-');
	assert_slice_is(as.v[2].values[0], "cn=Me");
	assert_slice_is(as.v[2].norms[0], "cn=me");
	st.time = SLICE("20270102030405Z");
	st.who = DN_EMPTY;
	take_attrs(&arena, "cn=a", &as2);
	assert_int_equal(entry_stamp_add(&arena, schema, &as2, &st), HB_OK);
	assert_false(slice_is_eq(uuid, as2.v[1].values[0]));
	/* what is there stays */
	assert_int_equal(entry_stamp_add(&arena, schema, &as, &st), HB_OK);
	assert_slice_is(as.v[3].values[0], "20260102030405Z");
	assert_int_equal(entry_stamp_mods(&arena, schema, &st, mods), HB_OK);
	assert_int_equal(attrs_modify(&arena, schema, &as, mods, 3, NULL),
	    HB_OK);
	assert_int_equal(as.n, 7);
	assert_slice_is(as.v[3].values[0], "20260102030405Z");
	assert_slice_is(as.v[6].values[0], "20270102030405Z");
	assert_slice_is(as.v[5].values[0], "cn=anonymous");
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check),
		cmocka_unit_test(naming),
		cmocka_unit_test(rename_entry),
		cmocka_unit_test(stamp),
	};
	int rc;

	schema = sample_schema();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	schema_free(&schema);
	return rc;
}
