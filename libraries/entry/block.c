/*
 * Blocks: encoded in two passes over the attributes (sizes, then octets), and
 * checked once when they come from a disk.
 */
#include "ber.h"
#include "block.h"
#include "entry.h"
#include "util/err.h"

/* ---- writing ---- */

struct block_size {
	size_t wire[2];			/* user, operational */
	size_t norms;
	unsigned n;
};

struct block_writer {
	char *block;			/* its start */
	char *row, *wire, *norm;	/* where the next goes */
};

static size_t
values_size(const struct attr *a)
{
	size_t n = 0;
	unsigned i;

	for (i = 0; i < a->n; i++)
		n += ber_header_size(a->values[i].len) + a->values[i].len;
	return n;
}

static size_t
attr_contents_size(const struct attr *a, size_t set)
{
	return ber_header_size(a->desc->name.len) + a->desc->name.len +
	    ber_header_size(set) + set;
}

/* Octets of the list of normal forms; 0 if they are the values. */
static size_t
norms_size(const struct attr *a)
{
	bool differ = false;
	size_t n = 0;
	unsigned i;

	for (i = 0; i < a->n; i++) {
		n += 4 + a->norms[i].len;
		differ |= a->norms[i].ptr != a->values[i].ptr ?
		    !slice_is_eq(a->norms[i], a->values[i]) :
		    a->norms[i].len != a->values[i].len;
	}
	return differ ? n : 0;
}

static int
measure(const struct attrs *as, struct block_size *size_r)
{
	struct block_size s = { { 0, 0 }, 0, 0 };
	size_t contents;
	unsigned i;

	for (i = 0; i < as->n; i++) {
		const struct attr *a = &as->v[i];

		if (a->n == 0)
			continue;
		contents = attr_contents_size(a, values_size(a));
		s.wire[attr_desc_is_operational(a->desc)] +=
		    ber_header_size(contents) + contents;
		s.norms += norms_size(a);
		s.n++;
	}
	*size_r = s;
	return s.n > BLOCK_ATTRS_MAX || s.wire[0] > UINT32_MAX / 4 ||
	    s.wire[1] > UINT32_MAX / 4 || s.norms > UINT32_MAX / 4 ?
	    HB_ELIMIT : HB_OK;
}

/* Tag and shortest length, as ber_put_header() but into room that is there. */
static char *
put_header(char *p, uint8_t tag, size_t len)
{
	size_t n = ber_header_size(len) - 2;

	*p++ = (char)tag;
	if (n == 0) {
		*p++ = (char)len;
		return p;
	}
	*p++ = (char)(0x80 | n);
	while (n-- > 0)
		*p++ = (char)(len >> (8 * n));
	return p;
}

static char *
put_octets(char *p, struct slice s)
{
	p = put_header(p, BER_OCTETS, s.len);
	if (s.len > 0)
		memcpy(p, s.ptr, s.len);
	return p + s.len;
}

static void
put_norms(struct block_writer *w, const struct attr *a)
{
	unsigned i;

	for (i = 0; i < a->n; i++) {
		block_put_u32(w->norm, a->norms[i].len);
		if (a->norms[i].len > 0)
			memcpy(w->norm + 4, a->norms[i].ptr, a->norms[i].len);
		w->norm += 4 + a->norms[i].len;
	}
}

static int
put_attr(struct block_writer *w, const struct attr *a,
    const struct attr_dict *dict)
{
	size_t set = values_size(a);
	uint32_t num = attr_dict_num(dict, a->desc);
	bool has_norms = norms_size(a) > 0;
	unsigned i;

	if (num == 0)
		return HB_EINVAL;
	block_put_u32(w->row + ROW_AT_NUM, num);
	block_put_u32(w->row + ROW_AT_WIRE, (size_t)(w->wire - w->block));
	block_put_u32(w->row + ROW_AT_NORM,
	    has_norms ? (size_t)(w->norm - w->block) : 0);
	block_put_u32(w->row + ROW_AT_NVALUES, a->n);
	w->row += BLOCK_ROW;
	w->wire = put_header(w->wire, BER_SEQUENCE,
	    attr_contents_size(a, set));
	w->wire = put_octets(w->wire, a->desc->name);
	w->wire = put_header(w->wire, BER_SET, set);
	for (i = 0; i < a->n; i++)
		w->wire = put_octets(w->wire, a->values[i]);
	if (has_norms)
		put_norms(w, a);
	return HB_OK;
}

int
entry_encode(const struct attrs *as, const struct attr_dict *dict,
    struct buf *out)
{
	struct block_writer w;
	struct block_size s;
	size_t wire, end, total;
	unsigned i, operational;
	int rc;

	if ((rc = measure(as, &s)) != HB_OK)
		return rc;
	wire = BLOCK_HEAD + (size_t)s.n * BLOCK_ROW;
	end = wire + s.wire[0] + s.wire[1];
	total = end + s.norms;
	buf_reserve(out, total);
	w.block = out->data + out->len;
	w.row = w.block + BLOCK_HEAD;
	w.wire = w.block + wire;
	w.norm = w.block + end;
	memset(w.block, 0, BLOCK_HEAD);
	w.block[0] = BLOCK_VERSION;
	w.block[BLOCK_AT_NATTRS] = (char)s.n;
	w.block[BLOCK_AT_NATTRS + 1] = (char)(s.n >> 8);
	block_put_u32(w.block + BLOCK_AT_LENGTH, total);
	block_put_u32(w.block + BLOCK_AT_WIRE, wire);
	block_put_u32(w.block + BLOCK_AT_OPERATIONAL, wire + s.wire[0]);
	block_put_u32(w.block + BLOCK_AT_END, end);
	for (operational = 0; operational < 2; operational++)
		for (i = 0; i < as->n; i++)
			if (as->v[i].n > 0 && operational ==
			    attr_desc_is_operational(as->v[i].desc) &&
			    (rc = put_attr(&w, &as->v[i], dict)) != HB_OK)
				return rc;
	out->len += total;
	return HB_OK;
}

/* ---- checking ---- */

/* Contents of the element of TAG at *P, which must end before END. */
static bool
check_tlv(const char **p, const char *end, uint8_t tag, struct slice *in_r)
{
	const uint8_t *b = (const uint8_t *)*p;
	size_t have = (size_t)(end - *p), k;

	if (have < 2 || b[0] != tag)
		return false;
	if (b[1] >= 0x80 && ((k = b[1] & 0x7f) == 0 || k > 4 || have < 2 + k))
		return false;
	*in_r = tlv_contents(*p);
	if (in_r->len > (size_t)(end - in_r->ptr))
		return false;
	*p = in_r->ptr + in_r->len;
	return true;
}

/* The PartialAttribute at *P with N values. */
static bool
check_element(const char **p, const char *end, uint32_t n)
{
	struct slice seq, in, set;
	const char *q;

	if (!check_tlv(p, end, BER_SEQUENCE, &seq))
		return false;
	q = seq.ptr;
	end = seq.ptr + seq.len;
	if (!check_tlv(&q, end, BER_OCTETS, &in) ||
	    !check_tlv(&q, end, BER_SET, &set) || q != end)
		return false;
	for (q = set.ptr; n > 0; n--)
		if (!check_tlv(&q, end, BER_OCTETS, &in))
			return false;
	return q == end;
}

static bool
check_norms(struct slice block, size_t at, uint32_t n)
{
	size_t len;

	for (; n > 0; n--) {
		if (at > block.len || block.len - at < 4)
			return false;
		len = block_u32(block.ptr + at);
		at += 4;
		if (block.len - at < len)
			return false;
		at += len;
	}
	return true;
}

int
entry_block_check(struct slice block, const struct attr_dict *dict)
{
	const char *b = block.ptr, *row, *p, *end;
	size_t wire, operational, wire_end, norm;
	unsigned i, n;
	bool boundary;

	if (block.len < BLOCK_HEAD)
		return HB_ECORRUPT;
	if (b[0] != BLOCK_VERSION || b[1] != 0)
		return HB_EVERSION;
	n = block_nattrs(b);
	wire = block_u32(b + BLOCK_AT_WIRE);
	operational = block_u32(b + BLOCK_AT_OPERATIONAL);
	wire_end = block_u32(b + BLOCK_AT_END);
	if (block_u32(b + BLOCK_AT_LENGTH) != block.len ||
	    wire != BLOCK_HEAD + (size_t)n * BLOCK_ROW || operational < wire ||
	    wire_end < operational || wire_end > block.len)
		return HB_ECORRUPT;
	p = b + wire;
	end = b + wire_end;
	boundary = operational == wire;
	for (i = 0; i < n; i++) {
		row = block_row(b, i);
		norm = block_u32(row + ROW_AT_NORM);
		if (block_u32(row + ROW_AT_WIRE) != (size_t)(p - b) ||
		    attr_dict_desc(dict, block_u32(row + ROW_AT_NUM)) == NULL ||
		    !check_element(&p, end, block_u32(row + ROW_AT_NVALUES)))
			return HB_ECORRUPT;
		if (norm != 0 && (norm < wire_end || !check_norms(block, norm,
		    block_u32(row + ROW_AT_NVALUES))))
			return HB_ECORRUPT;
		boundary |= (size_t)(p - b) == operational;
	}
	return p == end && boundary ? HB_OK : HB_ECORRUPT;
}
