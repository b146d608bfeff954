/* BER writer: see ber.h. */
#include "ber.h"

/* Length octets of LEN, shortest form, at P; returns how many. */
static size_t
encode_length(uint8_t *p, size_t len)
{
	size_t n, i;

	if (len < 0x80) {
		p[0] = (uint8_t)len;
		return 1;
	}
	n = len < 0x100 ? 1 : len < 0x10000 ? 2 : len < 0x1000000 ? 3 : 4;
	p[0] = (uint8_t)(0x80 | n);
	for (i = 0; i < n; i++)
		p[n - i] = (uint8_t)(len >> 8 * i);
	return n + 1;
}

size_t
ber_header_size(size_t len)
{
	return len < 0x80 ? 2 : len < 0x100 ? 3 : len < 0x10000 ? 4 :
	    len < 0x1000000 ? 5 : 6;
}

void
ber_put_header(struct ber_writer *w, int tag, size_t len)
{
	uint8_t *p;

	buf_reserve(w->out, 6);
	p = (uint8_t *)w->out->data + w->out->len;
	p[0] = (uint8_t)tag;
	w->out->len += 1 + encode_length(p + 1, len);
}

void
ber_put_octets(struct ber_writer *w, int tag, struct slice s)
{
	ber_put_header(w, tag, s.len);
	buf_put_slice(w->out, s);
}

void
ber_put_int(struct ber_writer *w, int tag, int64_t v)
{
	uint8_t octets[8];
	unsigned n = 8, i;

	for (i = 0; i < 8; i++)
		octets[7 - i] = (uint8_t)((uint64_t)v >> 8 * i);
	/* the first nine bits must not be all the same */
	while (n > 1 && ((octets[8 - n] == 0 && octets[9 - n] < 0x80) ||
	    (octets[8 - n] == 0xff && octets[9 - n] >= 0x80)))
		n--;
	ber_put_octets(w, tag, slice(octets + 8 - n, n));
}

void
ber_put_bool(struct ber_writer *w, int tag, bool v)
{
	ber_put_octets(w, tag, v ? SLICE("\xff") : SLICE("\0"));
}

void
ber_put_null(struct ber_writer *w, int tag)
{
	ber_put_header(w, tag, 0);
}

void
ber_put_raw(struct ber_writer *w, struct slice element)
{
	buf_put_slice(w->out, element);
}

size_t
ber_begin(struct ber_writer *w, int tag)
{
	buf_reserve(w->out, 6);
	w->out->data[w->out->len++] = (char)tag;
	w->out->len++;		/* one length octet: most elements are short */
	return w->out->len;
}

void
ber_end(struct ber_writer *w, size_t mark)
{
	size_t len = w->out->len - mark, n = ber_header_size(len) - 1;

	if (n > 1) {
		buf_reserve(w->out, n - 1);
		memmove(w->out->data + mark + n - 1, w->out->data + mark, len);
		w->out->len += n - 1;
	}
	encode_length((uint8_t *)w->out->data + mark - 1, len);
}
