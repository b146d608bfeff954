/*
 * LDIF text: every record is read to its end, errors do not stop the reader,
 * what is written of a record reads back the same.
 */
#include <stdlib.h>

#include "ldif.h"
#include "util/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
want(bool ok)
{
	if (!ok)
		abort();
}

static void
write_and_read(struct arena *arena, const struct ldif_record *rec)
{
	struct ldif_record again;
	struct ldif_reader *r;
	struct buf buf;
	unsigned i;

	buf_init(&buf);
	ldif_put(&buf, SLICE("dn"), rec->dn, LDIF_WRAP, false);
	for (i = 0; i < rec->nvalues; i++)
		ldif_put(&buf, rec->values[i].name, rec->values[i].value,
		    2 + i, i % 2 == 1);
	r = ldif_open_memory(buf_slice(&buf), "again", 0);
	want(ldif_next(r, arena, &again, NULL) == HB_OK);
	want(slice_is_eq(rec->dn, again.dn));
	want(rec->nvalues == again.nvalues);
	for (i = 0; i < rec->nvalues; i++)
		want(slice_is_eq(rec->values[i].value, again.values[i].value));
	ldif_close(&r);
	buf_fini(&buf);
}

/* Names that mean something in LDIF itself, or that fold out of shape. */
static bool
is_plain(const struct ldif_record *rec)
{
	unsigned i;

	if (rec->change != LDIF_CONTENT || rec->nvalues > 50)
		return false;
	for (i = 0; i < rec->nvalues; i++)
		if (slice_is_eq_nocase(rec->values[i].name,
		    SLICE("changetype")) || slice_is_eq_nocase(
		    rec->values[i].name, SLICE("control")) ||
		    memchr("# \n\r", rec->values[i].name.ptr[0], 4) != NULL ||
		    memchr(rec->values[i].name.ptr, '\r',
		    rec->values[i].name.len) != NULL)
			return false;
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ldif_record rec;
	struct ldif_reader *r;
	struct arena arena;
	struct diag diag;
	uint64_t done, total;
	size_t turns = 0;
	int rc;

	arena_init(&arena, 1 << 22);
	r = ldif_open_memory(slice(data, size), "fuzz", 0);
	do {
		want(turns++ <= size);
		diag_clear(&diag);
		rc = ldif_next(r, &arena, &rec, &diag);
		want(rc == HB_OK || rc == HB_EEND || rc == HB_EINVAL ||
		    rc == HB_ELIMIT);
		want(rc != HB_EINVAL || (diag.text[0] != '\0' &&
		    diag.line > 0));
		if (rc == HB_OK && is_plain(&rec))
			write_and_read(&arena, &rec);
		arena_reset(&arena);
	} while (rc != HB_EEND);
	ldif_position(r, &done, &total);
	want(done == total && total == size);
	ldif_close(&r);
	arena_fini(&arena);
	return 0;
}
