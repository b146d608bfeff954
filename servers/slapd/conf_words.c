/*
 * Directives whose arguments are words of a list: allow, require, restrict,
 * security.
 */
#include <limits.h>

#include "conf_int.h"
#include "util/err.h"
#include "util/text.h"

const struct cfg_word conf_allow_words[] = {
	{ "bind_v2", ALLOW_BIND_V2 },
	{ "bind_anon_cred", ALLOW_BIND_ANON_CRED },
	{ "bind_anon_dn", ALLOW_BIND_ANON_DN },
	{ "update_anon", ALLOW_UPDATE_ANON },
	{ "proxy_authz_anon", ALLOW_PROXY_AUTHZ_ANON },
	{ NULL, 0 }
};

const struct cfg_word conf_disallow_words[] = {
	{ "bind_anon", DISALLOW_BIND_ANON },
	{ "bind_simple", DISALLOW_BIND_SIMPLE },
	{ "tls_2_anon", DISALLOW_TLS_2_ANON },
	{ "tls_authc", DISALLOW_TLS_AUTHC },
	{ "proxy_authz_non_critical", DISALLOW_PROXY_AUTHZ_NON_CRITICAL },
	{ "dontusecopy_non_critical", DISALLOW_DONTUSECOPY_NON_CRITICAL },
	{ NULL, 0 }
};

static const struct cfg_word require_words[] = {
	{ "bind", REQUIRE_BIND }, { "LDAPv3", REQUIRE_LDAPV3 },
	{ "authc", REQUIRE_AUTHC }, { "SASL", REQUIRE_SASL },
	{ "strong", REQUIRE_STRONG }, { NULL, 0 }
};

#define RESTRICT_READS	(RESTRICT_OP(OP_COMPARE) | RESTRICT_OP(OP_SEARCH))
#define RESTRICT_WRITES	(RESTRICT_OP(OP_ADD) | RESTRICT_OP(OP_DELETE) | \
	RESTRICT_OP(OP_MODIFY) | RESTRICT_OP(OP_MODRDN) | RESTRICT_EXOP_PASSMOD)

static const struct cfg_word restrict_words[] = {
	{ "bind", RESTRICT_OP(OP_BIND) },
	{ "add", RESTRICT_OP(OP_ADD) },
	{ "modify", RESTRICT_OP(OP_MODIFY) },
	{ "rename", RESTRICT_OP(OP_MODRDN) },
	{ "modrdn", RESTRICT_OP(OP_MODRDN) },
	{ "delete", RESTRICT_OP(OP_DELETE) },
	{ "search", RESTRICT_OP(OP_SEARCH) },
	{ "compare", RESTRICT_OP(OP_COMPARE) },
	{ "extended", RESTRICT_OP(OP_EXTENDED) },
	{ "extended=1.3.6.1.4.1.1466.20037", RESTRICT_EXOP_STARTTLS },
	{ "extended=1.3.6.1.4.1.4203.1.11.1", RESTRICT_EXOP_PASSMOD },
	{ "extended=1.3.6.1.4.1.4203.1.11.3", RESTRICT_EXOP_WHOAMI },
	{ "extended=1.3.6.1.1.8", RESTRICT_EXOP_CANCEL },
	{ "read", RESTRICT_READS },
	{ "write", RESTRICT_WRITES },
	{ "all", RESTRICT_READS | RESTRICT_WRITES | RESTRICT_OP(OP_BIND) |
	    RESTRICT_OP(OP_EXTENDED) },
	{ NULL, 0 }
};

static const char *
nearest_word(const struct cfg_word *words, const char *word)
{
	const char *known[32];
	size_t n = 0;

	for (; words[n].word != NULL && n < 32; n++)
		known[n] = words[n].word;
	return text_nearest(slice_of(word), known, n);
}

static int
unknown(const struct cfg_line *line, const struct cfg_word *words,
    const char *word, struct diag *diag)
{
	const char *near = nearest_word(words, word);
	int rc = diag_err(diag, HB_EINVAL, "<%s> unknown value \"%s\"",
	    line->words[0], word);

	if (near != NULL)
		diag_add(diag, "did you mean \"%s\"?", near);
	return rc;
}

static int
add_words(const struct cfg_line *line, unsigned i, const struct cfg_word *words,
    unsigned *v, struct diag *diag)
{
	for (; i < line->nwords; i++) {
		const struct cfg_word *w = words;

		while (w->word != NULL &&
		    strcasecmp(w->word, line->words[i]) != 0)
			w++;
		if (w->word == NULL)
			return unknown(line, words, line->words[i], diag);
		*v |= (unsigned)w->value;
	}
	return HB_OK;
}

/* "none" as the first word drops what was inherited. */
static int
set_words(const struct cfg_line *line, const struct cfg_word *words,
    unsigned *v, struct diag *diag)
{
	bool none = strcasecmp(line->words[1], "none") == 0;
	unsigned set = none ? 0 : *v;
	int rc;

	if ((rc = add_words(line, none ? 2 : 1, words, &set, diag)) == HB_OK)
		*v = set;
	return rc;
}

int
conf_parse_require(const struct cfg_line *line, unsigned *requires_r,
    struct diag *diag)
{
	return set_words(line, require_words, requires_r, diag);
}

int
conf_parse_restrict(const struct cfg_line *line, unsigned *restricts_r,
    struct diag *diag)
{
	return set_words(line, restrict_words, restricts_r, diag);
}

static const struct {
	const char *name;
	size_t offset;
} factors[] = {
	{ "ssf=", offsetof(struct conf_security, ssf) },
	{ "transport=", offsetof(struct conf_security, transport) },
	{ "tls=", offsetof(struct conf_security, tls) },
	{ "sasl=", offsetof(struct conf_security, sasl) },
	{ "update_ssf=", offsetof(struct conf_security, update_ssf) },
	{ "update_transport=",
	    offsetof(struct conf_security, update_transport) },
	{ "update_tls=", offsetof(struct conf_security, update_tls) },
	{ "update_sasl=", offsetof(struct conf_security, update_sasl) },
	{ "simple_bind=", offsetof(struct conf_security, simple_bind) },
};

static int
parse_factor(const struct cfg_line *line, const char *word,
    struct conf_security *sec, struct diag *diag)
{
	for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++) {
		size_t n = strlen(factors[i].name);
		uint64_t v;

		if (strncasecmp(word, factors[i].name, n) != 0)
			continue;
		if (text_to_uint(slice_of(word + n), &v) != HB_OK ||
		    v > INT_MAX)
			return diag_err(diag, HB_EINVAL,
			    "<%s> unable to parse factor \"%s\"",
			    line->words[0], word);
		*(unsigned *)((char *)sec + factors[i].offset) = (unsigned)v;
		return HB_OK;
	}
	return diag_err(diag, HB_EINVAL, "<%s> unknown factor \"%s\"",
	    line->words[0], word);
}

int
conf_parse_security(const struct cfg_line *line, struct conf_security *sec,
    struct diag *diag)
{
	int rc = HB_OK;

	for (unsigned i = 1; i < line->nwords && rc == HB_OK; i++)
		rc = parse_factor(line, line->words[i], sec, diag);
	return rc;
}
