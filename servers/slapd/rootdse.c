/*
 * The root DSE (RFC 4512 5.1), built once: what a server offers does not
 * change while it runs.
 */
#include <string.h>

#include "fop.h"
#include "overlay.h"
#include "own.h"
#include "server.h"
#include "util/err.h"
#include "util/log.h"

static const char *const features[] = {
	"1.3.6.1.1.14",			/* modify increment, RFC 4525 */
	"1.3.6.1.4.1.4203.1.5.1",	/* "+", RFC 3673 */
	"1.3.6.1.4.1.4203.1.5.2",	/* "@class", RFC 4529 */
	"1.3.6.1.4.1.4203.1.5.3",	/* (&) and (|), RFC 4526 */
	"1.3.6.1.4.1.4203.1.5.4",	/* language tags, RFC 3866 */
	"1.3.6.1.4.1.4203.1.5.5",	/* language ranges, RFC 3866 */
	NULL
};

static void
put_controls(struct own_entry *o)
{
	const char *oid;
	bool hidden;

	for (unsigned i = 0; (oid = control_oid(i, &hidden)) != NULL; i++)
		if (!hidden)
			own_add(o, "supportedControl", slice_of(oid));
}

/* What overlays offer, each once however many instances there are. */
static void
put_overlays(struct own_entry *o, const struct slapd_conf *conf)
{
	for (struct overlay *ov = conf->overlays; ov != NULL;
	    ov = ov->next_of_all) {
		const struct overlay_control *c = ov->type->controls;
		const struct overlay_exop *x = ov->type->exops;
		struct overlay *first = conf->overlays;

		while (first->type != ov->type)
			first = first->next_of_all;
		if (first != ov)
			continue;
		for (; c != NULL && c->oid != NULL; c++)
			if (!c->hidden)
				own_add(o, "supportedControl",
				    slice_of(c->oid));
		for (; x != NULL && x->oid != NULL; x++)
			own_add(o, "supportedExtension", slice_of(x->oid));
	}
}

static void
put_contexts(struct own_entry *o, const struct slapd_conf *conf)
{
	for (unsigned i = 0; i < conf->ndbs; i++) {
		const struct be_db *db = conf->dbs[i];

		if (db->hidden || (db->subordinate && !db->advertise))
			continue;
		for (unsigned j = 0; j < db->nsuffixes; j++)
			own_add(o, "namingContexts", db->suffixes[j].text);
	}
}

void
rootdse_init(struct server *srv)
{
	const struct slapd_conf *conf = srv->conf;
	struct own_entry o;
	const char *oid;

	own_begin(&o, srv);
	own_add(&o, "objectClass", SLICE("top"));
	own_add(&o, "objectClass", SLICE("OpenLDAProotDSE"));
	for (unsigned i = 0; i < conf->root_dse.n; i++)
		own_add_attr(&o, &conf->root_dse.v[i]);
	own_add(&o, "structuralObjectClass", SLICE("OpenLDAProotDSE"));
	put_contexts(&o, conf);
	put_controls(&o);
	for (unsigned i = 0; (oid = exop_oid(i)) != NULL; i++)
		own_add(&o, "supportedExtension", slice_of(oid));
	put_overlays(&o, conf);
	for (unsigned i = 0; features[i] != NULL; i++)
		own_add(&o, "supportedFeatures", slice_of(features[i]));
	if (conf->allows & ALLOW_BIND_V2)
		own_add(&o, "supportedLDAPVersion", SLICE("2"));
	own_add(&o, "supportedLDAPVersion", SLICE("3"));
	for (unsigned i = 0; i < conf->nreferrals; i++)
		own_add(&o, "ref", conf->referrals[i]);
	srv->root_dse = own_end(&o, &DN_EMPTY);
}
