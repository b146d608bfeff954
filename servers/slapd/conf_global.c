/*
 * Directives that hold for the whole server (slapd.conf(5), GLOBAL).
 */
#include <limits.h>

#include "conf_int.h"
#include "overlay.h"
#include "passwd.h"
#include "registry.h"
#include "util/err.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#define S	struct slapd_conf

#define THREADS_DEFAULT		16
#define LISTENERS_MAX		16
#define SERVER_ID_MAX		4095

static char *
word_dup(S *conf, const char *word)
{
	return arena_strdup(&conf->arena, word);
}

/*
 * `loglevel stats sync`, additive over lines; the first line replaces the
 * default.
 */
static int
parse_loglevel(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	S *conf = base;
	int mask, rc;

	(void)ctx;
	if (!conf->has_loglevel)
		conf->loglevel = 0;
	conf->has_loglevel = true;
	for (unsigned i = 1; i < line->nwords; i++) {
		if ((rc = log_parse_level(line->words[i], &mask, diag)) !=
		    HB_OK)
			return rc;
		conf->loglevel = mask == 0 ? 0 : conf->loglevel | mask;
	}
	return HB_OK;
}

static int
parse_threads(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	S *conf = base;
	int64_t n;

	(void)ctx;
	if (text_to_int(slice_of(line->words[1]), &n) != HB_OK)
		return diag_err(diag, HB_EINVAL, "<%s> unable to parse \"%s\" "
		    "as a number", line->words[0], line->words[1]);
	if (n < 2 || n > 1024)
		return diag_err(diag, HB_ERANGE, "<%s> %s is out of range: 2 "
		    "to 1024 expected", line->words[0], line->words[1]);
	if (n > 2 * THREADS_DEFAULT)
		conf_warn(line, "threads=%jd larger than twice the default "
		    "(2*%d=%d); more is rarely faster", (intmax_t)n,
		    THREADS_DEFAULT, 2 * THREADS_DEFAULT);
	conf->threads = (unsigned)n;
	return HB_OK;
}

/* Rounded down to a power of two, as slapd does. */
static int
parse_listener_threads(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	S *conf = base;
	int64_t n;
	unsigned p = 1;

	(void)ctx;
	if (text_to_int(slice_of(line->words[1]), &n) != HB_OK || n < 0)
		return diag_err(diag, HB_EINVAL, "<%s> unable to parse \"%s\" "
		    "as a number", line->words[0], line->words[1]);
	while (n > 0 && p * 2 <= n && p * 2 <= LISTENERS_MAX)
		p *= 2;
	if (n > 0 && p != n)
		conf_warn(line, "<%s> %jd taken as %u", line->words[0],
		    (intmax_t)n, p);
	conf->listener_threads = n == 0 ? 0 : p;
	return HB_OK;
}

static bool
is_plain_ldap_url(const char *url)
{
	static const char *const schemes[] = {
		"ldap://", "ldaps://", "ldapi://"
	};
	const char *rest;

	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		size_t n = strlen(schemes[i]);

		if (strncasecmp(url, schemes[i], n) != 0)
			continue;
		rest = strchr(url + n, '/');
		return rest == NULL || rest[1] == '\0';
	}
	return false;
}

static int
parse_referral(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	S *conf = base;
	struct slice *urls;

	(void)ctx;
	if (!is_plain_ldap_url(line->words[1]))
		return diag_err(diag, HB_EINVAL, "<%s> invalid URL \"%s\": an "
		    "ldap URL without DN, attributes or filter expected",
		    line->words[0], line->words[1]);
	urls = arena_calloc(&conf->arena, conf->nreferrals + 1, sizeof(*urls));
	if (conf->nreferrals > 0)
		memcpy(urls, conf->referrals,
		    conf->nreferrals * sizeof(*urls));
	urls[conf->nreferrals++] = arena_slice(&conf->arena,
	    slice_of(line->words[1]));
	conf->referrals = urls;
	return HB_OK;
}

static int
parse_default_search_base(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	S *conf = base;

	(void)ctx;
	if (conf->has_default_search_base)
		return diag_err(diag, HB_EDUPLICATE, "<%s> default search base "
		    "is already \"%.*s\"", line->words[0],
		    SLICE_ARG(conf->default_search_base.text));
	conf->has_default_search_base = true;
	return conf_dn(conf, line, 1, &conf->default_search_base, diag);
}

/* serverID N [URL] */
static int
parse_server_id(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	S *conf = base;
	struct conf_server_id *ids;
	const char *url = line->nwords > 2 ? line->words[2] : NULL;
	uint64_t n;
	int64_t v;

	(void)ctx;
	/*
	 * "001" is decimal here: people count their servers with zeros in front
	 */
	if (strncasecmp(line->words[1], "0x", 2) == 0 ?
	    text_to_int(slice_of(line->words[1]), &v) != HB_OK :
	    text_to_uint(slice_of(line->words[1]), &n) != HB_OK ||
	    (v = n > SERVER_ID_MAX ? -1 : (int64_t)n) < 0)
		v = -1;
	if (v < 0 || v > SERVER_ID_MAX)
		return diag_err(diag, HB_ERANGE, "<%s> illegal server ID "
		    "\"%s\": 0 to %d expected", line->words[0],
		    line->words[1], SERVER_ID_MAX);
	if (conf->nserver_ids > 0 && (url == NULL ||
	    conf->server_ids[0].url == NULL))
		return diag_err(diag, HB_EINVAL, url == NULL &&
		    conf->server_ids[0].url == NULL ?
		    "<%s> may be given only once without URL" :
		    "<%s> either all have a URL or there is one without",
		    line->words[0]);
	ids = arena_calloc(&conf->arena, conf->nserver_ids + 1, sizeof(*ids));
	if (conf->nserver_ids > 0)
		memcpy(ids, conf->server_ids, conf->nserver_ids * sizeof(*ids));
	ids[conf->nserver_ids].id = (unsigned)v;
	ids[conf->nserver_ids++].url = url != NULL ? word_dup(conf, url) : NULL;
	conf->server_ids = ids;
	return HB_OK;
}

/* tcp-buffer [listener=URL] [read=|write=]SIZE */
static int
parse_tcp_buffer(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	S *conf = base;
	struct conf_tcp_buffer b = { NULL, 0, 0 }, *all;
	uint64_t size = 0;

	(void)ctx;
	for (unsigned i = 1; i < line->nwords; i++) {
		const char *w = line->words[i];
		bool read = strncasecmp(w, "read=", 5) == 0;
		bool write = strncasecmp(w, "write=", 6) == 0;

		if (strncasecmp(w, "listener=", 9) == 0) {
			b.listener = word_dup(conf, w + 9);
			continue;
		}
		if (text_to_size(slice_of(w + (read ? 5 : write ? 6 : 0)),
		    &size) != HB_OK || size == 0 || size > INT_MAX)
			return diag_err(diag, HB_EINVAL, "<%s> unable to parse "
			    "\"%s\" as a size", line->words[0], w);
		if (!write)
			b.read = (unsigned)size;
		if (!read)
			b.write = (unsigned)size;
	}
	if (size == 0)
		return diag_err(diag, HB_EINVAL, "<%s> missing <size> argument",
		    line->words[0]);
	all = arena_calloc(&conf->arena, conf->ntcp_buffers + 1, sizeof(*all));
	if (conf->ntcp_buffers > 0)
		memcpy(all, conf->tcp_buffers,
		    conf->ntcp_buffers * sizeof(*all));
	all[conf->ntcp_buffers++] = b;
	conf->tcp_buffers = all;
	return HB_OK;
}

static int
parse_module_load(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	S *conf = base;
	int rc;

	(void)ctx;
	rc = registry_load_module(conf->module_path, line->words[1],
	    line->nwords - 2, line->words + 2, diag);
	return rc == HB_OK ? overlays_define(conf, diag) : rc;
}

/*
 * The first line replaces the default; schemes that are not there are skipped.
 */
static int
parse_password_hash(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	S *conf = base;
	struct cfg_words *h = &conf->password_hash;

	(void)ctx;
	if (h->n > 0)
		return diag_err(diag, HB_EDUPLICATE,
		    "<%s> may be given only once", line->words[0]);
	h->v = arena_calloc(&conf->arena, line->nwords, sizeof(*h->v));
	for (unsigned i = 1; i < line->nwords; i++)
		if (passwd_is_scheme(line->words[i]))
			h->v[h->n++] = word_dup(conf, line->words[i]);
		else
			conf_warn(line, "<%s> scheme \"%s\" is not available "
			    "(ignored)", line->words[0], line->words[i]);
	if (h->n == 0)
		return diag_err(diag, HB_EINVAL, "<%s> no valid hashes found",
		    line->words[0]);
	return HB_OK;
}

static int
parse_crypt_format(void *base, const struct cfg_line *line, void *ctx,
    struct diag *diag)
{
	S *conf = base;

	(void)ctx;
	if (!passwd_is_crypt_format(line->words[1]))
		return diag_err(diag, HB_EINVAL, "<%s> \"%s\" is no salt "
		    "format: exactly one %%s and at most %d characters "
		    "expected", line->words[0], line->words[1],
		    PASSWD_CRYPT_FORMAT_MAX);
	conf->crypt_salt_format = word_dup(conf, line->words[1]);
	return HB_OK;
}

static const struct cfg_word sighup_words[] = {
	{ "reload", SIGHUP_RELOAD }, { "shutdown", SIGHUP_SHUTDOWN },
	{ NULL, 0 }
};

const struct cfg_item conf_global_table[] = {
	CFG_FLAGS(S, allows, "allow", conf_allow_words, NULL,
	    CFG_PREFIX | CFG_BEFORE_DB, CFG_HOT, "<feature> ...",
	    "Permit what is refused by default. Several lines add up."),
	CFG_STR(S, argsfile, "argsfile", NULL, 0, CFG_RESTART, "<file>",
	    "File that gets the command line of the running server. It is "
	    "removed at a clean end."),
	CFG_CALL("attributeoptions", conf_attribute_options, 1, -1, 0,
	    CFG_RESTART, "<option> ...",
	    "Attribute options that may be used; one that ends in a hyphen "
	    "stands for all that begin so. The predefined lang- is dropped "
	    "unless it is repeated."),
	CFG_CALL("attributetype", conf_attribute_type, 0, -1, CFG_RAW,
	    CFG_RESTART, "<definition>",
	    "Define an attribute type as RFC 4512 writes it. Macros of "
	    "objectidentifier may stand for OIDs."),
	CFG_CALL("attribute", conf_attribute_type, 0, -1,
	    CFG_RAW | CFG_PREFIX | CFG_ALIAS, CFG_RESTART, NULL, NULL),
	CFG_CALL("backend", conf_backend, 1, 1, CFG_BEFORE_DB, CFG_RESTART,
	    "<type>", "Begin a section of settings of all databases of a "
	    "type. There are none at present, so it only documents the type."),
	CFG_UINT(S, conn_max_pending, "conn_max_pending", 0, INT_MAX, "100", 0,
	    CFG_HOT, "<n>", "Requests an anonymous connection may have "
	    "waiting."),
	CFG_UINT(S, conn_max_pending_auth, "conn_max_pending_auth", 0, INT_MAX,
	    "1000", 0, CFG_HOT, "<n>",
	    "Requests an authenticated connection may have waiting."),
	CFG_CALL("database", conf_database, 1, 1, 0, CFG_RESTART, "<type>",
	    "Begin a database of the given backend type. The names frontend "
	    "and config stand for the settings outside all databases and for "
	    "the configuration itself."),
	CFG_CALL("defaultsearchbase", parse_default_search_base, 0, 1,
	    CFG_BEFORE_DB, CFG_HOT, "<dn>",
	    "Base of searches that name the empty DN and are not for the base "
	    "object alone."),
	CFG_FLAGS(S, disallows, "disallow", conf_disallow_words, NULL,
	    CFG_PREFIX | CFG_BEFORE_DB, CFG_HOT, "<feature> ...",
	    "Refuse what is permitted by default. Several lines add up."),
	CFG_CALL("ditcontentrule", conf_content_rule, 0, -1, CFG_RAW,
	    CFG_RESTART, "<definition>",
	    "Define a DIT content rule as RFC 4512 writes it."),
	CFG_BOOL(S, gentlehup, "gentlehup", "off", 0, CFG_HOT,
	    "When SIGHUP means shutdown: accept no more connections, refuse "
	    "writes, and end when the last client has left."),
	CFG_UINT(S, idletimeout, "idletimeout", 0, INT_MAX, "0", 0, CFG_HOT,
	    "<seconds>", "Close connections that did nothing for so long; 0 "
	    "is never."),
	/* of LDIF files only; the manual tells of include by itself */
	CFG_CALL("include", conf_include_ldif, 1, 1, CFG_ALIAS, CFG_RESTART,
	    NULL, NULL),
	CFG_CALL("ldapsyntax", conf_ldap_syntax, 0, -1, CFG_RAW, CFG_RESTART,
	    "<definition>", "Define an LDAP syntax as RFC 4512 writes it. A "
	    "new syntax takes the values of the one that X-SUBST names, or any "
	    "octets."),
	CFG_CALL("listener-threads", parse_listener_threads, 1, 1, 0,
	    CFG_RESTART, "<n>", "Threads that serve connections, rounded down "
	    "to a power of two, at most 16. By default one for each "
	    "processor."),
	CFG_UINT(S, local_ssf, "localSSF", 0, INT_MAX, "71", 0, CFG_HOT,
	    "<ssf>", "Security strength that an ldapi connection counts as."),
	CFG_STR(S, logfile, "logfile", NULL, 0, CFG_HOT, "<file>",
	    "File that gets a copy of the debugging output."),
	CFG_CALL("loglevel", parse_loglevel, 1, -1, 0, CFG_HOT, "<level> ...",
	    "What is logged to syslog, as numbers or names; several lines add "
	    "up. 0 logs nothing at all, none only what is always logged."),
	CFG_CALL("moduleload", parse_module_load, 1, -1, 0, CFG_RESTART,
	    "<module> [<argument> ...]", "Load a module. One that is built in "
	    "is accepted."),
	CFG_STR(S, module_path, "modulepath", NULL, 0, CFG_RESTART, "<folders>",
	    "Folders, separated by colons, where modules are searched."),
	CFG_CALL("objectclass", conf_object_class, 0, -1, CFG_RAW, CFG_RESTART,
	    "<definition>", "Define an object class as RFC 4512 writes it."),
	CFG_CALL("objectclasses", conf_object_class, 0, -1,
	    CFG_RAW | CFG_ALIAS, CFG_RESTART, NULL, NULL),
	CFG_CALL("objectidentifier", conf_object_identifier, 2, 2, 0,
	    CFG_RESTART, "<name> <oid>", "Name an OID; the OID may be another "
	    "name with a suffix after a colon."),
	CFG_CALL("overlay", conf_overlay, 1, -1, 0, CFG_RESTART,
	    "<name> [<argument> ...]", "Put an overlay around the database "
	    "in whose section the line stands, or, before any database, "
	    "around all. The last line is the outermost: it sees requests "
	    "first and answers last. Its own options follow. With a - before "
	    "the name, an overlay that is not there is no error."),
	CFG_CALL("password-crypt-salt-format", parse_crypt_format, 1, 1, 0,
	    CFG_HOT, "<format>", "The printf format of the salt of new {CRYPT} "
	    "passwords: exactly one %s, which random characters replace."),
	CFG_CALL("password-hash", parse_password_hash, 1, -1, 0, CFG_HOT,
	    "<scheme> ...", "Schemes of passwords that the password "
	    "modification operation sets. The default is {SSHA}."),
	CFG_STR(S, pidfile, "pidfile", NULL, 0, CFG_RESTART, "<file>",
	    "File that gets the process ID of the running server. It is "
	    "removed at a clean end."),
	CFG_CALL("referral", parse_referral, 1, 1, 0, CFG_HOT, "<url>",
	    "Where clients are sent whose DN no database holds. Several lines "
	    "name several servers."),
	CFG_CALL("rootDSE", conf_root_dse, 1, 1, 0, CFG_RESTART, "<file>",
	    "LDIF file whose attributes are added to the root DSE."),
	CFG_CALL("serverID", parse_server_id, 1, 2, 0, CFG_RESTART,
	    "<n> [<url>]", "Number of this server, 0 to 4095, part of entryCSN "
	    "values. With URLs several lines may be given, of which the one "
	    "counts that names an own listener."),
	CFG_ENUM(S, sighup, "sighup", sighup_words, "reload", 0, CFG_HOT,
	    "<action>", "What SIGHUP does: reopen logs and read the "
	    "configuration again, or shut the server down as slapd 2.4 did."),
	CFG_UINT(S, sockbuf_max_incoming, "sockbuf_max_incoming", 1, INT_MAX,
	    "262143", 0, CFG_HOT, "<bytes>",
	    "Largest request of an anonymous connection."),
	CFG_UINT(S, sockbuf_max_incoming_auth, "sockbuf_max_incoming_auth", 1,
	    INT_MAX, "16777215", 0, CFG_HOT, "<bytes>",
	    "Largest request of an authenticated connection."),
	CFG_CALL("tcp-buffer", parse_tcp_buffer, 1, 2, 0, CFG_RESTART,
	    "[listener=<url>] [read=|write=]<size>",
	    "Size of the socket buffers, of all listeners or of one."),
	CFG_CALL("threads", parse_threads, 1, 1, 0, CFG_RESTART, "<n>",
	    "Threads for operations that may take long or wait. At least 2, "
	    "by default 16."),
	CFG_UINT(S, tool_threads, "tool-threads", 1, 1024, "1", 0, CFG_HOT,
	    "<n>", "Threads that slapadd and slapindex use; 1 stands for one a "
	    "processor."),
	CFG_UINT(S, writetimeout, "writetimeout", 0, INT_MAX, "0", 0, CFG_HOT,
	    "<seconds>", "Close connections that take nothing for so long; 0 "
	    "is never."),

	CFG_OBSOLETE("concurrency", NULL),
	CFG_OBSOLETE("index_intlen", NULL),
	CFG_OBSOLETE("index_substr_if_minlen", NULL),
	CFG_OBSOLETE("index_substr_if_maxlen", NULL),
	CFG_OBSOLETE("index_substr_any_len", NULL),
	CFG_OBSOLETE("index_substr_any_step", NULL),
	CFG_OBSOLETE("plugin", NULL),
	CFG_OBSOLETE("pluginlog", NULL),
	CFG_OBSOLETE("replica", NULL),
	CFG_OBSOLETE("replica-argsfile", NULL),
	CFG_OBSOLETE("replica-pidfile", NULL),
	CFG_OBSOLETE("replicationInterval", NULL),
	CFG_OBSOLETE("replogfile", NULL),
	CFG_OBSOLETE("reverse-lookup", NULL),
	CFG_OBSOLETE("schemacheck", "entries are always checked"),
	CFG_OBSOLETE("sortvals", NULL),
	CFG_OBSOLETE("ucdata-path", NULL),

	{ "authid-rewrite", CFG_T_UNSUPPORTED, 0, 0, -1, NULL, NULL, NULL,
	    CFG_PREFIX, CFG_HOT, NULL, NULL },
	CFG_UNSUPPORTED("authz-policy", NULL),
	CFG_UNSUPPORTED("authz-regexp", NULL),
	CFG_UNSUPPORTED("sasl-auxprops", NULL),
	CFG_UNSUPPORTED("sasl-authz-policy", NULL),
	CFG_UNSUPPORTED("sasl-host", NULL),
	CFG_UNSUPPORTED("sasl-realm", NULL),
	CFG_UNSUPPORTED("sasl-regexp", NULL),
	CFG_UNSUPPORTED("sasl-secprops", NULL),
	CFG_UNSUPPORTED("saslRegexp", NULL),
	CFG_UNSUPPORTED("TLSCACertificateFile", NULL),
	CFG_UNSUPPORTED("TLSCACertificatePath", NULL),
	CFG_UNSUPPORTED("TLSCertificateFile", NULL),
	CFG_UNSUPPORTED("TLSCertificateKeyFile", NULL),
	CFG_UNSUPPORTED("TLSCipherSuite", NULL),
	CFG_UNSUPPORTED("TLSCRLCheck", NULL),
	CFG_UNSUPPORTED("TLSCRLFile", NULL),
	CFG_UNSUPPORTED("TLSDHParamFile", NULL),
	CFG_UNSUPPORTED("TLSECName", NULL),
	CFG_UNSUPPORTED("TLSProtocolMin", NULL),
	CFG_UNSUPPORTED("TLSRandFile", NULL),
	CFG_UNSUPPORTED("TLSVerifyClient", NULL),
	CFG_END
};
