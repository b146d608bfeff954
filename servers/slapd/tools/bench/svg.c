/* Pictures: see svg.h. */
#include <math.h>
#include <string.h>

#include "svg.h"

#define WIDTH		900
#define HEIGHT		520
#define LEFT		90
#define RIGHT		810		/* of the frame */
#define TOP		60
#define BOTTOM		440
#define BLUE		"#1f5fa8"
#define ORANGE		"#c2570c"
#define RED		"#9c1f3f"

struct axis {
	double min, max;
	double from, to;		/* in the picture */
	bool log;
};

static double
place(const struct axis *a, double v)
{
	double share = a->log ? log(v / a->min) / log(a->max / a->min) :
	    (v - a->min) / (a->max - a->min);

	return a->from + share * (a->to - a->from);
}

static void
put_text(FILE *f, const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '&' || *text == '<' || *text == '>' ||
		    *text == '"')
			fprintf(f, "&#%d;", *text);
		else
			putc(*text, f);
}

static void
label(FILE *f, double x, double y, const char *anchor, const char *more,
    const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y,
	    anchor, more);
	put_text(f, text);
	fputs("</text>\n", f);
}

static void
begin(FILE *f, const char *title)
{
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
	    "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
	    "font-size=\"14\">\n<rect width=\"%d\" height=\"%d\" "
	    "fill=\"white\"/>\n", WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
	label(f, WIDTH / 2.0, 30, "middle", " font-size=\"17\"", title);
}

static void
end(FILE *f)
{
	fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
	    "fill=\"none\" stroke=\"black\"/>\n</svg>\n", LEFT, TOP,
	    RIGHT - LEFT, BOTTOM - TOP);
}

/* 1, 2 or 5 times a power of ten, so that there are about N of them. */
static double
nice_step(double range, int n)
{
	double raw = range / n, ten = pow(10, floor(log10(raw)));

	return raw <= ten ? ten : raw <= 2 * ten ? 2 * ten :
	    raw <= 5 * ten ? 5 * ten : 10 * ten;
}

static void
put_number(char *out, size_t size, double v)
{
	if (v >= 1e6)
		snprintf(out, size, "%gM", v / 1e6);
	else if (v >= 1e4)
		snprintf(out, size, "%gk", v / 1e3);
	else
		snprintf(out, size, "%g", v);
}

static void
put_time(char *out, size_t size, double us)
{
	if (us >= 1e6)
		snprintf(out, size, "%.4g s", us / 1e6);
	else if (us >= 1e3)
		snprintf(out, size, "%.4g ms", us / 1e3);
	else
		snprintf(out, size, "%.4g us", us);
}

static void
grid_line(FILE *f, double x1, double y1, double x2, double y2)
{
	fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
	    "stroke=\"#dddddd\"/>\n", x1, y1, x2, y2);
}

/* Ticks of a vertical axis at X; the left one has the grid. */
static void
vertical(FILE *f, const struct axis *a, bool left, const char *colour,
    const char *name, bool is_time)
{
	double step = nice_step(a->max, 6), v;
	char text[32], more[80];

	snprintf(more, sizeof more, " fill=\"%s\"", colour);
	for (v = 0; v <= a->max * 1.0001; v += step) {
		if (left)
			grid_line(f, LEFT, place(a, v), RIGHT, place(a, v));
		(is_time ? put_time : put_number)(text, sizeof text, v);
		label(f, left ? LEFT - 8 : RIGHT + 8, place(a, v) + 5,
		    left ? "end" : "start", more, text);
	}
	snprintf(more, sizeof more, " fill=\"%s\" transform=\"rotate(%s %d "
	    "%d)\"", colour, left ? "-90" : "90", left ? 22 : WIDTH - 16,
	    (TOP + BOTTOM) / 2);
	label(f, left ? 22 : WIDTH - 16, (TOP + BOTTOM) / 2.0, "middle", more,
	    name);
}

static void
horizontal_name(FILE *f, const char *name)
{
	label(f, (LEFT + RIGHT) / 2.0, BOTTOM + 45, "middle", "", name);
}

static struct axis
up_axis(double max, int ticks)
{
	struct axis a = { 0, 1, BOTTOM, TOP, false };
	double step;

	if (max > 0) {
		step = nice_step(max, ticks);
		a.max = ceil(max / step) * step;
	}
	return a;
}

static void
curve(FILE *f, const struct axis *x, const struct axis *y,
    const struct svg_point *p, size_t n, const double *field,
    const char *style)
{
	size_t stride = sizeof *p / sizeof(double), i;

	fprintf(f, "<polyline fill=\"none\" stroke-width=\"2\" %s points=\"",
	    style);
	for (i = 0; i < n; i++)
		fprintf(f, "%.1f,%.1f ", place(x, p[i].conns),
		    place(y, field[i * stride]));
	fputs("\"/>\n", f);
	for (i = 0; i < n; i++)
		fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" "
		    "fill=\"white\" %s/>\n", place(x, p[i].conns),
		    place(y, field[i * stride]), style);
}

static void
legend(FILE *f, double x, const char *style, const char *text)
{
	fprintf(f, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" "
	    "stroke-width=\"2\" %s/>\n", x, BOTTOM + 66, x + 30, BOTTOM + 66,
	    style);
	label(f, x + 38, BOTTOM + 71, "start", "", text);
}

void
svg_steps(FILE *f, const char *title, const struct svg_point *p, size_t n)
{
	static const char *const styles[] = { "stroke=\"" BLUE "\"",
	    "stroke=\"" ORANGE "\"",
	    "stroke=\"" RED "\" stroke-dasharray=\"6 4\"" };
	double ops = 0, us = 0, v, step;
	struct axis x = { 0, 1, LEFT, RIGHT, false }, left, right;
	char text[32];
	size_t i;

	for (i = 0; i < n; i++) {
		ops = fmax(ops, p[i].ops_per_sec);
		us = fmax(us, fmax(p[i].p50, p[i].p99));
		x.max = fmax(x.max, p[i].conns);
	}
	left = up_axis(ops, 6);
	right = up_axis(us, 6);
	begin(f, title);
	step = fmax(1, nice_step(x.max, 10));
	for (v = 0; v <= x.max; v += step) {
		grid_line(f, place(&x, v), TOP, place(&x, v), BOTTOM);
		put_number(text, sizeof text, v);
		label(f, place(&x, v), BOTTOM + 20, "middle", "", text);
	}
	vertical(f, &left, true, BLUE, "operations a second", false);
	vertical(f, &right, false, ORANGE, "latency", true);
	horizontal_name(f, "connections");
	if (n > 0) {
		curve(f, &x, &left, p, n, &p->ops_per_sec, styles[0]);
		curve(f, &x, &right, p, n, &p->p50, styles[1]);
		curve(f, &x, &right, p, n, &p->p99, styles[2]);
	}
	legend(f, 180, styles[0], "operations a second");
	legend(f, 400, styles[1], "median latency");
	legend(f, 580, styles[2], "99 % below");
	end(f);
}

struct bars {
	FILE *f;
	struct axis x, y;
	double most, all, low, high;
};

static void
measure_bar(void *arg, uint64_t low, uint64_t high, uint64_t count)
{
	struct bars *b = arg;

	if (b->low == 0)
		b->low = fmax(1, (double)low);
	b->high = (double)high;
	b->most = fmax(b->most, (double)count * 100 / b->all);
}

static void
draw_bar(void *arg, uint64_t low, uint64_t high, uint64_t count)
{
	struct bars *b = arg;
	double x1 = place(&b->x, fmax(1, (double)low));
	double x2 = place(&b->x, (double)high);
	double y = place(&b->y, (double)count * 100 / b->all);

	fprintf(b->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	    "height=\"%.1f\" fill=\"" BLUE "\"/>\n", x1 + 0.5, y,
	    fmax(0.5, x2 - x1 - 1), BOTTOM - y);
}

/* 1, 2 and 5 of each power of ten; fewer where they would stand close. */
static void
time_ticks(FILE *f, const struct axis *x)
{
	static const double steps[] = { 1, 2, 5 };
	bool few = log10(x->max / x->min) > 3.5;
	double ten, v;
	char text[32];
	size_t i;

	for (ten = pow(10, floor(log10(x->min))); ten < x->max; ten *= 10)
		for (i = 0; i < (few ? 1 : 3); i++) {
			v = ten * steps[i];
			if (v < x->min || v > x->max)
				continue;
			grid_line(f, place(x, v), TOP, place(x, v), BOTTOM);
			put_time(text, sizeof text, v / 1e3);
			label(f, place(x, v), BOTTOM + 20, "middle", "", text);
		}
}

static void
mark_percentiles(FILE *f, const struct axis *x, const struct hist *h)
{
	static const double percents[] = { 50, 90, 99, 99.9 };
	char text[64];
	double at, y;
	size_t i;

	for (i = 0; i < sizeof percents / sizeof *percents; i++) {
		at = place(x, fmax(1, (double)hist_percentile(h,
		    percents[i])));
		y = TOP + 16 + 18 * (double)i;
		fprintf(f, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" "
		    "stroke=\"" ORANGE "\" stroke-dasharray=\"4 3\"/>\n", at,
		    TOP, at, BOTTOM);
		snprintf(text, sizeof text, "%g%%: ", percents[i]);
		put_time(text + strlen(text), 32, (double)hist_percentile(h,
		    percents[i]) / 1e3);
		label(f, at > RIGHT - 120 ? at - 4 : at + 4, y, at > RIGHT -
		    120 ? "end" : "start", " fill=\"" ORANGE "\"", text);
	}
}

void
svg_histogram(FILE *f, const char *title, const struct hist *h)
{
	struct bars b = { .f = f, .all = (double)h->count };

	hist_walk(h, measure_bar, &b);
	if (b.high <= b.low) {
		b.low = 1e3;
		b.high = 1e6;
	}
	b.x = (struct axis){ b.low, b.high, LEFT, RIGHT, true };
	b.y = up_axis(b.most, 6);
	begin(f, title);
	time_ticks(f, &b.x);
	vertical(f, &b.y, true, BLUE, "share of all operations, %", false);
	horizontal_name(f, "latency");
	hist_walk(h, draw_bar, &b);
	if (h->count > 0)
		mark_percentiles(f, &b.x, h);
	end(f);
}
