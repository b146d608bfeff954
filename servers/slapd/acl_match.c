/*
 * What clauses of access rules and limits match: DN styles, patterns,
 * addresses.
 */
#include <arpa/inet.h>

#include <ctype.h>
#include <stdlib.h>

#include "acl_int.h"
#include "util/err.h"
#include "util/text.h"

#define REPEATS_MAX		64
#define REPEAT_PRODUCT_MAX	65536

int
acl_parse_style(struct slice word, enum acl_style *style_r)
{
	static const struct {
		const char *word;
		enum acl_style style;
	} words[] = {
		{ "exact", ACL_STYLE_EXACT }, { "base", ACL_STYLE_EXACT },
		{ "baseobject", ACL_STYLE_EXACT },
		{ "one", ACL_STYLE_ONE }, { "onelevel", ACL_STYLE_ONE },
		{ "sub", ACL_STYLE_SUB }, { "subtree", ACL_STYLE_SUB },
		{ "children", ACL_STYLE_CHILDREN },
		{ "regex", ACL_STYLE_REGEX }, { "expand", ACL_STYLE_EXPAND }
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (slice_is_eq_nocase(word, slice_of(words[i].word))) {
			*style_r = words[i].style;
			return HB_OK;
		}
	return HB_EINVAL;
}

bool
acl_dn_match(enum acl_style style, int level, const struct dn *dn,
    const struct dn *pattern)
{
	struct dn up;

	switch (style) {
	case ACL_STYLE_EXACT:
		return dn_is_eq(dn, pattern);
	case ACL_STYLE_ONE:
		return dn_is_child(dn, pattern);
	case ACL_STYLE_SUB:
		return dn_is_within(dn, pattern);
	case ACL_STYLE_CHILDREN:
		return dn->norm.len > pattern->norm.len &&
		    dn_is_within(dn, pattern);
	case ACL_STYLE_LEVEL:
		up = *dn;
		for (; level > 0 && !dn_is_empty(&up); level--)
			up = dn_parent(&up);
		return level == 0 && dn_is_eq(&up, pattern);
	default:
		return false;
	}
}

/* The last character of the bracket expression at P. */
static const char *
skip_bracket(const char *p)
{
	const char *end;

	p += p[1] == '^' ? 2 : 1;
	/* a ']' right at the start stands for itself */
	end = *p != '\0' ? strchr(p + 1, ']') : NULL;
	return end != NULL ? end : p - 1;
}

/*
 * regcomp() of repetitions of repetitions takes memory and time without bound:
 * patterns that no one needs are refused.
 */
static bool
is_reasonable(const char *p)
{
	unsigned long bound, product = 1;
	unsigned repeats = 0, stacked = 0;

	for (; *p != '\0'; p++) {
		if (*p == '\\' && p[1] != '\0') {
			p++;
			stacked = 0;
		} else if (*p == '[') {
			p = skip_bracket(p);
			stacked = 0;
		} else if (strchr("*+?{", *p) != NULL) {
			repeats++;
			if (++stacked > 2)
				return false;
			if (*p != '{')
				continue;
			/* the larger one of {m,n} */
			for (p++; *p != '\0' && *p != '}'; p++) {
				bound = strtoul(p, NULL, 10);
				if (bound > 1 && (product *= bound) >
				    REPEAT_PRODUCT_MAX)
					return false;
			}
			if (*p == '\0')
				break;
		} else if (*p != ')') {
			stacked = 0;
		}
	}
	return repeats <= REPEATS_MAX;
}

int
acl_regex_new(struct arena *arena, const char *pattern, regex_t **re_r,
    struct diag *diag)
{
	regex_t *re = arena_zalloc(arena, sizeof(*re));
	char text[128];
	int rc;

	if (re == NULL)
		return HB_ELIMIT;
	if (!is_reasonable(pattern))
		return diag_err(diag, HB_EINVAL, "regular expression \"%s\" "
		    "repeats too much", pattern);
	if ((rc = regcomp(re, pattern, REG_EXTENDED | REG_ICASE)) != 0) {
		regerror(rc, re, text, sizeof(text));
		return diag_err(diag, HB_EINVAL, "regular expression \"%s\" "
		    "bad because of %s", pattern, text);
	}
	*re_r = re;
	return HB_OK;
}

bool
acl_regex_match(const regex_t *re, struct slice text, struct slice *matches,
    unsigned n)
{
	regmatch_t m[ACL_MATCHES];
	const char *base = text.ptr != NULL ? text.ptr : "";

	m[0].rm_so = 0;
	m[0].rm_eo = (regoff_t)text.len;
	if (regexec(re, base, n, m, REG_STARTEND) != 0)
		return false;
	for (unsigned i = 0; i < n; i++)
		matches[i] = m[i].rm_so < 0 ? SLICE_NONE :
		    slice(base + m[i].rm_so, (size_t)(m[i].rm_eo - m[i].rm_so));
	return true;
}

/*
 * A reference at P: "$n", "${n}", "${dn}", "${vn}". Its length, 0 if it is
 * none.
 */
static size_t
reference(const char *p, bool *value_r, unsigned *n_r)
{
	size_t i = 1;
	bool braces = false;

	*value_r = false;
	if (p[i] == '{') {
		braces = true;
		i++;
		if (p[i] == 'v' || p[i] == 'd')
			*value_r = p[i++] == 'v';
	}
	if (!isdigit((unsigned char)p[i]))
		return 0;
	*n_r = (unsigned)(p[i++] - '0');
	if (braces && p[i++] != '}')
		return 0;
	return i;
}

bool
acl_has_submatch(const char *pattern)
{
	bool value;
	unsigned n;

	for (const char *p = pattern; *p != '\0'; p++) {
		if (*p != '$')
			continue;
		if (p[1] == '$')
			p++;
		else if (reference(p, &value, &n) > 0)
			return true;
	}
	return false;
}

static void
put_quoted(struct buf *out, struct slice s, bool quote)
{
	for (size_t i = 0; i < s.len; i++) {
		if (quote && strchr(".[]{}()\\*+?|^$", s.ptr[i]) != NULL)
			buf_put_char(out, '\\');
		buf_put_char(out, s.ptr[i]);
	}
}

char *
acl_expand(struct arena *arena, const char *pattern,
    const struct acl_matches *m, bool quote)
{
	struct buf out;
	struct slice s;
	bool value;
	unsigned n;
	size_t len;

	buf_init(&out);
	for (const char *p = pattern; *p != '\0'; p++) {
		if (*p == '$' && p[1] == '$') {
			p++;
			/* the pattern's own: an anchor, if it is a regex */
			buf_put_char(&out, '$');
		} else if (*p == '$' &&
		    (len = reference(p, &value, &n)) > 0) {
			put_quoted(&out, value ? m->value[n] : m->dn[n],
			    quote);
			p += len - 1;
		} else {
			buf_put_char(&out, *p);
		}
	}
	s = arena_slice(arena, buf_slice(&out));
	buf_fini(&out);
	return (char *)(uintptr_t)s.ptr;
}

/* ---- addresses ---- */

static void
prefix_mask(struct acl_address *a, unsigned bits)
{
	for (unsigned i = 0; i < a->len; i++) {
		unsigned left = bits > i * 8 ? bits - i * 8 : 0;

		a->mask[i] = left >= 8 ? 0xff :
		    (uint8_t)(0xff << (8 - left));
	}
}

static bool
parse_mask(struct acl_address *a, const char *text)
{
	uint64_t bits;

	if (text_to_uint(slice_of(text), &bits) == HB_OK) {
		if (bits > a->len * 8)
			return false;
		prefix_mask(a, (unsigned)bits);
		return true;
	}
	return inet_pton(a->len == 4 ? AF_INET : AF_INET6, text, a->mask) == 1;
}

/* ADDR[%MASK][{PORT}] */
int
acl_parse_address(const char *text, struct acl_address *a, struct diag *diag)
{
	char addr[128], *mask, *port, *end;
	uint64_t n;

	memset(a, 0, sizeof(*a));
	a->port = -1;
	if (strlen(text) >= sizeof(addr))
		goto bad;
	memcpy(addr, text, strlen(text) + 1);
	if ((port = strchr(addr, '{')) != NULL) {
		*port++ = '\0';
		if ((end = strchr(port, '}')) == NULL || end[1] != '\0')
			goto bad;
		*end = '\0';
		if (text_to_uint(slice_of(port), &n) != HB_OK || n > 65535)
			goto bad;
		a->port = (int)n;
	}
	if ((mask = strchr(addr, '%')) != NULL)
		*mask++ = '\0';
	a->len = strchr(addr, ':') != NULL ? 16 : 4;
	if (inet_pton(a->len == 4 ? AF_INET : AF_INET6, addr, a->addr) != 1)
		goto bad;
	prefix_mask(a, a->len * 8);
	if (mask != NULL && !parse_mask(a, mask))
		goto bad;
	return HB_OK;
bad:
	return diag_err(diag, HB_EINVAL, "\"%s\" is no address: "
	    "addr[%%mask][{port}] expected", text);
}

/* "192.0.2.1:389" or "[2001:db8::1]:389" in two parts. */
static bool
split_peer(struct slice s, char host[64], struct slice *port_r)
{
	const char *colon = memrchr(s.ptr, ':', s.len);
	size_t n;

	if (colon == NULL)
		return false;
	*port_r = slice_skip(s, (size_t)(colon + 1 - s.ptr));
	s.len = (size_t)(colon - s.ptr);
	if (s.len >= 2 && s.ptr[0] == '[' && s.ptr[s.len - 1] == ']')
		s = slice(s.ptr + 1, s.len - 2);
	n = s.len;
	if (n >= 64)
		return false;
	memcpy(host, s.ptr, n);
	host[n] = '\0';
	return true;
}

/* An IPv4 client of an IPv6 socket counts as IPv4. */
static unsigned
parse_host(const char *host, uint8_t out[16])
{
	static const uint8_t mapped[12] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff
	};

	if (inet_pton(AF_INET, host, out) == 1)
		return 4;
	if (inet_pton(AF_INET6, host, out) != 1)
		return 0;
	if (memcmp(out, mapped, sizeof(mapped)) != 0)
		return 16;
	memmove(out, out + sizeof(mapped), 4);
	return 4;
}

unsigned
acl_peer_address(struct slice peername, uint8_t addr[16])
{
	char host[64];
	struct slice port;

	return slice_has_prefix(peername, SLICE("IP=")) &&
	    split_peer(slice_skip(peername, 3), host, &port) ?
	    parse_host(host, addr) : 0;
}

bool
acl_address_match(const struct acl_address *a, struct slice peername)
{
	char host[64];
	uint8_t addr[16];
	struct slice port;
	uint64_t n;

	if (!slice_has_prefix(peername, SLICE("IP=")) ||
	    !split_peer(slice_skip(peername, 3), host, &port) ||
	    parse_host(host, addr) != a->len)
		return false;
	for (unsigned i = 0; i < a->len; i++)
		if (((addr[i] ^ a->addr[i]) & a->mask[i]) != 0)
			return false;
	return a->port < 0 || (text_to_uint(port, &n) == HB_OK &&
	    n == (uint64_t)a->port);
}
