/* cn=Subschema (RFC 4512 4.2), built once: the schema is frozen. */
#include <string.h>
#include <time.h>

#include "fop.h"
#include "own.h"
#include "server.h"
#include "util/err.h"
#include "util/text.h"

struct put {
	struct own_entry *own;
	const char *name;
};

static void
put_definition(struct slice text, void *arg)
{
	struct put *p = arg;

	own_add(p->own, p->name, text);
}

void
subschema_init(struct server *srv)
{
	static const struct {
		enum schema_kind kind;
		const char *name;
	} parts[] = {
		{ SCHEMA_SYNTAXES, "ldapSyntaxes" },
		{ SCHEMA_RULES, "matchingRules" },
		{ SCHEMA_RULE_USES, "matchingRuleUse" },
		{ SCHEMA_TYPES, "attributeTypes" },
		{ SCHEMA_CLASSES, "objectClasses" },
		{ SCHEMA_CONTENT_RULES, "dITContentRules" }
	};
	const struct slapd_conf *conf = srv->conf;
	const struct dn *dn = &slapd_db_conf(conf->frontend)->schema_dn;
	struct own_entry o;
	struct ava *avas;
	unsigned n;
	char now[16];

	own_begin(&o, srv);
	own_add(&o, "objectClass", SLICE("top"));
	own_add(&o, "objectClass", SLICE("subentry"));
	own_add(&o, "objectClass", SLICE("subschema"));
	own_add(&o, "objectClass", SLICE("extensibleObject"));
	if (dn_rdn_avas(&o.arena, conf->schema, dn, &avas, &n) == HB_OK)
		for (unsigned i = 0; i < n; i++)
			own_add(&o, avas[i].desc->type->names[0],
			    avas[i].value);
	own_add(&o, "structuralObjectClass", SLICE("subentry"));
	text_gentime(time(NULL), now);
	own_add(&o, "createTimestamp", slice_of(now));
	own_add(&o, "modifyTimestamp", slice_of(now));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct put p = { &o, parts[i].name };

		schema_describe(conf->schema, parts[i].kind, put_definition,
		    &p);
	}
	srv->subschema = own_end(&o, dn);
}
