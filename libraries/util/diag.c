/* Diagnostics: see util/diag.h. */
#include "util/diag.h"

#include <stdio.h>
#include <string.h>

void
diag_clear(struct diag *d)
{
	if (d != NULL) {
		d->file = NULL;
		d->line = 0;
		d->text[0] = '\0';
	}
}

/* A text that was cut must not end within a UTF-8 sequence. */
static void
trim_utf8(char *text, size_t len)
{
	size_t i = len, follow = 0;

	while (i > 0 && ((unsigned char)text[i - 1] & 0xc0) == 0x80) {
		i--;
		follow++;
	}
	if (i > 0 && (unsigned char)text[i - 1] >= 0xc0) {
		unsigned char c = (unsigned char)text[i - 1];
		size_t want = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;

		if (follow < want)
			text[i - 1] = '\0';
	}
}

static void
append(struct diag *d, size_t at, const char *fmt, va_list ap)
{
	int n = vsnprintf(d->text + at, sizeof(d->text) - at, fmt, ap);

	if (n > 0 && at + (size_t)n >= sizeof(d->text))
		trim_utf8(d->text, sizeof(d->text) - 1);
}

void
diag_set(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	if (d == NULL || d->text[0] != '\0')
		return;
	va_start(ap, fmt);
	append(d, 0, fmt, ap);
	va_end(ap);
}

#define MORE	"; ..."

bool
diag_is_full(const struct diag *d)
{
	size_t len = d == NULL ? 0 : strlen(d->text);

	return d == NULL || (len >= sizeof(MORE) &&
	    strcmp(d->text + len - (sizeof(MORE) - 1), MORE) == 0);
}

void
diag_add(struct diag *d, const char *fmt, ...)
{
	char more[DIAG_TEXT_MAX];
	size_t at;
	va_list ap;
	int n;

	if (d == NULL || diag_is_full(d))
		return;
	va_start(ap, fmt);
	at = strlen(d->text);
	if (at == 0) {
		append(d, 0, fmt, ap);
		va_end(ap);
		return;
	}
	n = vsnprintf(more, sizeof(more), fmt, ap);
	va_end(ap);
	/* what does not fit whole is left out, and that is said */
	if (n < 0 || at + 2 + (size_t)n + sizeof(MORE) > sizeof(d->text))
		snprintf(d->text + at, sizeof(d->text) - at, MORE);
	else
		snprintf(d->text + at, sizeof(d->text) - at, "; %s", more);
}

void
diag_prefix(struct diag *d, const char *fmt, ...)
{
	char old[DIAG_TEXT_MAX];
	va_list ap;
	size_t at;

	if (d == NULL)
		return;
	memcpy(old, d->text, sizeof(old));
	va_start(ap, fmt);
	append(d, 0, fmt, ap);
	va_end(ap);
	at = strlen(d->text);
	if (at + 3 < sizeof(d->text)) {
		memcpy(d->text + at, ": ", 3);
		at += 2;
	}
	snprintf(d->text + at, sizeof(d->text) - at, "%s", old);
	if (at + strlen(old) >= sizeof(d->text))
		trim_utf8(d->text, sizeof(d->text) - 1);
}

void
diag_at(struct diag *d, const char *file, unsigned line)
{
	if (d != NULL && d->file == NULL) {
		d->file = file;
		d->line = line;
	}
}

int
diag_err(struct diag *d, int err, const char *fmt, ...)
{
	va_list ap;

	if (d != NULL && d->text[0] == '\0') {
		va_start(ap, fmt);
		append(d, 0, fmt, ap);
		va_end(ap);
	}
	return err;
}

void
diag_format(const struct diag *d, char *out, size_t size)
{
	if (d->file == NULL)
		snprintf(out, size, "%s", d->text);
	else if (d->line == 0)
		snprintf(out, size, "%s: %s", d->file, d->text);
	else
		snprintf(out, size, "%s: line %u: %s", d->file, d->line,
		    d->text);
}
