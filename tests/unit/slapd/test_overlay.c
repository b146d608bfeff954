/* Overlays around operations: order, refusal, replies, configuration. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "servers/slapd/overlay.h"
#include "servers/slapd/registry.h"
#include "util/mem.h"

#define CONTROL		"1.2.3.4.5"
#define EXOP		"1.2.3.4.6"
#define NOTE_TYPE	"( 1.2.3.4.7 NAME 'traceNote' EQUALITY caseIgnoreMatch " \
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 USAGE directoryOperation " \
	"NO-USER-MODIFICATION )"

/* ---- an overlay that notes what it is called for, by its argument ---- */

struct trace_conf {
	char *tag;
	bool refuse, answer, wait, skip, mark, late, look;
};

/* One operation runs at a time; the pool's threads are drained before it is read. */
static char trace[1024];
static atomic_uint ticks, opened, closed;

static struct trace_conf *
conf_of(const struct overlay *o)
{
	return o->conf;
}

static void
say(const struct overlay *o, const char *what)
{
	size_t n = strlen(trace);

	snprintf(trace + n, sizeof(trace) - n, "%s%s%s", n > 0 ? " " : "",
	    conf_of(o)->tag, what);
}

static int
trace_args(struct overlay *o, unsigned n, char **args, struct diag *diag)
{
	if (n != 1)
		return diag_err(diag, HB_EINVAL, "trace needs one word");
	conf_of(o)->tag = args[0];
	return HB_OK;
}

static int
trace_check(struct overlay *o, struct diag *diag)
{
	/* what the overlay defines is there */
	assert_non_null(schema_find_type(o->db->schema, SLICE("traceNote")));
	return strcmp(conf_of(o)->tag, "bad") == 0 ? diag_err(diag, HB_EINVAL,
	    "bad trace") : HB_OK;
}

static int
trace_open(struct overlay *o, struct diag *diag)
{
	(void)diag;
	o->priv = conf_of(o)->tag;
	atomic_fetch_add(&opened, 1);
	return HB_OK;
}

static void
trace_close(struct overlay *o)
{
	assert_ptr_equal(o->priv, conf_of(o)->tag);
	atomic_fetch_add(&closed, 1);
}

static int
trace_before(struct overlay *o, struct op *op)
{
	void **data = overlay_op_data(o, op);

	assert_non_null(data);
	assert_null(*data);
	*data = o;
	if (conf_of(o)->wait && !op->may_wait)
		return HB_EDEFER;
	say(o, "<");
	if (conf_of(o)->refuse)
		return diag_err(&op->diag, HB_EUNWILLING, "not with me");
	return conf_of(o)->answer ? HB_OK : OVERLAY_CONTINUE;
}

static int
trace_in_txn(struct overlay *o, struct be_txn *txn)
{
	struct dn base = txn->op->dn;
	struct entry *e;

	say(o, "t");
	assert_non_null(txn->before);
	/* the database must not be asked past the transaction */
	assert_int_equal(overlay_delete(txn->op, &base), HB_EUNWILLING);
	assert_int_equal(overlay_search(txn->op, &base, LDAP_SCOPE_BASE, NULL,
	    NULL, NULL), HB_EUNWILLING);
	diag_clear(&txn->op->diag);
	assert_int_equal(overlay_entry_get(txn->op, &base, &e), HB_OK);
	entry_unref(&e);
	return HB_OK;
}

/* A value more. */
static int
mark(struct op *op, struct entry **e)
{
	const struct attr_desc *desc;
	struct attrs attrs;
	struct entry *new;
	int rc;

	if ((rc = schema_desc(op->schema, SLICE("traceNote"), &desc, NULL)) !=
	    HB_OK || (rc = entry_edit(op->arena, *e, &attrs)) != HB_OK ||
	    (rc = attrs_set(op->arena, &attrs, desc, SLICE("marked"),
	    SLICE("marked"))) != HB_OK ||
	    (rc = overlay_entry_new(op, *e, &attrs, &new)) != HB_OK)
		return rc;
	entry_unref(e);
	*e = new;
	return HB_OK;
}

static int
trace_on_entry(struct overlay *o, struct op *op, struct entry **e)
{
	say(o, "e");
	if (conf_of(o)->skip)
		return OVERLAY_SKIP;
	return conf_of(o)->mark ? mark(op, e) : HB_OK;
}

static int
count_entry(struct entry *e, void *arg)
{
	(void)e;
	++*(unsigned *)arg;
	return HB_OK;
}

/* The entry by name and by search, past overlays. */
static void
look(struct op *op)
{
	struct ldap_filter raw = { .type = LDAP_FILTER_PRESENT,
	    .attr = SLICE("objectClass") };
	struct dn dn;
	struct filter *f;
	struct entry *e;
	unsigned n = 0;

	assert_int_equal(dn_parse(op->arena, op->schema, SLICE(ANN), &dn,
	    NULL), HB_OK);
	assert_int_equal(overlay_entry_get(op, &dn, &e), HB_OK);
	entry_unref(&e);
	assert_int_equal(filter_resolve(op->arena, op->schema, &raw, &f),
	    HB_OK);
	assert_int_equal(overlay_search(op, &dn, LDAP_SCOPE_SUB, f,
	    count_entry, &n), HB_OK);
	assert_int_equal(n, 1);
	assert_int_equal(dn_parse(op->arena, op->schema, SLICE("dc=none"),
	    &dn, NULL), HB_OK);
	assert_int_equal(overlay_entry_get(op, &dn, &e), HB_ENOENT);
	assert_null(e);
	assert_int_equal(overlay_delete(op, &dn), op->may_wait ? HB_ENOENT :
	    HB_EDEFER);
}

static int
trace_after(struct overlay *o, struct op *op, int rc)
{
	void **data = overlay_op_data(o, op);

	if ((op->flags & OP_INTERNAL) == 0)
		assert_ptr_equal(*data, o);
	say(o, rc == HB_OK ? ">" : "!");
	if (conf_of(o)->look)
		look(op);
	if (op_control(op, CONTROL) != NULL)
		assert_int_equal(op_add_control(op, CONTROL, false,
		    SLICE("yes")), HB_OK);
	if (!conf_of(o)->late)
		return rc;
	op->code = LDAP_BUSY;
	return HB_EOTHER;
}

static unsigned
trace_tick(struct overlay *o, struct op *op)
{
	(void)o;
	assert_true(op->may_wait);
	atomic_fetch_add(&ticks, 1);
	return 1000;
}

static int
trace_exop(struct overlay *o, struct op *op, struct slice value,
    struct slice *oid_r, struct slice *value_r)
{
	(void)o;
	(void)op;
	(void)oid_r;
	(void)value;
	*value_r = SLICE("done");
	return HB_OK;
}

#define ROW(field)	CFG_BOOL(struct trace_conf, field, "trace-" #field, \
	"off", 0, CFG_HOT, "A test's.")

static const struct cfg_item trace_config[] = {
	ROW(refuse), ROW(answer), ROW(wait), ROW(skip), ROW(mark), ROW(late),
	ROW(look), CFG_END
};

static const char *const trace_types[] = { NOTE_TYPE, NULL };

static const struct overlay_control trace_controls[] = {
	{ CONTROL, 1u << OP_SEARCH, false }, { NULL, 0, false }
};

static const struct overlay_exop trace_exops[] = {
	{ EXOP, trace_exop }, { NULL, NULL }
};

static const struct slapd_overlay trace_overlay = {
	.abi = SLAPD_OVERLAY_ABI, .name = "trace", .attr_types = trace_types,
	.conf_size = sizeof(struct trace_conf), .config = trace_config,
	.args = trace_args, .conf_check = trace_check, .open = trace_open,
	.close = trace_close, .tick = trace_tick, .before = trace_before,
	.in_txn = trace_in_txn, .on_entry = trace_on_entry,
	.after = trace_after, .controls = trace_controls,
	.exops = trace_exops
};

static const struct slapd_overlay once_overlay = {
	.abi = SLAPD_OVERLAY_ABI, .name = "once",
	.flags = OVERLAY_ONCE | OVERLAY_NO_GLOBAL
};

static const struct slapd_overlay global_overlay = {
	.abi = SLAPD_OVERLAY_ABI, .name = "world",
	.flags = OVERLAY_NO_DATABASE
};

static const struct slapd_overlay old_overlay = {
	.abi = SLAPD_OVERLAY_ABI - 1, .name = "old"
};

/* ---- operations ---- */

static struct world *
begin(const char *global, const char *lines)
{
	void *state;
	struct diag diag = DIAG_INIT;
	struct world *w;

	world_global = global;
	world_lines = lines;
	world_open(&state);
	w = state;
	if (overlays_open(w->conf, &diag) != HB_OK)
		fail_msg("%s", diag.text);
	trace[0] = '\0';
	return w;
}

static void
end(struct world *w)
{
	void *state = w;

	overlays_close(w->conf);
	world_close(&state);
	world_global = world_lines = NULL;
}

#define GLOBAL	"overlay trace g1\noverlay trace g2\n"
#define LOCAL	"overlay trace d1\noverlay trace d2\n"

static void
test_order(void **state)
{
	struct world *w = begin(GLOBAL, LOCAL);

	(void)state;
	put_search(&w->wire.in, 1, "*");
	serve(w);
	expect(w, 1, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 1, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	assert_string_equal(trace, "g2< g1< d2< d1< d1e d2e g1e g2e "
	    "d1> d2> g1> g2>");
	trace[0] = '\0';
	put_bind(&w->wire.in, 2, ANN, "wrong");
	serve(w);
	expect(w, 2, LDAP_TAG_BIND_RESPONSE, LDAP_INVALID_CREDENTIALS);
	assert_string_equal(trace, "g2< g1< d2< d1< d1! d2! g1! g2!");
	put_bind(&w->wire.in, 3, ANN, "secret");
	serve(w);
	expect(w, 3, LDAP_TAG_BIND_RESPONSE, LDAP_SUCCESS);
	trace[0] = '\0';
	put_delete(&w->wire.in, 4, ANN);
	settle(w);
	expect(w, 4, LDAP_TAG_DEL_RESPONSE, LDAP_SUCCESS);
	assert_string_equal(trace, "g2< g1< d2< d1< g2t g1t d2t d1t "
	    "d1> d2> g1> g2>");
	end(w);
}

/* Options go to the overlay above them. */
static const struct {
	const char *lines, *trace;
	int code;
	unsigned nentries;
} cases[] = {
	{ "overlay trace a\noverlay trace b\ntrace-refuse on\n", "g< b< g!",
	    LDAP_UNWILLING_TO_PERFORM, 0 },
	{ "overlay trace a\ntrace-refuse on\noverlay trace b\n",
	    "g< b< a< b! g!", LDAP_UNWILLING_TO_PERFORM, 0 },
	{ "overlay trace a\noverlay trace b\ntrace-answer on\n", "g< b< g>",
	    LDAP_SUCCESS, 0 },
	{ "overlay trace a\ntrace-skip on\noverlay trace b\n",
	    "g< b< a< ae a> b> g>", LDAP_SUCCESS, 0 },
	{ "overlay trace a\ntrace-late on\noverlay trace b\n",
	    "g< b< a< ae be ge a> b! g!", LDAP_BUSY, 1 },
	{ "overlay trace a\ntrace-look on\noverlay trace b\n",
	    "g< b< a< ae be ge a> b> g>", LDAP_SUCCESS, 1 },
	/* once in the loop, up to who must wait, and again in the pool */
	{ "overlay trace a\ntrace-wait on\ntrace-look on\n"
	    "overlay trace b\n", "g< b< g< b< a< ae be ge a> b> g>",
	    LDAP_SUCCESS, 1 },
};

static void
test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct world *w = begin("overlay trace g\n", cases[i].lines);

		put_search(&w->wire.in, 1, "*");
		settle(w);
		for (unsigned k = 0; k < cases[i].nentries; k++)
			expect(w, 1, LDAP_TAG_SEARCH_ENTRY, -1);
		expect(w, 1, LDAP_TAG_SEARCH_DONE, cases[i].code);
		expect_nothing(w);
		assert_string_equal(trace, cases[i].trace);
		end(w);
	}
}

static bool
has(const struct answer *a, const char *text)
{
	return memmem(a->body.ptr, a->body.len, text, strlen(text)) != NULL;
}

/* What is added is selected and guarded like what is stored. */
static void
test_computed(void **state)
{
	static const struct {
		const char *access, *attrs;
		bool shown;
	} rows[] = {
		{ "", "*", false },
		{ "", "+", true },
		{ "", "tracenote", true },
		{ "access to attrs=traceNote by * none\n"
		    "access to * by * read\n", "* +", false },
		{ "access to attrs=cn by * none\naccess to * by * read\n",
		    "* +", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *lines = mem_printf("%soverlay trace a\ntrace-mark on\n",
		    rows[i].access);
		struct world *w = begin(NULL, lines);
		struct answer a;

		put_search(&w->wire.in, 1, rows[i].attrs);
		serve(w);
		assert_true(next_answer(w, &a));
		assert_int_equal(a.tag, LDAP_TAG_SEARCH_ENTRY);
		assert_int_equal(has(&a, "marked"), rows[i].shown);
		expect(w, 1, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
		end(w);
		free(lines);
	}
}

static void
test_controls(void **state)
{
	struct world *w = begin(NULL, "overlay trace a\n");
	struct slice sent;

	(void)state;
	put_search_ctl(&w->wire.in, 1, "*", false, CONTROL, true, 1);
	serve(w);
	expect(w, 1, LDAP_TAG_SEARCH_ENTRY, -1);
	sent = buf_slice(&w->wire.out);
	assert_non_null(memmem(sent.ptr, sent.len, CONTROL, strlen(CONTROL)));
	assert_non_null(memmem(sent.ptr, sent.len, "yes", 3));
	expect(w, 1, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	put_search_ctl(&w->wire.in, 2, "*", false, "1.2.3.4.9", true, 1);
	serve(w);
	expect(w, 2, LDAP_TAG_SEARCH_DONE,
	    LDAP_UNAVAILABLE_CRITICAL_EXTENSION);
	end(w);
	/* another database has it */
	w = begin("database test\nsuffix dc=other\noverlay trace a\n", NULL);
	put_search_ctl(&w->wire.in, 1, "*", false, CONTROL, true, 1);
	put_search_ctl(&w->wire.in, 2, "*", false, CONTROL, false, 1);
	serve(w);
	expect(w, 1, LDAP_TAG_SEARCH_DONE,
	    LDAP_UNAVAILABLE_CRITICAL_EXTENSION);
	expect(w, 2, LDAP_TAG_SEARCH_ENTRY, -1);
	expect(w, 2, LDAP_TAG_SEARCH_DONE, LDAP_SUCCESS);
	assert_string_equal(trace, "");
	end(w);
}

static void
test_extended(void **state)
{
	struct world *w = begin(NULL, LOCAL);
	struct answer a;

	(void)state;
	put_extended(&w->wire.in, 1, EXOP);
	serve(w);
	assert_true(next_answer(w, &a));
	assert_int_equal(a.tag, LDAP_TAG_EXTENDED_RESPONSE);
	assert_int_equal(a.code, LDAP_SUCCESS);
	assert_true(has(&a, "done"));
	put_extended(&w->wire.in, 2, "1.2.3");
	serve(w);
	expect(w, 2, LDAP_TAG_EXTENDED_RESPONSE, LDAP_PROTOCOL_ERROR);
	end(w);
}

static void
test_ticks(void **state)
{
	struct world *w = begin(NULL, LOCAL);
	struct diag diag = DIAG_INIT;
	struct ticker *t;

	(void)state;
	atomic_store(&ticks, 0);
	assert_int_equal(ticker_start(&w->srv, &t, &diag), HB_OK);
	assert_non_null(t);
	while (atomic_load(&ticks) < 2)
		sched_yield();
	ticker_stop(&t);
	assert_null(t);
	ticker_stop(&t);
	assert_int_equal(atomic_load(&ticks), 2);
	end(w);
	w = begin(NULL, "overlay once\n");
	assert_int_equal(ticker_start(&w->srv, &t, &diag), HB_OK);
	assert_null(t);
	end(w);
}

static void
test_open_close(void **state)
{
	struct world *w;

	(void)state;
	atomic_store(&opened, 0);
	atomic_store(&closed, 0);
	w = begin(GLOBAL, LOCAL);
	assert_int_equal(atomic_load(&opened), 4);
	end(w);
	assert_int_equal(atomic_load(&closed), 4);
	/* nothing costs anything without */
	w = begin(NULL, NULL);
	assert_null(w->conf->frontend->overlays);
	assert_null(w->conf->dbs[1]->overlays);
	end(w);
}

/* ---- configuration ---- */

#define DB	"database test\nsuffix dc=x\n"

static const struct {
	const char *text;
	unsigned line;			/* 0: it is right */
	const char *error;
} conf_cases[] = {
	{ "overlay trace a\n" DB "overlay trace b\ntrace-skip\n", 0, NULL },
	/* the row of a global overlay, from within a database */
	{ "overlay trace a\n" DB "trace-skip on\n", 0, NULL },
	{ "database frontend\noverlay trace a\n" DB, 0, NULL },
	{ DB "overlay -nonsense\n", 0, NULL },
	{ DB "overlay -trace a\n", 0, NULL },
	{ DB "access to attrs=traceNote by * read\noverlay once\n", 0, NULL },
	{ DB "overlay trace\n", 3, "trace needs one word" },
	{ DB "overlay\n", 3, "missing" },
	{ DB "overlay trace bad\n", 3, "bad trace" },
	{ DB "overlay once x\n", 3, "extra cruft" },
	{ DB "overlay once\noverlay once\n", 4, "there already (line 3)" },
	{ "overlay once\n" DB, 1, "cannot be global" },
	{ DB "overlay world\n", 3, "before any database" },
	{ DB "overlay nonsense\n", 3, "unknown overlay \"nonsense\"" },
	{ DB "overlay ppolicy\n", 3, "<overlay ppolicy> is not supported yet" },
	{ DB "trace-skip on\n", 3, "unknown directive" },
	{ DB "overlay trace a\ntrace-skib on\n", 4, "\"trace-skip\"" },
	{ DB "overlay trace a\ntrace-skip maybe\n", 4, "trace-skip" },
	{ DB "overlay trace a\ndatabase test\nsuffix dc=y\ntrace-skip on\n", 6,
	    "unknown directive" },
};

static void
test_conf(void **state)
{
	char path[] = "/tmp/test_overlay.XXXXXX";

	(void)state;
	close(mkstemp(path));
	for (size_t i = 0; i < sizeof(conf_cases) / sizeof(*conf_cases); i++) {
		struct slapd_conf *conf;
		struct diag diag = DIAG_INIT;
		FILE *f = fopen(path, "w");
		int rc;

		fputs(conf_cases[i].text, f);
		fclose(f);
		rc = slapd_conf_read(path, &conf, &diag);
		if ((rc == HB_OK) != (conf_cases[i].line == 0) ||
		    diag.line != conf_cases[i].line || (rc != HB_OK &&
		    strstr(diag.text, conf_cases[i].error) == NULL))
			fail_msg("<%s>: line %u: %s", conf_cases[i].text,
			    diag.line, diag.text);
		slapd_conf_free(&conf);
	}
	unlink(path);
}

static void
test_register(void **state)
{
	(void)state;
	assert_int_equal(slapd_register_overlay(&old_overlay), HB_EVERSION);
	assert_int_equal(slapd_register_overlay(&trace_overlay),
	    HB_EDUPLICATE);
	assert_null(registry_find_overlay("old"));
	assert_ptr_equal(registry_find_overlay("TRACE"), &trace_overlay);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_computed),
		cmocka_unit_test(test_controls),
		cmocka_unit_test(test_extended),
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_open_close),
		cmocka_unit_test(test_conf),
		cmocka_unit_test(test_register),
	};

	registry_init();
	if (slapd_register_overlay(&trace_overlay) != HB_OK ||
	    slapd_register_overlay(&once_overlay) != HB_OK ||
	    slapd_register_overlay(&global_overlay) != HB_OK)
		return 1;
	return world_main(tests, sizeof(tests) / sizeof(*tests));
}
