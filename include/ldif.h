/*
 * LDIF (RFC 2849): reading records from memory, file or pipe with line numbers;
 * writing folded lines. Knows no schema. A reader belongs to one thread.
 */
#ifndef LDIF_H
#define LDIF_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/buf.h"
#include "util/diag.h"
#include "util/slice.h"

/* libldap has functions of these names, and may be in the same process. */
#define ldif_open	hb_ldif_open
#define ldif_close	hb_ldif_close

struct ldif_reader;

enum ldif_change {
	LDIF_CONTENT, LDIF_ADD, LDIF_DELETE, LDIF_MODIFY, LDIF_MODRDN
};

struct ldif_value {
	struct slice name;		/* description as written */
	struct slice value;		/* decoded */
	unsigned line;			/* of its first physical line */
};

struct ldif_mod {
	int op;				/* enum ldap_mod_type: 0 add 1 delete 2 replace 3 increment */
	struct slice name;
	struct ldif_value *values;
	unsigned n, line;
};

struct ldif_control {
	struct slice oid, value;	/* value NONE: absent */
	bool critical;
};

struct ldif_record {
	unsigned line;			/* of the dn: line */
	struct slice dn;
	enum ldif_change change;
	struct ldif_value *values;	/* CONTENT and ADD, in order of the file */
	unsigned nvalues;
	struct ldif_mod *mods;		/* MODIFY */
	unsigned nmods;
	struct slice new_rdn, new_superior;	/* MODRDN; superior may be NONE */
	bool delete_old;
	struct ldif_control *controls;
	unsigned ncontrols;
	struct slice raw;		/* the record as it stands in the input */
};

enum ldif_flags { LDIF_ALLOW_URLS = 1 };	/* "attr:< file:///..." */

/* FILE NULL or "-": standard input. A regular file is mapped. HB_EIO with errno text. */
int ldif_open(const char *file, unsigned flags, struct ldif_reader **reader_r,
    struct diag *);
/* From memory; NAME appears in errors. TEXT must outlive the reader. */
struct ldif_reader *ldif_open_memory(struct slice text, const char *name,
    unsigned flags);
void ldif_close(struct ldif_reader **reader);
/*
 * Next record; all it holds is in ARENA or in the mapped file, valid until the
 * arena is reset or the reader closed.
 * HB_OK; HB_EEND; HB_EINVAL with file, line, the line's text and what was expected
 * in DIAG: the rest of the record is skipped, reading can go on; HB_EIO; HB_ELIMIT.
 */
int ldif_next(struct ldif_reader *, struct arena *, struct ldif_record *rec_r,
    struct diag *);
/* Octets consumed so far and in all (0: not known, a pipe), for progress. */
void ldif_position(const struct ldif_reader *, uint64_t *done_r,
    uint64_t *total_r);

#define LDIF_WRAP	76		/* columns of a written line; 0: no folding */

/* "name: value\n" or "name:: base64\n", folded. FORCE64: always base64 (userPassword). */
void ldif_put(struct buf *out, struct slice name, struct slice value,
    unsigned wrap, bool force64);
void ldif_put_comment(struct buf *out, struct slice text, unsigned wrap);

#endif
