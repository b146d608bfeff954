/*
 * What can be done with two canonical strings: no schema, no parsing. A ','
 * in them is always a separator.
 */
#include "dn.h"
#include "util/err.h"
#include "util/mem.h"

static struct slice
first_rdn(struct slice s)
{
	const char *c = s.len == 0 ? NULL : memchr(s.ptr, ',', s.len);

	return c == NULL ? s : slice(s.ptr, (size_t)(c - s.ptr));
}

static struct slice
after_rdn(struct slice s)
{
	size_t n = first_rdn(s).len;

	return slice_skip(s, n < s.len ? n + 1 : n);
}

struct dn
dn_rdn(const struct dn *dn)
{
	return (struct dn){ first_rdn(dn->text), first_rdn(dn->norm) };
}

struct dn
dn_parent(const struct dn *dn)
{
	return (struct dn){ after_rdn(dn->text), after_rdn(dn->norm) };
}

unsigned
dn_depth(const struct dn *dn)
{
	const char *c = dn->norm.ptr, *end = c + dn->norm.len;
	unsigned n = 1;

	if (dn->norm.len == 0)
		return 0;
	while ((c = memchr(c, ',', (size_t)(end - c))) != NULL) {
		n++;
		c++;
	}
	return n;
}

bool
dn_is_child(const struct dn *dn, const struct dn *base)
{
	return dn->norm.len > 0 && slice_is_eq(after_rdn(dn->norm), base->norm);
}

/* A, a ',' where both are there, B. */
static struct slice
join(char *out, struct slice a, struct slice b)
{
	size_t n = a.len;

	memcpy(out, a.ptr, a.len);
	if (a.len > 0 && b.len > 0)
		out[n++] = ',';
	if (b.len > 0)
		memcpy(out + n, b.ptr, b.len);
	n += b.len;
	out[n] = '\0';
	return slice(out, n);
}

int
dn_join(struct arena *arena, const struct dn *rdn, const struct dn *parent,
    struct dn *dn_r)
{
	size_t nt = rdn->text.len + parent->text.len + 2;
	size_t nn = rdn->norm.len + parent->norm.len + 2;
	char *out;

	if ((out = arena_alloc(arena, nt + nn)) == NULL)
		return HB_ELIMIT;
	*dn_r = (struct dn){
		join(out, rdn->text, parent->text),
		join(out + nt, rdn->norm, parent->norm)
	};
	return HB_OK;
}

/* S without its last N RDNs. */
static struct slice
cut_rdns(struct slice s, unsigned n)
{
	const char *c;

	for (; n > 0; n--) {
		if (s.len == 0 || (c = memrchr(s.ptr, ',', s.len)) == NULL)
			return slice(s.ptr, 0);
		s.len = (size_t)(c - s.ptr);
	}
	return s;
}

int
dn_rebase(struct arena *arena, const struct dn *dn, const struct dn *old_base,
    const struct dn *new_base, struct dn *dn_r)
{
	unsigned n = dn_depth(old_base);
	struct dn head = { cut_rdns(dn->text, n), cut_rdns(dn->norm, n) };

	return dn_join(arena, &head, new_base, dn_r);
}

void
dn_put_flat_key(struct buf *out, struct slice norm)
{
	const char *c;
	size_t n;

	buf_reserve(out, norm.len + 1);
	while (norm.len > 0) {
		c = memrchr(norm.ptr, ',', norm.len);
		n = c == NULL ? 0 : (size_t)(c - norm.ptr) + 1;
		buf_put(out, norm.ptr + n, norm.len - n);
		buf_put_char(out, '\0');
		norm.len = n == 0 ? 0 : n - 1;
	}
}

static struct dn
copy_to(char *out, const struct dn *dn)
{
	struct slice none = { "", 0 };

	return (struct dn){
		join(out, dn->text, none),
		join(out + dn->text.len + 1, dn->norm, none)
	};
}

struct dn
dn_copy(struct arena *arena, const struct dn *dn)
{
	char *out = arena_alloc(arena, dn->text.len + dn->norm.len + 2);

	if (out == NULL)
		return (struct dn){ SLICE_NONE, SLICE_NONE };
	return copy_to(out, dn);
}

struct dn
dn_dup(const struct dn *dn)
{
	return copy_to(mem_alloc(dn->text.len + dn->norm.len + 2), dn);
}
