/* Made-up people: see people.h. */
#include <openssl/sha.h>
#include <strings.h>

#include "people.h"
#include "util/err.h"
#include "util/text.h"

#define WORDS(words)	words, sizeof words / sizeof *words
#define ENTRY_ROOM	4096		/* of all but the base's name */
#define SALT_LEN	8

static const char *const given[] = {
	"Ada", "Aki", "Alba", "Anders", "Anneke", "Aram", "Bela", "Birgit",
	"Bruno", "Carys", "Chen", "Clara", "Dafne", "Darius", "Dora", "Edwin",
	"Eirik", "Elif", "Emeka", "Esther", "Farah", "Felix", "Fiona", "Gita",
	"Goran", "Greta", "Hamid", "Hanna", "Hugo", "Ines", "Ivo", "Jana",
	"Jorge", "Juno", "Kaito", "Katya", "Lars", "Leila", "Lucia", "Maeve",
	"Marek", "Mina", "Nadia", "Nils", "Nora", "Olga", "Omar", "Otto",
	"Paola", "Pavel", "Quentin", "Rana", "Rhys", "Rosa", "Sanjay", "Selma",
	"Tariq", "Thea", "Ulrike", "Viktor", "Wanda", "Yara", "Yusuf", "Zofia"
};
/* A last name is one of each. */
static const char *const onset[] = {
	"Alder", "Birch", "Brook", "Coal", "Dun", "East", "Fern", "Grey",
	"Holm", "Kings", "Lang", "Moor", "North", "Oak", "Stan", "Thorn"
};
static const char *const ending[] = {
	"bury", "by", "cliffe", "croft", "dale", "field", "ford", "gate",
	"ham", "hurst", "ley", "mere", "stead", "ton", "ward", "worth"
};
static const char *const title[] = {
	"Accountant", "Analyst", "Architect", "Caretaker", "Chemist",
	"Designer", "Editor", "Engineer", "Head of department", "Lawyer",
	"Librarian", "Nurse", "Planner", "Secretary", "Technician", "Writer"
};
static const char *const town[] = {
	"Aberdeen", "Bath", "Bristol", "Cardiff", "Derby", "Durham", "Exeter",
	"Glasgow", "Leeds", "Lincoln", "Norwich", "Oxford", "Preston",
	"Reading", "Swansea", "York"
};

/* Numbers that depend on the seed and the person only. */
static uint64_t
mix(uint64_t seed, uint64_t i, uint64_t what)
{
	uint64_t z = seed * 0x9e3779b97f4a7c15u + i * 0xd6e8feb86659fd93u +
	    what * 0xa0761d6478bd642fu;

	z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
	z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
	return z ^ z >> 32;
}

/* Take a number below N out of *DICE. */
static unsigned
throw(uint64_t *dice, unsigned n)
{
	unsigned v = (unsigned)(*dice % n);

	*dice /= n;
	return v;
}

static const char *
pick(uint64_t *dice, const char *const *words, size_t n)
{
	return words[throw(dice, (unsigned)n)];
}

static void
put_number(struct buf *out, uint64_t v, size_t width)
{
	char text[20];
	size_t i = sizeof text;

	do
		text[--i] = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	for (; sizeof text - i < width; width--)
		buf_put_char(out, '0');
	buf_put(out, text + i, sizeof text - i);
}

static void
put_team_dn(struct buf *out, const struct people *p, uint64_t team)
{
	if (p->tree) {
		buf_put_str(out, "ou=Team-");
		put_number(out, team, 0);
		buf_put_char(out, ',');
	}
	buf_put_str(out, "ou=People,");
	buf_put_str(out, p->base);
	buf_put_char(out, '\n');
}

static void
put_person_dn(struct buf *out, const struct people *p, uint64_t i)
{
	buf_put_str(out, "uid=user.");
	put_number(out, i, 0);
	buf_put_char(out, ',');
	put_team_dn(out, p, i / PEOPLE_PER_TEAM);
}

static void
put_password(struct buf *out, const struct people *p, uint64_t i)
{
	unsigned char hash[SHA_DIGEST_LENGTH + SALT_LEN], text[64];
	uint64_t dice = mix(p->seed, i, 3);
	size_t start = out->len, len, k;

	buf_put_str(out, "password.");
	put_number(out, i, 0);
	if (!p->ssha)
		return;
	len = out->len - start;
	memcpy(text, out->data + start, len);
	for (k = 0; k < SALT_LEN; k++)
		text[len + k] = (unsigned char)(dice >> 8 * k);
	SHA1(text, len + SALT_LEN, hash);
	memcpy(hash + SHA_DIGEST_LENGTH, text + len, SALT_LEN);
	out->len = start;
	buf_put_str(out, "{SSHA}");
	text_base64_encode(out, slice(hash, sizeof hash));
}

static void
put_names(struct buf *out, uint64_t *dice, uint64_t i)
{
	const char *g = pick(dice, WORDS(given));
	const char *a = pick(dice, WORDS(onset));
	const char *b = pick(dice, WORDS(ending));

	buf_put_str(out, "\ncn: ");
	buf_put_str(out, g);
	buf_put_char(out, ' ');
	buf_put_str(out, a);
	buf_put_str(out, b);
	buf_put_str(out, "\nsn: ");
	buf_put_str(out, a);
	buf_put_str(out, b);
	buf_put_str(out, "\ngivenName: ");
	buf_put_str(out, g);
	buf_put_str(out, "\ninitials: ");
	buf_put_char(out, g[0]);
	buf_put_char(out, a[0]);
	buf_put_str(out, "\ndisplayName: ");
	buf_put_str(out, g);
	buf_put_char(out, ' ');
	buf_put_str(out, a);
	buf_put_str(out, b);
	buf_put_str(out, " (");
	put_number(out, i, 0);
	buf_put_str(out, ")\nmail: user.");
	put_number(out, i, 0);
	buf_put_str(out, "@example.com");
}

static void
put_work(struct buf *out, uint64_t *dice, uint64_t i)
{
	const char *t = pick(dice, WORDS(title)), *l = pick(dice, WORDS(town));

	buf_put_str(out, "\nemployeeNumber: ");
	put_number(out, i, 6);
	buf_put_str(out, "\ndepartmentNumber: ");
	put_number(out, throw(dice, 200), 3);
	buf_put_str(out, "\ntitle: ");
	buf_put_str(out, t);
	buf_put_str(out, "\nl: ");
	buf_put_str(out, l);
	buf_put_str(out, "\nroomNumber: ");
	put_number(out, throw(dice, 900) + 100, 0);
	buf_put_str(out, "\ntelephoneNumber: +44 1632 96");
	put_number(out, throw(dice, 10000), 4);
	buf_put_str(out, "\nmobile: +44 7700 900");
	put_number(out, throw(dice, 1000), 3);
	buf_put_str(out, "\ndescription: ");
	buf_put_str(out, t);
	buf_put_str(out, " in ");
	buf_put_str(out, l);
	buf_put_str(out, ", one of the people that slapbench made up");
}

static void
put_posix(struct buf *out, uint64_t i)
{
	buf_put_str(out, "\nuidNumber: ");
	put_number(out, 10000 + i, 0);
	buf_put_str(out, "\ngidNumber: ");
	put_number(out, 10000 + i / PEOPLE_PER_TEAM, 0);
	buf_put_str(out, "\nhomeDirectory: /home/user.");
	put_number(out, i, 0);
	buf_put_str(out, "\nloginShell: /bin/sh");
}

void
people_put_person(struct buf *out, const struct people *p, uint64_t i)
{
	uint64_t names = mix(p->seed, i, 1), work = mix(p->seed, i, 2);

	buf_reserve(out, ENTRY_ROOM);
	buf_put_str(out, "dn: ");
	put_person_dn(out, p, i);
	buf_put_str(out, "objectClass: inetOrgPerson\n");
	if (p->posix)
		buf_put_str(out, "objectClass: posixAccount\n");
	buf_put_str(out, "uid: user.");
	put_number(out, i, 0);
	put_names(out, &names, i);
	put_work(out, &work, i);
	if (p->posix)
		put_posix(out, i);
	buf_put_str(out, "\nuserPassword: ");
	put_password(out, p, i);
	buf_put_str(out, "\n\n");
}

void
people_put_team(struct buf *out, const struct people *p, uint64_t team)
{
	buf_put_str(out, "dn: ");
	put_team_dn(out, p, team);
	buf_put_str(out, "objectClass: organizationalUnit\nou: Team-");
	put_number(out, team, 0);
	buf_put_str(out, "\n\n");
}

/* Spread evenly over its thousand people; all of them when they are few. */
void
people_put_group(struct buf *out, const struct people *p, uint64_t group)
{
	uint64_t first = group * PEOPLE_PER_TEAM, m = p->count - first, k;
	uint64_t members;

	if (m > PEOPLE_PER_TEAM)
		m = PEOPLE_PER_TEAM;
	members = m < PEOPLE_PER_GROUP ? m : PEOPLE_PER_GROUP;
	buf_put_str(out, "dn: cn=group.");
	put_number(out, group, 0);
	buf_put_str(out, ",ou=Groups,");
	buf_put_str(out, p->base);
	buf_put_str(out, "\nobjectClass: groupOfNames\ncn: group.");
	put_number(out, group, 0);
	buf_put_char(out, '\n');
	for (k = 0; k < members; k++) {
		buf_put_str(out, "member: ");
		put_person_dn(out, p, first + k * m / members);
	}
	buf_put_char(out, '\n');
}

static const struct {
	const char *attr, *classes;
} bases[] = {
	{ "dc", "objectClass: dcObject\nobjectClass: organization\n"
	    "o: Made up by slapbench\n" },
	{ "o", "objectClass: organization\n" },
	{ "ou", "objectClass: organizationalUnit\n" },
	{ "c", "objectClass: country\n" }
};

int
people_put_base(struct buf *out, const struct people *p, struct diag *diag)
{
	const char *eq = strchr(p->base, '=');
	size_t len = eq != NULL ? (size_t)(eq - p->base) : 0, i, value;

	if (!text_is_ascii(slice_of(p->base)))
		return diag_err(diag, HB_EINVAL, "-b \"%s\": only ASCII is "
		    "possible", p->base);
	for (i = 0; i < sizeof bases / sizeof *bases; i++)
		if (strlen(bases[i].attr) == len && eq != NULL &&
		    strncasecmp(bases[i].attr, p->base, len) == 0)
			break;
	value = eq != NULL ? strcspn(eq + 1, ",+\\\"") : 0;
	if (i == sizeof bases / sizeof *bases || value == 0 ||
	    (eq[1 + value] != ',' && eq[1 + value] != '\0'))
		return diag_err(diag, HB_EINVAL, "-b \"%s\": a name that "
		    "begins with dc=, o=, ou= or c= and a plain value is "
		    "expected", p->base);
	buf_printf(out, "dn: %s\n%s%s: %.*s\n\n", p->base, bases[i].classes,
	    bases[i].attr, (int)value, eq + 1);
	for (i = 0; i < 2; i++)
		buf_printf(out, "dn: ou=%s,%s\nobjectClass: "
		    "organizationalUnit\nou: %s\n\n", i == 0 ? "People" :
		    "Groups", p->base, i == 0 ? "People" : "Groups");
	return HB_OK;
}
