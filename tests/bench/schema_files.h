/*
 * The shipped schema files, read for the benchmarks: of slapd.conf's lines just
 * the two that define something.
 */
#ifndef SCHEMA_FILES_H
#define SCHEMA_FILES_H

#include <string.h>

#include "schema.h"
#include "util/buf.h"
#include "util/err.h"

static inline void
schema_file_line(struct schema *schema, struct slice line)
{
	const struct slice at = SLICE("attributetype "),
	    oc = SLICE("objectclass ");
	int rc = HB_OK;

	if (slice_has_prefix(line, at))
		rc = schema_add_attr_type(schema, slice_skip(line, at.len),
		    NULL, 0, NULL, NULL);
	else if (slice_has_prefix(line, oc))
		rc = schema_add_object_class(schema, slice_skip(line, oc.len),
		    NULL, 0, NULL, NULL);
	if (rc != HB_OK)
		abort();
}

static inline void
schema_file_read(struct schema *schema, const char *name)
{
	char text[1024];
	struct buf line;
	FILE *fp;

	snprintf(text, sizeof(text), SCHEMA_DIR "/%s.schema", name);
	if ((fp = fopen(text, "r")) == NULL)
		abort();
	buf_init(&line);
	while (fgets(text, sizeof(text), fp) != NULL) {
		text[strcspn(text, "\n")] = '\0';
		if (text[0] != '\t') {
			schema_file_line(schema, buf_slice(&line));
			buf_reset(&line);
		}
		buf_put_str(&line, text);
	}
	schema_file_line(schema, buf_slice(&line));
	fclose(fp);
	buf_fini(&line);
}

#endif
