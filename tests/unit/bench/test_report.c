/* What is written about a run. */
#include "bench_test.h"

#include "../../../servers/slapd/tools/bench/run.h"

static struct bench_result *
sample(void)
{
	struct bench_result *r = calloc(1, sizeof *r);
	unsigned i;

	r->job = JOB_MODIFY;
	r->conns = 8;
	r->threads = 2;
	r->window = 3;
	r->seconds = 2;
	r->entries = 0;
	r->bytes_in = 1400;
	r->own_cpu = 0.0005;
	for (i = 1; i <= 100; i++)
		hist_add(&r->hist, i * 10);
	r->ops = r->hist.count;
	return r;
}

static void
assert_json(const struct bench_result *r, bool histogram, bool best,
    const char *want)
{
	struct bench_opts o = { .histogram = histogram };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	report_json(f, &o, r, best);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

static void
json(void **state)
{
	struct bench_result *r = sample();

	(void)state;
	assert_json(r, false, false, "{\"job\":\"modify\",\"conns\":8,"
	    "\"threads\":2,\"window\":3,\"ops\":100,\"seconds\":2.000000,"
	    "\"ops_per_sec\":50.000,\"errors\":0,\"lat_us\":{\"p50\":0.501,"
	    "\"p90\":0.899,\"p99\":0.987,\"p999\":1.000,\"max\":1.000,"
	    "\"mean\":0.505},\"bytes_per_op\":14.000,\"entries_per_op\":0.000,"
	    "\"own_us_per_op\":5.000,\"srv_us_per_op\":null,"
	    "\"srv_write_bytes_per_op\":null}\n");
	r->has_srv_cpu = r->has_srv_io = true;
	r->srv_cpu = 0.25;
	r->srv_write_bytes = 409600;
	r->rate = 55.5;
	r->unsent = 11;
	r->errors = 3;
	assert_json(r, false, true, "{\"job\":\"modify\",\"best\":true,"
	    "\"conns\":8,\"threads\":2,\"window\":3,\"ops\":100,"
	    "\"seconds\":2.000000,\"ops_per_sec\":50.000,\"errors\":3,"
	    "\"rate\":55.500,\"unsent\":11,\"lat_us\":{\"p50\":0.501,"
	    "\"p90\":0.899,\"p99\":0.987,\"p999\":1.000,\"max\":1.000,"
	    "\"mean\":0.505},\"bytes_per_op\":14.000,\"entries_per_op\":0.000,"
	    "\"own_us_per_op\":5.000,\"srv_us_per_op\":2500.000,"
	    "\"srv_write_bytes_per_op\":4096.000}\n");
	free(r);
}

/* Without a single operation nothing is divided by nothing. */
static void
nothing(void **state)
{
	struct bench_result *r = calloc(1, sizeof *r);

	(void)state;
	r->conns = r->threads = r->window = 1;
	r->errors = 1;
	assert_json(r, true, false, "{\"job\":\"search\",\"conns\":1,"
	    "\"threads\":1,\"window\":1,\"ops\":0,\"seconds\":0.000000,"
	    "\"ops_per_sec\":0.000,\"errors\":1,\"lat_us\":{\"p50\":0.000,"
	    "\"p90\":0.000,\"p99\":0.000,\"p999\":0.000,\"max\":0.000,"
	    "\"mean\":0.000},\"bytes_per_op\":0.000,\"entries_per_op\":0.000,"
	    "\"own_us_per_op\":0.000,\"srv_us_per_op\":null,"
	    "\"srv_write_bytes_per_op\":null,\"histogram_us\":[]}\n");
	free(r);
}

static void
histogram(void **state)
{
	struct bench_result *r = sample();
	unsigned long long n, all = 0;
	double from, to, last = 0;
	char *text = NULL, *p;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int used;

	(void)state;
	report_json(f, &(struct bench_opts){ .histogram = true }, r, false);
	fclose(f);
	p = strstr(text, "\"histogram_us\":[");
	assert_non_null(p);
	for (p += 16; sscanf(p, "[%lf,%lf,%llu]%n", &from, &to, &n, &used) ==
	    3; all += n, last = to) {
		assert_true(from >= last && from < to && n > 0);
		p += used + (p[used] == ',');
	}
	assert_string_equal(p, "]}\n");
	assert_true(all == 100);
	free(text);
	free(r);
}

static void
text(void **state)
{
	struct bench_result *r = sample();
	struct bench_opts o = { .rate = 60 };
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	(void)state;
	r->job = JOB_ADD;
	r->first = 100;
	r->next = 200;
	r->unsent = 20;
	report_text(f, &o, r);
	report_heading(f);
	report_row(f, r);
	report_histogram(f, r);
	fclose(f);
	assert_non_null(strstr(out, "100 in 2.000 s"));
	assert_non_null(strstr(out, "99% 1.0,"));
	assert_non_null(strstr(out, "20 of 60.0 a second: more than"));
	assert_non_null(strstr(out, "run delete --first 100 --ops 100"));
	assert_non_null(strstr(out, "100.0000%"));
	free(out);
	free(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json),
		cmocka_unit_test(nothing),
		cmocka_unit_test(histogram),
		cmocka_unit_test(text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
