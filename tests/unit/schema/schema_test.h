/* What the tests of this folder share: a schema with a few definitions. */
#ifndef SCHEMA_TEST_H
#define SCHEMA_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "schema.h"

#define S_ARC	"1.3.6.1.4.1.1466.115.121.1."

static inline void
add_type(struct schema *schema, const char *text)
{
	struct diag diag = DIAG_INIT;
	int rc = schema_add_attr_type(schema, slice_of(text), "test", 1, NULL,
	    &diag);

	if (rc != HB_OK)
		fail_msg("%s: %s", text, diag.text);
}

static inline void
add_class(struct schema *schema, const char *text)
{
	struct diag diag = DIAG_INIT;
	int rc = schema_add_object_class(schema, slice_of(text), "test", 1,
	    NULL, &diag);

	if (rc != HB_OK)
		fail_msg("%s: %s", text, diag.text);
}

static inline void
assert_slice(struct slice got, const char *want)
{
	char text[512];

	snprintf(text, sizeof(text), "%.*s", SLICE_ARG(got));
	assert_string_equal(text, want);
}

#endif
