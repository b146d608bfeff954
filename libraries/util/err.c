/* Names and texts of the internal errors: see util/err.h. */
#include "util/err.h"

#include <stddef.h>

struct err_row {
	const char *name, *text;
};

static const struct err_row rows[] = {
#define HB_ERR(name, text, result)	{ #name, text },
#include "tbl/errors.tbl"
#undef HB_ERR
};

static const struct err_row *
row_of(int err)
{
	if (err <= HB_ERROR_BASE || err >= HB_ERROR_END)
		return NULL;
	return &rows[err - HB_ERROR_BASE - 1];
}

const char *
hb_strerror(int err)
{
	const struct err_row *row = row_of(err);

	return row != NULL ? row->text : "";
}

const char *
hb_errname(int err)
{
	const struct err_row *row = row_of(err);

	if (err == HB_OK)
		return "HB_OK";
	return row != NULL ? row->name : "unknown error";
}
