#include "tests/unit/store/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/index.h"
#include "slapd/access.h"
#include "slapd/reply.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

unsigned denied_rights;
int (*overlay_hook)(struct be_txn *);

static const struct slapd_backend backend = {
	.name = "test", .txn = &store_txn_ops
};

static const char *const classes[] = {
	"( 1.1.1 NAME 'person' SUP top STRUCTURAL MUST ( cn ) MAY ( sn $ "
	"description $ uid $ seeAlso $ userPassword $ uidNumber ) )",
	"( 1.1.2 NAME 'organizationalUnit' SUP top STRUCTURAL MUST ou MAY "
	"description )",
	"( 1.1.3 NAME 'domain' SUP top STRUCTURAL MUST dc )",
};

static const char *const types[] = {
	"( 2.5.4.4 NAME 'sn' SUP name )",
	"( 2.5.4.11 NAME 'ou' SUP name )",
	"( 0.9.2342.19200300.100.1.1 NAME 'uid' EQUALITY caseIgnoreMatch "
	"SUBSTR caseIgnoreSubstringsMatch "
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
	"( 0.9.2342.19200300.100.1.25 NAME 'dc' EQUALITY caseIgnoreIA5Match "
	"SUBSTR caseIgnoreIA5SubstringsMatch "
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )",
};

static struct schema *
make_schema(void)
{
	struct schema *s = schema_new();
	struct diag diag = DIAG_INIT;
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (schema_add_attr_type(s, slice_of(types[i]), "test", 1,
		    NULL, &diag) != HB_OK)
			fail_msg("%s", diag.text);
	}
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (schema_add_object_class(s, slice_of(classes[i]), "test", 1,
		    NULL, &diag) != HB_OK)
			fail_msg("%s", diag.text);
	}
	schema_freeze(s);
	return s;
}

struct dn
dn_of(struct fixture *f, struct arena *arena, const char *text)
{
	struct diag diag = DIAG_INIT;
	struct dn dn;

	if (dn_parse(arena, f->schema, slice_of(text), &dn, &diag) != HB_OK)
		fail_msg("%s: %s", text, diag.text);
	return dn;
}

static int
index_line(const struct cfg_line *line, void *arg, struct diag *diag)
{
	struct fixture *f = arg;

	return index_conf_parse(&f->conf, line, &f->db, diag);
}

struct fixture *
fixture_new(const struct dnidx_ops *names, const char *indexes)
{
	static bool once;
	struct fixture *f = mem_zalloc(sizeof(*f));
	struct diag diag = DIAG_INIT;

	if (!once) {
		dn_init();
		atomic_store(&log_debug_mask, getenv("TEST_LOG") ? 1 : 0);
	}
	once = true;
	snprintf(f->dir, sizeof(f->dir), "/tmp/hornbeam-test.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	arena_init(&f->arena, 0);
	f->schema = make_schema();
	f->names = names;
	cfg_defaults(store_cfg, &f->conf);
	free(f->conf.directory);
	f->conf.directory = mem_strdup(f->dir);
	f->conf.mode = 0600;
	f->conf.cachesize = 10000;
	f->suffix = dn_of(f, &f->arena, SUFFIX);
	f->db.be = &backend;
	f->db.suffixes = &f->suffix;
	f->db.nsuffixes = 1;
	f->db.schema = f->schema;
	f->db.conf = &f->conf;
	f->db.max_deref_depth = 15;
	if (indexes != NULL && cfg_read_memory(slice_of(indexes), "test", NULL,
	    index_line, f, &diag) != HB_OK)
		fail_msg("%s", diag.text);
	return f;
}

void
fixture_free(struct fixture **fixture)
{
	struct fixture *f = *fixture;
	char *cmd;

	fixture_close(f);
	cmd = mem_printf("rm -rf '%s'", f->dir);
	assert_int_equal(system(cmd), 0);
	free(cmd);
	cfg_fini(store_cfg, &f->conf);
	store_conf_free(&f->db);
	schema_free(&f->schema);
	arena_fini(&f->arena);
	free(f);
	*fixture = NULL;
}

void
fixture_open(struct fixture *f)
{
	struct diag diag = DIAG_INIT;

	if (store_open_as(&f->db, f->names, STORE_SERVER, TEST_CACHE, &diag) !=
	    HB_OK)
		fail_msg("%s", diag.text);
}

void
fixture_close(struct fixture *f)
{
	store_close(&f->db);
}

/* ---- one operation ---- */

static const struct identity nobody;

void
call_init(struct call *c, struct fixture *f, enum op_kind kind, const char *dn)
{
	memset(c, 0, sizeof(*c));
	arena_init(&c->arena, 0);
	c->op.kind = kind;
	c->op.is_root = true;
	c->op.may_wait = true;
	c->op.arena = &c->arena;
	c->op.schema = f->schema;
	c->op.db = &f->db;
	c->op.who = &nobody;
	c->op.dn = dn_of(f, &c->arena, dn);
	c->op.frontend = c;
	c->op.req.search.unchecked_limit = -1;
}

void
call_fini(struct call *c)
{
	for (unsigned i = 0; i < c->nsent; i++)
		free(c->sent[i]);
	free(c->sent);
	free(c->values);
	arena_fini(&c->arena);
}

const char *
call_sent(struct call *c)
{
	struct buf b;
	const char *s;

	buf_init(&b);
	for (unsigned i = 0; i < c->nsent; i++) {
		if (i > 0)
			buf_put_char(&b, '|');
		buf_put_str(&b, c->sent[i]);
	}
	buf_put_char(&b, '\0');
	s = arena_strdup(&c->arena, b.data);
	buf_fini(&b);
	return s;
}

static const struct attr_desc *
desc_of(struct fixture *f, const char *name, size_t len)
{
	const struct attr_desc *d;
	struct diag diag = DIAG_INIT;

	if (schema_desc(f->schema, slice(name, len), &d, &diag) != HB_OK)
		fail_msg("%s", diag.text);
	return d;
}

static void
parse_attr(struct fixture *f, struct arena *arena, const char *line,
    size_t len, struct attr *a_r)
{
	const char *colon = memchr(line, ':', len);
	struct diag diag = DIAG_INIT;
	struct slice *v = arena_zalloc(arena, sizeof(*v));
	const struct attr_desc *d;
	size_t n = colon == NULL ? len : (size_t)(colon - line);

	d = desc_of(f, line, n);
	memset(a_r, 0, sizeof(*a_r));
	a_r->desc = d;
	if (colon == NULL)
		return;
	*v = arena_slice(arena, slice(colon + 2, len - n - 2));
	if (attr_make(arena, f->schema, d, v, 1, a_r, &diag) != HB_OK)
		fail_msg("%.*s: %s", (int)len, line, diag.text);
}

int
do_add(struct fixture *f, const char *dn, const char *text)
{
	struct attrs *attrs;
	struct call c;
	int rc;

	call_init(&c, f, OP_ADD, dn);
	attrs = &c.op.req.add.attrs;
	for (const char *p = text; *p != '\0'; ) {
		size_t n = strcspn(p, "\n");
		struct attr a;

		parse_attr(f, &c.arena, p, n, &a);
		assert_int_equal(attrs_add(&c.arena, attrs, &a), HB_OK);
		p += n + (p[n] == '\n');
	}
	if (entry_add_naming(&c.arena, f->schema, &c.op.dn, attrs,
	    &c.op.diag) != HB_OK || entry_check(&c.arena, f->schema, &c.op.dn,
	    attrs, 0, &c.op.diag) != HB_OK)
		fail_msg("%s: %s", dn, c.op.diag.text);
	rc = store_op_add(&f->db, &c.op);
	call_fini(&c);
	return rc;
}

int
do_delete(struct fixture *f, const char *dn)
{
	struct call c;
	int rc;

	call_init(&c, f, OP_DELETE, dn);
	rc = store_op_delete(&f->db, &c.op);
	call_fini(&c);
	return rc;
}

int
do_modify(struct fixture *f, const char *dn, const char *text)
{
	size_t n = strcspn(text, " ");
	struct attr a;
	struct call c;
	struct mod m = { 0 };
	int rc;

	call_init(&c, f, OP_MODIFY, dn);
	parse_attr(f, &c.arena, text + n + 1, strlen(text + n + 1), &a);
	m.type = text[0] == 'a' ? MOD_ADD : text[0] == 'd' ? MOD_DELETE :
	    MOD_REPLACE;
	m.desc = a.desc;
	m.values = a.values;
	m.norms = a.norms;
	m.n = a.n;
	c.op.req.modify.mods = &m;
	c.op.req.modify.nmods = 1;
	rc = store_op_modify(&f->db, &c.op);
	call_fini(&c);
	return rc;
}

int
do_rename(struct fixture *f, const char *dn, const char *rdn,
    const char *superior)
{
	struct op_modrdn *req;
	struct dn up;
	struct call c;
	int rc;

	call_init(&c, f, OP_MODRDN, dn);
	req = &c.op.req.modrdn;
	assert_int_equal(dn_parse_rdn(&c.arena, f->schema, slice_of(rdn),
	    &req->new_rdn, NULL), HB_OK);
	req->delete_old = true;
	up = dn_parent(&c.op.dn);
	if (superior != NULL) {
		req->has_superior = true;
		req->new_superior = up = dn_of(f, &c.arena, superior);
	}
	assert_int_equal(dn_join(&c.arena, &req->new_rdn, &up, &req->new_dn),
	    HB_OK);
	rc = store_op_modrdn(&f->db, &c.op);
	call_fini(&c);
	return rc;
}

int
run_search(struct fixture *f, struct call *c, enum ldap_scope scope,
    const char *filter)
{
	struct ldap_filter *raw;
	struct filter *resolved;
	struct diag diag = DIAG_INIT;

	if (filter_parse(&c->arena, slice_of(filter), &raw, &diag) != HB_OK)
		fail_msg("%s: %s", filter, diag.text);
	assert_int_equal(filter_resolve(&c->arena, f->schema, raw, &resolved),
	    HB_OK);
	c->op.req.search.filter = resolved;
	c->op.req.search.scope = scope;
	c->op.req.search.base = c->op.dn;
	return store_op_search(&f->db, &c->op);
}

char *
do_search(struct fixture *f, const char *base, enum ldap_scope scope,
    const char *filter, unsigned flags)
{
	struct call c;
	char *found;
	int rc;

	call_init(&c, f, OP_SEARCH, base);
	c.op.flags = flags;
	rc = run_search(f, &c, scope, filter);
	found = rc == HB_OK ? mem_strdup(call_sent(&c)) :
	    mem_printf("!%s", hb_errname(rc));
	call_fini(&c);
	return found;
}

void
fill(struct fixture *f, unsigned npeople)
{
	assert_int_equal(do_add(f, SUFFIX, "objectClass: domain"), HB_OK);
	assert_int_equal(do_add(f, "ou=People," SUFFIX,
	    "objectClass: organizationalUnit"), HB_OK);
	assert_int_equal(do_add(f, "ou=Other," SUFFIX,
	    "objectClass: organizationalUnit"), HB_OK);
	for (unsigned i = 0; i < npeople; i++) {
		char *dn = mem_printf("uid=user.%u,ou=People," SUFFIX, i);
		char *attrs = mem_printf("objectClass: person\ncn: User %u\n"
		    "description: 0\n", i);

		assert_int_equal(do_add(f, dn, attrs), HB_OK);
		free(dn);
		free(attrs);
	}
}

#ifdef __SANITIZE_THREAD__
/* Berkeley DB is not built for the sanitizer: its locks, some of them
 * assembly, and its shared memory are its own business. */
const char *__tsan_default_suppressions(void);

__attribute__((visibility("default"))) const char *
__tsan_default_suppressions(void)
{
	return "called_from_lib:libdb-5.3.so\ndeadlock:libdb-5.3.so\n"
	    "mutex:libdb-5.3.so\n";
}
#endif

/* ---- what the frontend does ---- */

void
overlays_on(struct fixture *f)
{
	static struct overlay *none;

	f->db.overlays = &none;
}

int
overlays_in_txn(struct be_txn *txn)
{
	return overlay_hook != NULL ? overlay_hook(txn) : HB_OK;
}

static void
note_sent(struct call *c, const struct entry *e)
{
	struct slice s = e->dn.text;
	size_t cut = sizeof("," SUFFIX) - 1;

	if (s.len > cut && strcmp(s.ptr + s.len - cut, "," SUFFIX) == 0)
		s.len -= cut;
	c->sent = mem_realloc(c->sent, (c->nsent + 1) * sizeof(*c->sent));
	c->sent[c->nsent++] = mem_slicedup(s);
}

int
reply_entry(struct op *op, struct entry *e)
{
	struct call *c = op->frontend;
	struct slice v;

	if (c->size_limit != 0 && c->nsent == c->size_limit)
		return HB_ESIZELIMIT;
	note_sent(c, e);
	v = entry_value(e, schema_builtin(op->schema, "description"));
	free(c->values);
	c->values = slice_is_none(v) ? NULL : mem_slicedup(v);
	return HB_OK;
}

int
reply_reference(struct op *op, const struct entry *e)
{
	struct call *c = op->frontend;

	(void)e;
	c->nrefs++;
	return HB_OK;
}

int
reply_referral(struct op *op, const struct entry *e, const struct dn *target)
{
	(void)target;
	op->matched = arena_slice(op->arena, e->dn.text);
	return HB_REFERRAL;
}

bool
access_is_allowed(struct op *op, const struct entry *e,
    const struct attr_desc *desc, struct slice value, struct slice vnorm,
    unsigned right)
{
	(void)e;
	(void)desc;
	(void)value;
	(void)vnorm;
	return op->is_root || (denied_rights & right) == 0;
}

bool
access_filter(void *arg, const struct entry *e, const struct attr_desc *desc)
{
	return access_is_allowed(arg, e, desc, SLICE_NONE, SLICE_NONE,
	    ACCESS_SEARCH);
}

int
access_refuse(struct op *op, const struct entry *e)
{
	(void)op;
	(void)e;
	return HB_EACCESS;
}

int
access_hide(struct op *op, const struct entry *e, int rc)
{
	(void)op;
	(void)e;
	return rc;
}

const struct attr_desc *
access_entry_desc(const struct op *op)
{
	return schema_builtin(op->schema, "objectClass");
}

const struct attr_desc *
access_children_desc(const struct op *op)
{
	return schema_builtin(op->schema, "objectClass");
}

int
access_check_add(struct op *op, const struct entry *e)
{
	(void)op;
	(void)e;
	return HB_OK;
}

int
access_check_mods(struct op *op, const struct entry *e,
    const struct mod *mods, unsigned n)
{
	(void)mods;
	(void)n;
	return access_is_allowed(op, e, NULL, SLICE_NONE, SLICE_NONE,
	    ACCESS_WRITE) ? HB_OK : HB_EACCESS;
}

int
op_go_on(struct op *op)
{
	if (op_is_stopped(op))
		return HB_EABANDONED;
	return op->kind == OP_SEARCH && op->req.search.deadline_us != 0 &&
	    time_mono_us() > op->req.search.deadline_us ? HB_ETIMELIMIT :
	    HB_OK;
}

int
op_bind_entry(struct op *op, const struct entry *e)
{
	return entry_has_norm(e, schema_builtin(op->schema, "userPassword"),
	    op->req.bind.password) ? HB_OK : HB_ECREDENTIALS;
}
