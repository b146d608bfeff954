/*
 * How far a long job is: a bar on a terminal, a line now and then elsewhere.
 */
#include <unistd.h>

#include "tool_int.h"
#include "util/text.h"

#define BAR_WIDTH	24
#define BAR_EVERY	200000		/* microseconds */
#define LINE_EVERY	5000000
#define CHECK_EVERY	128		/* entries between looks at the clock */

void
progress_init(struct progress *p, const char *name, bool shown)
{
	memset(p, 0, sizeof(*p));
	p->name = name;
	p->is_shown = shown;
	p->is_terminal = isatty(STDERR_FILENO) == 1;
	p->start = p->last = time_mono_us();
}

double
progress_seconds(const struct progress *p)
{
	return (double)(time_mono_us() - p->start) / 1e6;
}

static bool
is_due(struct progress *p)
{
	int64_t now;

	if (!p->is_shown)
		return false;
	now = time_mono_us();
	if (now - p->last < (p->is_terminal ? BAR_EVERY : LINE_EVERY))
		return false;
	p->last = now;
	return true;
}

static void
put_left(char out[16], double done, double seconds)
{
	unsigned long left;

	out[0] = '\0';
	if (done <= 0.001)
		return;
	left = (unsigned long)(seconds / done * (1 - done) + 0.5);
	if (left >= 3600)
		snprintf(out, 16, "%lu:%02lu:%02lu", left / 3600 % 1000,
		    left / 60 % 60, left % 60);
	else
		snprintf(out, 16, "%02lu:%02lu", left / 60, left % 60);
}

static void
show_bar(const char *what, double done, const char *left)
{
	unsigned full = (unsigned)(done * BAR_WIDTH);

	fprintf(stderr, "\r[");
	for (unsigned i = 0; i < BAR_WIDTH; i++)
		fputc(i < full ? '=' : i == full ? '>' : ' ', stderr);
	fprintf(stderr, "] %3.0f%% %s%s%s\033[K", done * 100, what,
	    *left != '\0' ? ", left " : "", left);
	fflush(stderr);
}

static void
show(struct progress *p, const char *what, bool known, double done)
{
	char left[16] = "";

	if (done > 1)
		done = 1;
	if (known)
		put_left(left, done, progress_seconds(p));
	if (p->is_terminal && known)
		show_bar(what, done, left);
	else if (p->is_terminal)
		fprintf(stderr, "\r%s\033[K", what);
	else if (known)
		fprintf(stderr, "%s: %.0f%%, %s%s%s\n", p->name, done * 100,
		    what, *left != '\0' ? ", left " : "", left);
	else
		fprintf(stderr, "%s: %s\n", p->name, what);
}

void
progress_step(struct progress *p, uint64_t entries, uint64_t octets)
{
	char what[96];
	double s;

	if (entries % CHECK_EVERY != 0 || !is_due(p))
		return;
	s = progress_seconds(p);
	snprintf(what, sizeof(what), "%ju entries, %.0f/s", (uintmax_t)entries,
	    s > 0 ? (double)entries / s : 0);
	show(p, what, p->total > 0, p->total > 0 ?
	    (double)octets / (double)p->total : 0);
}

void
progress_phase(const char *phase, double done, void *arg)
{
	struct progress *p = arg;

	/* a new phase is shown at once on a terminal */
	if (strncmp(p->phase, phase, sizeof(p->phase) - 1) != 0) {
		snprintf(p->phase, sizeof(p->phase), "%s", phase);
		if (p->is_terminal)
			p->last = 0;
	}
	if (is_due(p)) {
		if (p->is_terminal)
			show_bar(phase, done > 1 ? 1 : done, "");
		else
			fprintf(stderr, "%s: %.0f%%, %s\n", p->name,
			    done * 100, phase);
	}
}

void
progress_end(struct progress *p)
{
	if (p->is_shown && p->is_terminal)
		fprintf(stderr, "\r\033[K");
}
