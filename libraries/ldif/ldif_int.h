/*
 * The LDIF reader's inside: a source of text, logical lines on top of it, and
 * the grammar of records on top of those. One thread.
 */
#ifndef LDIF_INT_H
#define LDIF_INT_H

#include "ldif.h"

struct ldif_reader {
	char *name;			/* as errors call it */
	unsigned flags;
	const char *pos, *end;		/* text that is being read */
	unsigned line;			/* number of the line at POS */
	bool in_record;			/* the blank line behind it is to come */

	char *map;			/* a mapped file, or NULL */
	size_t map_len;
	uint64_t total;			/* 0: not known */
	int fd;				/* a pipe; -1: everything is in pos..end */
	bool eof;
	struct buf in;			/* read from the pipe, not taken yet */
	size_t in_pos, in_scanned;
	uint64_t done;			/* octets of records taken from the pipe */

	/* a record is put together here and then copied to the arena whole */
	struct buf scratch;
	struct ldif_value *values;
	size_t nvalues, cap_values;
	struct ldif_mod *mods;
	size_t nmods, cap_mods;
	struct ldif_control *controls;
	size_t ncontrols, cap_controls;
};

/* A logical line: unfolded, without its end. */
struct ldif_line {
	struct slice text;
	const char *start;		/* of its first physical line */
	unsigned no;
};

/* ---- ldif_source.c ---- */

/*
 * Let pos..end hold whole records. HB_OK; HB_EEND when there is no more;
 * HB_EIO; HB_ELIMIT.
 */
int ldif_source_fill(struct ldif_reader *, struct arena *, struct diag *);

/* ---- ldif_line.c ---- */

/*
 * Next line of the record; comments are left out. HB_OK; HB_EEND: the record
 * ends (its blank line is taken) ; HB_ELIMIT.
 */
int ldif_line_next(struct ldif_reader *, struct arena *, struct ldif_line *);
/* Take the rest of the record, its blank line included. */
void ldif_line_skip_record(struct ldif_reader *);
/*
 * Name and decoded value of LINE. HB_OK, HB_EINVAL with DIAG, HB_ELIMIT.
 */
int ldif_line_parse(struct ldif_reader *, struct arena *,
    const struct ldif_line *, struct ldif_value *value_r, struct diag *);
/* The value behind the ':' at SPEC, in any of the three spellings. */
int ldif_line_value(struct ldif_reader *, struct arena *,
    const struct ldif_line *, struct slice spec, struct slice *value_r,
    struct diag *);
/* HB_EINVAL: file, line, WHAT was expected and the line's text. */
int ldif_line_fail(struct ldif_reader *, const struct ldif_line *,
    struct diag *, const char *what);

#endif
