/*
 * What all X.509 rules do: from a value or an assertion to the normal form,
 * and components of a SEQUENCE by tables.
 */
#include "x509.h"

static int
run(struct x509 *x, const struct x509_kind *kind, struct slice value)
{
	struct der d = der_reader(value, &x->in.rc);

	x->in.rc = HB_ESYNTAX;
	if (value.len > 0 && (uint8_t)value.ptr[0] == DER_SEQUENCE &&
	    der_is_strict(value)) {
		x->in.rc = HB_OK;
		kind->put(x, &d);
		der_end(&d);
	}
	/* "0$cn=ca" begins like DER does */
	if (x->in.rc == HB_ESYNTAX) {
		buf_reset(&x->out);
		gser_init(&x->in, x->in.arena, value);
		kind->read(x);
		gser_end(&x->in);
	}
	return x->in.rc;
}

int
x509_normalise(const struct schema *schema, struct arena *arena,
    const struct x509_kind *kind, struct slice value, struct slice *norm_r)
{
	struct x509 x = { .schema = schema, .in.arena = arena };
	int rc;

	buf_init(&x.out);
	rc = run(&x, kind, value);
	if (rc != HB_OK)
		goto out;
	*norm_r = value;
	if (!slice_is_eq(value, buf_slice(&x.out)))
		*norm_r = arena_slice(arena, buf_slice(&x.out));
	if (norm_r->ptr == NULL)
		rc = HB_ELIMIT;
out:
	buf_fini(&x.out);
	return rc;
}

int
x509_check(const struct schema *schema, const struct x509_kind *kind,
    struct slice value)
{
	struct arena arena;
	struct slice norm;
	int rc;

	arena_init(&arena, 0);
	rc = x509_normalise(schema, &arena, kind, value, &norm);
	arena_fini(&arena);
	return rc;
}

/* ---- components ---- */

struct span {
	size_t at, len;
};

static unsigned
find_row(const struct x509_component *rows, unsigned nrows, struct slice name)
{
	unsigned i;

	for (i = 0; i < nrows; i++)
		if (slice_is_eq_nocase(name, slice_of(rows[i].name)))
			break;
	return i;
}

void
x509_put_name_of(struct x509 *x, const char *name, bool first)
{
	buf_put_str(&x->out, first ? "{ " : ", ");
	buf_put_str(&x->out, name);
	buf_put_char(&x->out, ' ');
}

/* Put what was read, which begins at START, into the order of ROWS. */
static void
put_in_order(struct x509 *x, const struct x509_component *rows,
    unsigned nrows, const struct span *found, size_t start)
{
	struct slice parts;
	bool first = true;
	unsigned i;

	parts = arena_slice(x->in.arena, slice_skip(buf_slice(&x->out),
	    start));
	if (parts.ptr == NULL) {
		gser_fail(&x->in, HB_ELIMIT);
		return;
	}
	x->out.len = start;
	for (i = 0; i < nrows; i++) {
		if (found[i].len == 0)
			continue;
		x509_put_name_of(x, rows[i].name, first);
		buf_put(&x->out, parts.ptr + (found[i].at - start),
		    found[i].len);
		first = false;
	}
	buf_put_str(&x->out, first ? "{ }" : " }");
}

void
x509_read_components(struct x509 *x, const struct x509_component *rows,
    unsigned nrows)
{
	struct span found[X509_COMPONENTS_MAX] = { { 0, 0 } };
	size_t start = x->out.len;
	unsigned n, i;

	hb_assert(nrows <= X509_COMPONENTS_MAX);
	gser_open(&x->in);
	for (n = 0; gser_has_item(&x->in, n); n++) {
		i = find_row(rows, nrows, gser_name(&x->in));
		if (i == nrows || found[i].len > 0) {
			gser_fail(&x->in, HB_ESYNTAX);
			return;
		}
		found[i].at = x->out.len;
		rows[i].read(x);
		found[i].len = x->out.len - found[i].at;
	}
	for (i = 0; i < nrows; i++)
		if (rows[i].required && found[i].len == 0)
			gser_fail(&x->in, HB_ESYNTAX);
	if (x->in.rc == HB_OK)
		put_in_order(x, rows, nrows, found, start);
}

bool
x509_list_has(struct slice list, struct slice item)
{
	struct gser g;
	unsigned n;

	gser_init(&g, NULL, list);
	gser_open(&g);
	for (n = 0; gser_has_item(&g, n); n++)
		if (slice_is_eq(gser_value(&g), item))
			return true;
	return false;
}

/* Does normal form TEXT have a component NAME with this VALUE? */
static bool
has_component(struct slice text, struct slice name, struct slice value)
{
	struct slice one, stored;
	struct gser g;
	unsigned n;

	gser_init(&g, NULL, text);
	gser_open(&g);
	for (n = 0; gser_has_item(&g, n); n++) {
		one = gser_name(&g);
		stored = gser_value(&g);
		if (slice_is_eq(one, name))
			return slice_is_eq(stored, value) ||
			    x509_points_meet(stored, value);
	}
	return false;
}

/*
 * RFC 4523 3.3, 3.5: components that the assertion leaves out may be
 * anything in the stored value.
 */
bool
match_components(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	struct slice name, value;
	struct gser g;
	unsigned n;

	(void)schema;
	if (slice_is_eq(stored, asserted))
		return true;
	gser_init(&g, NULL, asserted);
	gser_open(&g);
	for (n = 0; gser_has_item(&g, n); n++) {
		name = gser_name(&g);
		value = gser_value(&g);
		if (g.rc != HB_OK || !has_component(stored, name, value))
			return false;
	}
	return g.rc == HB_OK;
}

bool
x509_match_components(struct x509 *x, const struct x509_component *rows,
    unsigned nrows, const void *stored, struct slice asserted)
{
	struct slice value;
	struct gser g;
	unsigned n, i;

	gser_init(&g, x->in.arena, asserted);
	gser_open(&g);
	for (n = 0; gser_has_item(&g, n); n++) {
		i = find_row(rows, nrows, gser_name(&g));
		value = gser_value(&g);
		if (g.rc != HB_OK || i == nrows)
			return false;
		buf_reset(&x->out);
		if (!rows[i].match(x, stored, value) || x->in.rc != HB_OK)
			return false;
	}
	return g.rc == HB_OK;
}

bool
x509_match(const struct schema *schema,
    bool (*match)(struct x509 *x, struct der *d, struct slice asserted),
    struct slice stored, struct slice asserted)
{
	struct x509 x = { .schema = schema, .in.rc = HB_OK };
	struct der d = der_reader(stored, &x.in.rc);
	struct arena arena;
	bool is_match;

	/* a value given as the assertion: nothing but itself */
	if (asserted.len == 0 || asserted.ptr[0] != '{')
		return slice_is_eq(stored, asserted);
	arena_init(&arena, 0);
	buf_init(&x.out);
	x.in.arena = &arena;
	is_match = match(&x, &d, asserted) && x.in.rc == HB_OK;
	buf_fini(&x.out);
	arena_fini(&arena);
	return is_match;
}
