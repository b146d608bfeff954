/* Reading and writing LDIF, in octets a second. */
#include "bench.h"
#include "ldif.h"
#include "util/err.h"

static void
make(struct buf *out)
{
	unsigned i;

	for (i = 0; i < 2000; i++)
		buf_printf(out, "dn: uid=user.%u,ou=people,dc=example,dc=com\n"
		    "objectClass: inetOrgPerson\nuid: user.%u\n"
		    "cn: Firstname%u Lastname\nsn: Lastname\n"
		    "mail: firstname%u.lastname@example.com\n"
		    "telephoneNumber: +49 30 %08u\n"
		    "description: This is the description of user %u, who "
		    "has one of some length\n\n", i, i, i, i, i, i);
}

static unsigned
read_all(struct arena *arena, struct slice text)
{
	struct ldif_reader *r = ldif_open_memory(text, "bench", 0);
	struct ldif_record rec;
	unsigned n = 0;

	for (; ldif_next(r, arena, &rec, NULL) == HB_OK; n++)
		arena_reset(arena);
	ldif_close(&r);
	if (n != 2000)
		abort();
	return n;
}

static void
write_some(struct buf *out, struct slice name, struct slice value, bool b64)
{
	buf_reset(out);
	ldif_put(out, name, value, LDIF_WRAP, b64);
}

int
main(void)
{
	char value[500];
	struct arena arena;
	struct buf text, out;

	arena_init(&arena, 0);
	buf_init(&text);
	buf_init(&out);
	make(&text);
	memset(value, 'v', sizeof(value));
	BENCH("read 2000 entries", text.len,
	    read_all(&arena, buf_slice(&text)));
	BENCH("write a line of 40", 44, write_some(&out, SLICE("cn"),
	    slice(value, 40), false));
	BENCH("write 500 octets, folded", 504, write_some(&out, SLICE("cn"),
	    slice(value, 500), false));
	BENCH("write 500 octets, base64", 504, write_some(&out, SLICE("cn"),
	    slice(value, 500), true));
	buf_fini(&out);
	buf_fini(&text);
	arena_fini(&arena);
	return 0;
}
