/*
 * Lines of the access language, with the built-in schema.
 */
#include <stddef.h>
#include <stdint.h>

#include "dn.h"
#include "servers/slapd/acl.h"
#include "servers/slapd/registry.h"
#include "util/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const struct slapd_backend *const slapd_static_backends[] = { NULL };

struct target {
	struct acl_list *list;
	struct schema *schema;
};

static int
add_rule(const struct cfg_line *line, void *arg, struct diag *diag)
{
	struct target *t = arg;

	/* a bad line is no reason to stop */
	diag_clear(diag);
	(void)acl_list_add(t->list, t->schema, line, diag);
	return HB_OK;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct schema *schema;
	struct diag diag = DIAG_INIT;
	struct arena arena;
	struct target t;

	if (schema == NULL) {
		dn_init();
		schema = schema_new();
		schema_freeze(schema);
	}
	arena_init(&arena, 0);
	t = (struct target){ acl_list_new(&arena), schema };
	(void)cfg_read_memory(slice(data, size), "fuzz", NULL, add_rule, &t,
	    &diag);
	acl_list_fini(t.list);
	arena_fini(&arena);
	return 0;
}
