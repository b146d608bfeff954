/*
 * Levels and privileges: what `by` clauses give and slapacl shows.
 */
#include <ctype.h>

#include "acl_int.h"

#define L_DISCLOSE	ACCESS_DISCLOSE
#define L_AUTH		(L_DISCLOSE | ACCESS_AUTH)
#define L_COMPARE	(L_AUTH | ACCESS_COMPARE)
#define L_SEARCH	(L_COMPARE | ACCESS_SEARCH)
#define L_READ		(L_SEARCH | ACCESS_READ)
#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

/* From the least on. */
static const struct { const char *name; unsigned rights; } levels[] = {
	{ "none", 0 }, { "disclose", L_DISCLOSE }, { "auth", L_AUTH },
	{ "compare", L_COMPARE }, { "search", L_SEARCH }, { "read", L_READ },
	{ "add", L_READ | ACCESS_WADD }, { "delete", L_READ | ACCESS_WDEL },
	{ "write", L_READ | ACCESS_WRITE },
	{ "manage", L_READ | ACCESS_WRITE | ACCESS_MANAGE },
};

/* In the order in which they are shown. */
static const struct { char letter; unsigned right; } privileges[] = {
	{ '0', 0 }, { 'm', ACCESS_MANAGE }, { 'w', ACCESS_WRITE },
	{ 'a', ACCESS_WADD }, { 'z', ACCESS_WDEL }, { 'r', ACCESS_READ },
	{ 's', ACCESS_SEARCH }, { 'c', ACCESS_COMPARE }, { 'x', ACCESS_AUTH },
	{ 'd', ACCESS_DISCLOSE },
};

static bool
parse_privileges(const char *s, unsigned *rights_r)
{
	*rights_r = 0;
	for (; *s != '\0'; s++) {
		size_t i = 0;

		while (i < COUNT(privileges) && privileges[i].letter !=
		    tolower((unsigned char)*s))
			i++;
		if (i == COUNT(privileges))
			return false;
		*rights_r |= privileges[i].right;
	}
	return true;
}

bool
acl_parse_rights(const char *word, unsigned *rights_r, char *op_r)
{
	*op_r = *word == '+' || *word == '-' ? *word : '=';
	if (*word == '=' || *word == '+' || *word == '-')
		return word[1] != '\0' && parse_privileges(word + 1, rights_r);
	for (size_t i = 0; i < COUNT(levels); i++)
		if (strcasecmp(word, levels[i].name) == 0) {
			*rights_r = levels[i].rights;
			return true;
		}
	return false;
}

void
acl_put_rights(struct buf *out, unsigned rights)
{
	const char *level = NULL;
	unsigned left = rights;

	for (size_t i = 0; i < COUNT(levels); i++)
		if (levels[i].rights == rights)
			level = levels[i].name;
	if (level != NULL)
		buf_printf(out, "%s(", level);
	buf_put_char(out, '=');
	if (rights == 0)
		buf_put_char(out, '0');
	for (size_t i = 1; i < COUNT(privileges); i++) {
		unsigned right = privileges[i].right;

		/* w stands for a and z */
		if ((rights & right) != right || (left & right) == 0)
			continue;
		buf_put_char(out, privileges[i].letter);
		left &= ~right;
	}
	if (level != NULL)
		buf_put_char(out, ')');
}

bool
acl_is_level_in(unsigned rights, unsigned have)
{
	static const unsigned own[COUNT(levels)] = {
		0, ACCESS_DISCLOSE, ACCESS_AUTH, ACCESS_COMPARE, ACCESS_SEARCH,
		ACCESS_READ, ACCESS_WADD, ACCESS_WDEL, ACCESS_WRITE,
		ACCESS_MANAGE
	};

	for (size_t i = 0; i < COUNT(levels); i++)
		if (levels[i].rights == rights)
			return (have & own[i]) == own[i];
	return (have & rights) == rights;
}
