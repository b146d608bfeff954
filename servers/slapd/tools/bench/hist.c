/* Histogram: see hist.h. */
#include "hist.h"

unsigned
hist_index(uint64_t v)
{
	unsigned top, shift;

	if (v < HIST_SUB)
		return (unsigned)v;
	top = 63u - (unsigned)__builtin_clzll(v);
	if (top >= HIST_MAX_BITS)
		return HIST_BUCKETS - 1;
	shift = top - HIST_SUB_BITS;
	return (shift << HIST_SUB_BITS) + (unsigned)(v >> shift);
}

uint64_t
hist_low(unsigned i)
{
	unsigned shift;

	if (i < 2 * HIST_SUB)
		return i;
	shift = (i >> HIST_SUB_BITS) - 1;
	return (uint64_t)((i & (HIST_SUB - 1)) + HIST_SUB) << shift;
}

uint64_t
hist_high(unsigned i)
{
	return hist_low(i + 1);
}

void
hist_add(struct hist *h, uint64_t v)
{
	h->count++;
	h->sum += v;
	if (v > h->max)
		h->max = v;
	h->bucket[hist_index(v)]++;
}

void
hist_merge(struct hist *into, const struct hist *from)
{
	unsigned i;

	into->count += from->count;
	into->sum += from->sum;
	if (from->max > into->max)
		into->max = from->max;
	for (i = 0; i < HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

uint64_t
hist_percentile(const struct hist *h, double percent)
{
	double exact = (double)h->count * percent / 100;
	uint64_t rank = (uint64_t)exact, seen = 0, mid;
	unsigned i;

	if (h->count == 0)
		return 0;
	if ((double)rank < exact || rank == 0)
		rank++;
	if (rank >= h->count)
		return h->max;
	for (i = 0; i < HIST_BUCKETS - 1; i++)
		if ((seen += h->bucket[i]) >= rank)
			break;
	if (i == HIST_BUCKETS - 1)
		return h->max;
	mid = hist_low(i) + (hist_high(i) - 1 - hist_low(i)) / 2;
	return mid < h->max ? mid : h->max;
}

double
hist_mean(const struct hist *h)
{
	return h->count == 0 ? 0 : (double)h->sum / (double)h->count;
}

/*
 * First bucket of the coarser one that I is in. Within a power of two, 64 ..
 * 127, the next one begins at 64 times the fourth root of 2, 4 and 8.
 */
static unsigned
coarse(unsigned i)
{
	unsigned k = i % HIST_SUB;

	if (i < HIST_SUB)
		return i;
	return i - k + (k < 12 ? 0 : k < 27 ? 12 : k < 44 ? 27 : 44);
}

void
hist_walk(const struct hist *h, hist_walk_cb cb, void *arg)
{
	unsigned i, first = 0, last = HIST_BUCKETS - 1;
	uint64_t n;

	if (h->count == 0)
		return;
	while (h->bucket[first] == 0)
		first++;
	while (h->bucket[last] == 0)
		last--;
	for (i = coarse(first); i <= last;) {
		unsigned start = i;

		for (n = 0; i <= last && coarse(i) == start; i++)
			n += h->bucket[i];
		while (i % HIST_SUB != 0 && coarse(i) == start)
			i++;
		cb(arg, hist_low(start), hist_low(i), n);
	}
}
