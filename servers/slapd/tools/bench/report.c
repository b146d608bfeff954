/* What came out, as text and as JSON (see run.h). */
#include "run.h"

static const double percents[] = { 50, 90, 99, 99.9 };
static const char *const percent_names[] = { "p50", "p90", "p99", "p999" };
#define NPERCENTS	(sizeof percents / sizeof *percents)

static double
per_op(const struct bench_result *r, double what)
{
	return r->ops == 0 ? 0 : what / (double)r->ops;
}

double
result_ops_per_sec(const struct bench_result *r)
{
	return r->seconds > 0 ? (double)r->ops / r->seconds : 0;
}

void
report_text(FILE *f, const struct bench_opts *o, const struct bench_result *r)
{
	size_t i;

	fprintf(f, "%s: %llu connections, %llu threads, window %llu%s\n",
	    bench_job_name(r->job), (unsigned long long)r->conns,
	    (unsigned long long)r->threads, (unsigned long long)r->window,
	    o->rate > 0 ? ", fixed rate" : "");
	fprintf(f, "  operations    %12llu in %.3f s\n",
	    (unsigned long long)r->ops, r->seconds);
	fprintf(f, "  per second    %12.1f\n", result_ops_per_sec(r));
	fprintf(f, "  errors        %12llu\n", (unsigned long long)r->errors);
	if (o->rate > 0)
		fprintf(f, "  due, not sent %12llu of %.1f a second%s\n",
		    (unsigned long long)r->unsent, o->rate,
		    r->unsent * 100 > r->ops ? ": more than the server, or "
		    "-c and -w, can do" : "");
	fprintf(f, "  latency us   ");
	for (i = 0; i < NPERCENTS; i++)
		fprintf(f, " %g%% %.1f,", percents[i],
		    (double)hist_percentile(&r->hist, percents[i]) / 1e3);
	fprintf(f, " max %.1f, mean %.1f\n", (double)r->hist.max / 1e3,
	    hist_mean(&r->hist) / 1e3);
	fprintf(f, "  received      %12.1f bytes, %.2f entries an operation\n",
	    per_op(r, (double)r->bytes_in), per_op(r, (double)r->entries));
	fprintf(f, "  own CPU       %12.2f us an operation\n",
	    per_op(r, r->own_cpu * 1e6));
	if (r->has_srv_cpu)
		fprintf(f, "  server CPU    %12.2f us an operation\n",
		    per_op(r, r->srv_cpu * 1e6));
	if (r->has_srv_io)
		fprintf(f, "  server writes %12.1f bytes an operation\n",
		    per_op(r, (double)r->srv_write_bytes));
	if (r->job == JOB_ADD)
		fprintf(f, "  added         numbers %llu to %llu; remove them "
		    "with: run delete --first %llu --ops %llu\n",
		    (unsigned long long)r->first,
		    (unsigned long long)r->next - 1,
		    (unsigned long long)r->first,
		    (unsigned long long)(r->next - r->first));
}

struct bars {
	FILE *f;
	const struct bench_result *r;
	uint64_t seen, most;
	const char *comma;
};

static void
find_most(void *arg, uint64_t low, uint64_t high, uint64_t count)
{
	struct bars *b = arg;

	(void)low;
	(void)high;
	if (count > b->most)
		b->most = count;
}

static void
put_bar(void *arg, uint64_t low, uint64_t high, uint64_t count)
{
	static const char bar[] = "########################################";
	struct bars *b = arg;
	double all = (double)b->r->hist.count;

	b->seen += count;
	fprintf(b->f, "%12.1f %12.1f %12llu %7.3f%% %9.4f%% %.*s\n",
	    (double)low / 1e3, (double)high / 1e3, (unsigned long long)count,
	    (double)count * 100 / all, (double)b->seen * 100 / all,
	    (int)(count * (sizeof bar - 1) / b->most), bar);
}

void
report_histogram(FILE *f, const struct bench_result *r)
{
	struct bars b = { .f = f, .r = r };

	hist_walk(&r->hist, find_most, &b);
	fprintf(f, "%12s %12s %12s %8s %10s\n", "from us", "to us",
	    "operations", "share", "in all");
	hist_walk(&r->hist, put_bar, &b);
}

void
report_heading(FILE *f)
{
	fprintf(f, "%7s %10s %8s %9s %9s %9s %9s %9s %7s %7s\n", "conns",
	    "ops/s", "errors", "50% us", "90% us", "99% us", "99.9% us",
	    "max us", "own us", "srv us");
}

void
report_row(FILE *f, const struct bench_result *r)
{
	size_t i;

	fprintf(f, "%7llu %10.1f %8llu", (unsigned long long)r->conns,
	    result_ops_per_sec(r), (unsigned long long)r->errors);
	for (i = 0; i < NPERCENTS; i++)
		fprintf(f, " %9.1f",
		    (double)hist_percentile(&r->hist, percents[i]) / 1e3);
	fprintf(f, " %9.1f %7.2f", (double)r->hist.max / 1e3,
	    per_op(r, r->own_cpu * 1e6));
	if (r->has_srv_cpu)
		fprintf(f, " %7.2f\n", per_op(r, r->srv_cpu * 1e6));
	else
		fprintf(f, " %7s\n", "-");
}

static void
put_json_bucket(void *arg, uint64_t low, uint64_t high, uint64_t count)
{
	struct bars *b = arg;

	if (count > 0) {
		fprintf(b->f, "%s[%.3f,%.3f,%llu]", b->comma,
		    (double)low / 1e3, (double)high / 1e3,
		    (unsigned long long)count);
		b->comma = ",";
	}
}

void
report_json(FILE *f, const struct bench_opts *o,
    const struct bench_result *r, bool best)
{
	struct bars b = { .f = f, .r = r, .comma = "" };
	size_t i;

	fprintf(f, "{\"job\":\"%s\",%s\"conns\":%llu,\"threads\":%llu,"
	    "\"window\":%llu,\"ops\":%llu,\"seconds\":%.6f,"
	    "\"ops_per_sec\":%.3f,\"errors\":%llu,",
	    bench_job_name(r->job), best ? "\"best\":true," : "",
	    (unsigned long long)r->conns, (unsigned long long)r->threads,
	    (unsigned long long)r->window, (unsigned long long)r->ops,
	    r->seconds, result_ops_per_sec(r), (unsigned long long)r->errors);
	if (r->rate > 0)
		fprintf(f, "\"rate\":%.3f,\"unsent\":%llu,", r->rate,
		    (unsigned long long)r->unsent);
	fprintf(f, "\"lat_us\":{");
	for (i = 0; i < NPERCENTS; i++)
		fprintf(f, "\"%s\":%.3f,", percent_names[i],
		    (double)hist_percentile(&r->hist, percents[i]) / 1e3);
	fprintf(f, "\"max\":%.3f,\"mean\":%.3f},", (double)r->hist.max / 1e3,
	    hist_mean(&r->hist) / 1e3);
	fprintf(f, "\"bytes_per_op\":%.3f,\"entries_per_op\":%.3f,"
	    "\"own_us_per_op\":%.3f,", per_op(r, (double)r->bytes_in),
	    per_op(r, (double)r->entries), per_op(r, r->own_cpu * 1e6));
	if (r->has_srv_cpu)
		fprintf(f, "\"srv_us_per_op\":%.3f,",
		    per_op(r, r->srv_cpu * 1e6));
	else
		fprintf(f, "\"srv_us_per_op\":null,");
	if (r->has_srv_io)
		fprintf(f, "\"srv_write_bytes_per_op\":%.3f",
		    per_op(r, (double)r->srv_write_bytes));
	else
		fprintf(f, "\"srv_write_bytes_per_op\":null");
	if (o->histogram && !best) {
		fputs(",\"histogram_us\":[", f);
		hist_walk(&r->hist, put_json_bucket, &b);
		fputs("]", f);
	}
	fputs("}\n", f);
}
