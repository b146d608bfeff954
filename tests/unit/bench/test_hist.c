/* Histogram of latencies. */
#include "bench_test.h"

#include "../../../servers/slapd/tools/bench/hist.h"

/* The same numbers each time, spread over many sizes. */
static uint64_t
next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 24 >> *state % 36;
}

static void
buckets(void **state)
{
	unsigned i;
	uint64_t low, high;

	(void)state;
	for (i = 0; i < HIST_BUCKETS; i++) {
		low = hist_low(i);
		high = hist_high(i);
		assert_true(low < high);
		assert_int_equal(hist_index(low), i);
		assert_int_equal(hist_index(high - 1), i);
		if (i > 0)
			assert_true(hist_low(i) == hist_high(i - 1));
		/* the middle is told, so the error is half of the width */
		assert_true((double)(high - low) <= 0.03 * (double)low ||
		    high - low == 1);
	}
	assert_int_equal(hist_index(UINT64_MAX), HIST_BUCKETS - 1);
	assert_int_equal(hist_index(0), 0);
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
percentiles(void **state)
{
	static const double percents[] = { 0, 1, 10, 50, 90, 99, 99.9, 99.99,
	    100 };
	enum { COUNT = 100000 };
	uint64_t *v = calloc(COUNT, sizeof *v), rng = 1, got, want, rank, sum;
	struct hist *h = calloc(1, sizeof *h);
	size_t i;

	(void)state;
	for (i = sum = 0; i < COUNT; i++) {
		v[i] = next(&rng);
		hist_add(h, v[i]);
		sum += v[i];
	}
	qsort(v, COUNT, sizeof *v, compare);
	for (i = 0; i < N(percents); i++) {
		rank = (uint64_t)(percents[i] * COUNT / 100 + 0.999999);
		want = v[rank == 0 ? 0 : rank - 1];
		got = hist_percentile(h, percents[i]);
		assert_true((double)got >= 0.97 * (double)want &&
		    (double)got <= 1.03 * (double)want);
	}
	assert_true(h->max == v[COUNT - 1]);
	assert_true(hist_percentile(h, 100) == h->max);
	assert_true(hist_mean(h) == (double)sum / COUNT);
	free(h);
	free(v);
}

static void
few(void **state)
{
	struct hist *h = calloc(1, sizeof *h), *other = calloc(1, sizeof *h);

	(void)state;
	assert_true(hist_percentile(h, 50) == 0 && hist_mean(h) == 0);
	hist_add(h, 1000);
	assert_true(hist_percentile(h, 0) == 1000);
	assert_true(hist_percentile(h, 50) == 1000);
	/* of two, the median is the first */
	hist_add(other, 50);
	hist_merge(h, other);
	assert_true(h->count == 2 && h->sum == 1050 && h->max == 1000);
	assert_true(hist_percentile(h, 50) == 50);
	assert_true(hist_percentile(h, 51) == 1000);
	/* longer than all buckets: counted, and the maximum is told */
	hist_add(h, UINT64_MAX / 2);
	assert_true(hist_percentile(h, 99) == UINT64_MAX / 2);
	free(h);
	free(other);
}

struct walk {
	uint64_t next, count;
	unsigned calls;
};

static void
walk_one(void *arg, uint64_t low, uint64_t high, uint64_t count)
{
	struct walk *w = arg;

	assert_true(w->calls == 0 || low == w->next);
	assert_true(low < high);
	/* a fourth of a power of two, as well as the buckets allow */
	assert_true(low < 64 || (double)high / (double)low < 1.21);
	assert_true(low < 64 || (double)high / (double)low > 1.17);
	w->next = high;
	w->count += count;
	w->calls++;
}

static void
coarse(void **state)
{
	struct hist *h = calloc(1, sizeof *h);
	struct walk w = { 0, 0, 0 };
	uint64_t rng = 7;
	size_t i;

	(void)state;
	hist_walk(h, walk_one, &w);
	assert_int_equal(w.calls, 0);
	for (i = 0; i < 10000; i++)
		hist_add(h, next(&rng));
	hist_walk(h, walk_one, &w);
	assert_true(w.count == 10000 && w.next > h->max);
	free(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets),
		cmocka_unit_test(percentiles),
		cmocka_unit_test(few),
		cmocka_unit_test(coarse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
