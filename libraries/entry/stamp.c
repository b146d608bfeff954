/*
 * Operational attributes that the server keeps (RFC 4512 3.4, RFC 4530).
 */
#include <stdint.h>
#include <sys/random.h>

#include "attrs_int.h"
#include "util/err.h"
#include "util/lock.h"

#define UUID_OCTETS	16
#define UUID_TEXT	36

/* Random octets for some UUIDs at once: a system call each would show in a bulk load. */
struct uuid_pool {
	uint8_t octets[16 * UUID_OCTETS];
	size_t left;
};

static _Thread_local struct uuid_pool pool;

static const uint8_t *
random_octets(void)
{
	size_t got = 0;
	ssize_t n;

	if (pool.left == 0) {
		while (got < sizeof(pool.octets)) {
			n = getrandom(pool.octets + got,
			    sizeof(pool.octets) - got, 0);
			if (n > 0)
				got += (size_t)n;
		}
		pool.left = sizeof(pool.octets);
	}
	pool.left -= UUID_OCTETS;
	return pool.octets + pool.left;
}

/* RFC 4122 4.4: version 4. */
static int
make_uuid(struct arena *arena, struct slice *text_r)
{
	static const char hex[] = "0123456789abcdef";
	uint8_t o[UUID_OCTETS];
	char *text, *p;
	unsigned i;

	if ((text = p = arena_alloc(arena, UUID_TEXT + 1)) == NULL)
		return HB_ELIMIT;
	memcpy(o, random_octets(), sizeof(o));
	o[6] = (o[6] & 0x0f) | 0x40;
	o[8] = (o[8] & 0x3f) | 0x80;
	for (i = 0; i < UUID_OCTETS; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		*p++ = hex[o[i] >> 4];
		*p++ = hex[o[i] & 15];
	}
	*p = '\0';
	*text_r = slice(text, UUID_TEXT);
	return HB_OK;
}

static int
set_if_absent(struct arena *arena, const struct schema *schema,
    struct attrs *attrs, const char *name, struct slice value)
{
	const struct attr_desc *desc = schema_builtin(schema, name);
	struct slice norm;
	int rc;

	if (attrs_find(attrs, desc) != NULL)
		return HB_OK;
	rc = schema_norm_value(schema, arena, desc, value, &norm);
	return rc != HB_OK ? rc : attrs_set(arena, attrs, desc, value, norm);
}

static int
set_dn_if_absent(struct arena *arena, const struct schema *schema,
    struct attrs *attrs, const char *name, const struct dn *dn)
{
	const struct attr_desc *desc = schema_builtin(schema, name);

	if (attrs_find(attrs, desc) != NULL)
		return HB_OK;
	return attrs_set(arena, attrs, desc, dn->text, dn->norm);
}

/* Who does something without a name is shown by one, as slapd does. */
static struct dn
author(const struct entry_stamp *stamp)
{
	const struct slice anonymous = SLICE("cn=anonymous");

	return dn_is_empty(&stamp->who) ? (struct dn){ anonymous, anonymous } :
	    stamp->who;
}

int
entry_stamp_add(struct arena *arena, struct schema *schema,
    struct attrs *attrs, const struct entry_stamp *stamp)
{
	struct dn who = author(stamp);
	struct slice uuid = SLICE_NONE;
	int rc = HB_OK;

	if (attrs_find(attrs, schema_builtin(schema, "entryUUID")) == NULL)
		rc = make_uuid(arena, &uuid);
	if (rc != HB_OK ||
	    (rc = set_if_absent(arena, schema, attrs, "entryUUID", uuid)) !=
	    HB_OK ||
	    (rc = set_dn_if_absent(arena, schema, attrs, "creatorsName",
	    &who)) != HB_OK ||
	    (rc = set_if_absent(arena, schema, attrs, "createTimestamp",
	    stamp->time)) != HB_OK ||
	    (rc = set_if_absent(arena, schema, attrs, "entryCSN",
	    stamp->csn)) != HB_OK ||
	    (rc = set_dn_if_absent(arena, schema, attrs, "modifiersName",
	    &who)) != HB_OK)
		return rc;
	return set_if_absent(arena, schema, attrs, "modifyTimestamp",
	    stamp->time);
}

static void
replace_one(struct slice *room, const struct attr_desc *desc,
    struct slice value, struct slice norm, struct mod *m_r)
{
	room[0] = value;
	room[1] = norm;
	*m_r = (struct mod){
		.type = MOD_REPLACE, .desc = desc, .values = room,
		.norms = room + 1, .n = 1, .internal = true
	};
}

int
entry_stamp_mods(struct arena *arena, struct schema *schema,
    const struct entry_stamp *stamp, struct mod mods[3])
{
	const struct attr_desc *csn = schema_builtin(schema, "entryCSN");
	const struct attr_desc *time = schema_builtin(schema,
	    "modifyTimestamp");
	struct dn who = author(stamp);
	struct slice *room, csn_norm, time_norm;
	int rc;

	if ((room = arena_calloc(arena, 6, sizeof(*room))) == NULL)
		return HB_ELIMIT;
	if ((rc = schema_norm_value(schema, arena, csn, stamp->csn,
	    &csn_norm)) != HB_OK ||
	    (rc = schema_norm_value(schema, arena, time, stamp->time,
	    &time_norm)) != HB_OK)
		return rc;
	replace_one(room, csn, stamp->csn, csn_norm, &mods[0]);
	replace_one(room + 2, schema_builtin(schema, "modifiersName"),
	    who.text, who.norm, &mods[1]);
	replace_one(room + 4, time, stamp->time, time_norm, &mods[2]);
	return HB_OK;
}
