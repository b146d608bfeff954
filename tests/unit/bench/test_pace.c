/* A fixed rate, and latencies free of coordinated omission. */
#include "bench_test.h"

#include "../../../servers/slapd/tools/bench/hist.h"
#include "../../../servers/slapd/tools/bench/pace.h"

#define MS		UINT64_C(1000000)
#define SECOND		UINT64_C(1000000000)

static void
due_times(void **state)
{
	struct pace p;
	unsigned i;

	(void)state;
	pace_init(&p, 5 * SECOND, 1000, 0, 1);
	for (i = 0; i < 5000; i++, pace_next(&p))
		assert_true(pace_due(&p) == 5 * SECOND + i * MS);
	/* a rate that does not divide a second does not drift */
	pace_init(&p, 0, 3000, 0, 1);
	for (i = 0; i < 3000 * 3600; i++)
		pace_next(&p);
	assert_true(pace_due(&p) > 3599 * SECOND + 999 * MS &&
	    pace_due(&p) < 3600 * SECOND + MS);
	/* less than one a second, and more than one a nanosecond */
	pace_init(&p, 0, 0.25, 0, 1);
	pace_next(&p);
	assert_true(pace_due(&p) == 4 * SECOND);
	pace_init(&p, 0, 1e15, 0, 1);
	pace_next(&p);
	assert_true(pace_due(&p) == 0);
}

/* Threads share the rate: together they send what one would. */
static void
threads(void **state)
{
	enum { THREADS = 3, RATE = 700 };
	unsigned char seen[RATE] = { 0 };
	struct pace all, p;
	unsigned t, i;

	(void)state;
	for (t = 0; t < THREADS; t++) {
		pace_init(&p, 0, RATE, t, THREADS);
		for (; pace_due(&p) < SECOND && p.k < RATE; pace_next(&p)) {
			pace_init(&all, 0, RATE, (unsigned)p.k, 1);
			assert_true(pace_due(&all) == pace_due(&p));
			seen[p.k]++;
		}
	}
	for (i = 0; i < RATE; i++)
		assert_int_equal(seen[i], 1);
}

/*
 * One connection, 1000 requests a second, each answered in 0.1 ms, but the
 * server stalls from 2 s to 3 s. A client that waits for the answer and then
 * measures the next from when it sends it has seen one slow answer; the
 * thousand that were due meanwhile were all late.
 */
static void
stall(void **state)
{
	struct hist *h = calloc(1, sizeof *h), *naive = calloc(1, sizeof *h);
	uint64_t free_at = 0, sent, done;
	struct pace p;

	(void)state;
	pace_init(&p, 0, 1000, 0, 1);
	for (; pace_due(&p) < 10 * SECOND; pace_next(&p)) {
		sent = pace_due(&p) > free_at ? pace_due(&p) : free_at;
		done = sent + MS / 10;
		if (sent >= 2 * SECOND && sent < 3 * SECOND)
			done = 3 * SECOND + MS / 10;
		free_at = done;
		hist_add(h, done - pace_due(&p));
		hist_add(naive, done - sent);
	}
	assert_true(h->count == 10000);
	assert_true(h->max == SECOND + MS / 10);
	assert_true(hist_percentile(naive, 99.9) < MS);
	/* more than a tenth of all: 1000 wait, and about 111 behind them */
	assert_true(hist_percentile(h, 88) < MS);
	assert_true(hist_percentile(h, 90) > 50 * MS);
	assert_true(hist_percentile(h, 99) > 900 * MS * 97 / 100);
	assert_true(hist_percentile(h, 95) > 540 * MS &&
	    hist_percentile(h, 95) < 570 * MS);
	free(h);
	free(naive);
}

static void
unsent(void **state)
{
	static const double rates[] = { 0.5, 1, 3, 999, 1000, 1001, 44100 };
	struct pace p, q;
	uint64_t n, end;
	unsigned t, threads;
	size_t i;

	(void)state;
	for (i = 0; i < N(rates); i++)
		for (threads = 1; threads <= 3; threads++)
			for (t = 0; t < threads; t++)
				for (end = 0; end < 3 * SECOND;
				    end += 499999999) {
					pace_init(&p, 7, rates[i], t, threads);
					pace_next(&p);
					for (n = 0, q = p; pace_due(&q) <
					    end + 7; pace_next(&q))
						n++;
					assert_true(pace_unsent(&p, end + 7) ==
					    n);
				}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(due_times),
		cmocka_unit_test(threads),
		cmocka_unit_test(stall),
		cmocka_unit_test(unsent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
