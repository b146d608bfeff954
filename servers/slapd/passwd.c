/*
 * Password schemes: a table of rows, each with its digest or its function.
 */
#include "passwd.h"

#include <argon2.h>
#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/err.h"
#include "util/lock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#define SALT_LEN	8
#define CRYPT_SALT_LEN	31

struct scheme;

struct scheme_ops {
	int (*verify)(const struct scheme *, struct slice data,
	    struct slice password);
	int (*make)(const struct scheme *, struct slice password,
	    const char *crypt_format, struct buf *out, struct diag *);
	/* May take longer than an event loop can spare; NULL: never. */
	bool (*is_slow)(struct slice data);
};

struct scheme {
	const char *name;		/* with braces */
	/* NULL: known, no way to verify it here */
	const struct scheme_ops *ops;
	const char *digest;
	unsigned digest_len;
	bool salted;
};

/* ---- digests ---- */

struct digest {
	const char *name;
	EVP_MD *md;
};

/* Fetched once: a look-up by name costs more than the hash. */
static struct digest digests[] = {
	{ "SHA1", NULL }, { "MD5", NULL }, { "SHA2-256", NULL },
	{ "SHA2-384", NULL }, { "SHA2-512", NULL }
};

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

/* A thread keeps its context and the big work area of crypt. */
struct thread_state {
	EVP_MD_CTX *ctx;
	struct crypt_data *crypt;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t state_key;

static void
free_state(void *arg)
{
	struct thread_state *st = arg;

	EVP_MD_CTX_free(st->ctx);
	if (st->crypt != NULL)
		mem_wipe(st->crypt, sizeof(*st->crypt));
	free(st->crypt);
	free(st);
}

static void
init_once(void)
{
	if (pthread_key_create(&state_key, free_state) != 0)
		log_fatal("passwd: no thread key left");
	for (size_t i = 0; i < COUNT(digests); i++)
		digests[i].md = EVP_MD_fetch(NULL, digests[i].name, NULL);
}

static struct thread_state *
thread_state(void)
{
	struct thread_state *st;

	pthread_once(&once, init_once);
	if ((st = pthread_getspecific(state_key)) == NULL) {
		st = mem_zalloc(sizeof(*st));
		st->ctx = EVP_MD_CTX_new();
		pthread_setspecific(state_key, st);
	}
	return st;
}

static const EVP_MD *
find_md(const char *name)
{
	for (size_t i = 0; i < COUNT(digests); i++)
		if (strcmp(digests[i].name, name) == 0)
			return digests[i].md;
	return NULL;
}

static bool
hash(const struct scheme *s, struct slice password, struct slice salt,
    unsigned char out[EVP_MAX_MD_SIZE])
{
	EVP_MD_CTX *ctx = thread_state()->ctx;
	const EVP_MD *md = find_md(s->digest);
	unsigned n;

	return md != NULL && EVP_DigestInit_ex2(ctx, md, NULL) == 1 &&
	    EVP_DigestUpdate(ctx, password.ptr, password.len) == 1 &&
	    EVP_DigestUpdate(ctx, salt.ptr, salt.len) == 1 &&
	    EVP_DigestFinal_ex(ctx, out, &n) == 1 && n == s->digest_len;
}

static int
digest_verify(const struct scheme *s, struct slice data,
    struct slice password)
{
	unsigned char md[EVP_MAX_MD_SIZE];
	struct slice stored, salt;
	struct buf raw;
	int rc = HB_ECREDENTIALS;

	buf_init(&raw);
	if (text_base64_decode(&raw, data) != HB_OK || (s->salted ?
	    raw.len <= s->digest_len : raw.len != s->digest_len))
		goto out;
	stored = slice(raw.data, s->digest_len);
	salt = slice_skip(buf_slice(&raw), s->digest_len);
	if (hash(s, password, salt, md) &&
	    CRYPTO_memcmp(md, stored.ptr, stored.len) == 0)
		rc = HB_OK;
	mem_wipe(md, sizeof(md));
out:
	buf_fini(&raw);
	return rc;
}

static int
random_bytes(unsigned char *p, size_t n, struct diag *diag)
{
	return RAND_bytes(p, (int)n) == 1 ? HB_OK : diag_err(diag, HB_EOTHER,
	    "no random numbers to be had");
}

static int
digest_make(const struct scheme *s, struct slice password,
    const char *crypt_format, struct buf *out, struct diag *diag)
{
	unsigned char data[EVP_MAX_MD_SIZE + SALT_LEN];
	size_t salt_len = s->salted ? SALT_LEN : 0;
	int rc;

	(void)crypt_format;
	if ((rc = random_bytes(data + s->digest_len, salt_len, diag)) != HB_OK)
		return rc;
	if (!hash(s, password, slice(data + s->digest_len, salt_len), data))
		return diag_err(diag, HB_EOTHER, "digest %s is not available",
		    s->digest);
	buf_put_str(out, s->name);
	text_base64_encode(out, slice(data, s->digest_len + salt_len));
	mem_wipe(data, sizeof(data));
	return HB_OK;
}

static const struct scheme_ops digest_ops = {
	digest_verify, digest_make, NULL
};

/* ---- crypt(3) ---- */

static struct crypt_data *
crypt_area(void)
{
	struct thread_state *st = thread_state();

	if (st->crypt == NULL)
		st->crypt = mem_zalloc(sizeof(*st->crypt));
	return st->crypt;
}

/*
 * The hash of PASSWORD under SETTING, or NULL; valid until the thread's next.
 */
static const char *
run_crypt(struct slice password, const char *setting)
{
	struct crypt_data *area = crypt_area();
	const char *res = NULL;
	char *text;

	/* crypt takes a string: a password with NUL in it matches nothing */
	if (memchr(password.ptr, '\0', password.len) == NULL) {
		text = mem_slicedup(password);
		res = crypt_r(text, setting, area);
		mem_wipe(text, password.len);
		free(text);
	}
	return res == NULL || res[0] == '*' ? NULL : res;
}

static int
crypt_verify(const struct scheme *s, struct slice data, struct slice password)
{
	char *stored;
	const char *res;
	int rc = HB_ECREDENTIALS;

	(void)s;
	if (data.len < 2 || memchr(data.ptr, '\0', data.len) != NULL)
		return rc;
	stored = mem_slicedup(data);
	res = run_crypt(password, stored);
	if (res != NULL && strlen(res) == data.len &&
	    CRYPTO_memcmp(res, data.ptr, data.len) == 0)
		rc = HB_OK;
	mem_wipe(stored, data.len);
	free(stored);
	return rc;
}

static int
crypt_make(const struct scheme *s, struct slice password,
    const char *crypt_format, struct buf *out, struct diag *diag)
{
	static const char letters[] = "./0123456789"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	unsigned char salt[CRYPT_SALT_LEN + 1];
	const char *res, *format = crypt_format != NULL ? crypt_format : "%s";
	char setting[PASSWD_CRYPT_FORMAT_MAX + CRYPT_SALT_LEN + 1];
	int rc;

	if (!passwd_is_crypt_format(format))
		return diag_err(diag, HB_EINVAL, "\"%s\" is no format of a "
		    "crypt salt", format);
	if ((rc = random_bytes(salt, CRYPT_SALT_LEN, diag)) != HB_OK)
		return rc;
	for (size_t i = 0; i < CRYPT_SALT_LEN; i++)
		salt[i] = (unsigned char)letters[salt[i] & 63];
	salt[CRYPT_SALT_LEN] = '\0';
	/* the format was checked: one %s, nothing else */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(setting, sizeof(setting), format, (const char *)salt);
#pragma GCC diagnostic pop
	if ((res = run_crypt(password, setting)) == NULL)
		return diag_err(diag, HB_EINVAL, "crypt does not take this "
		    "password or the salt format \"%s\"", format);
	buf_put_str(out, s->name);
	buf_put_str(out, res);
	return HB_OK;
}

/* All but the old DES hash (13 characters, no marker) are made to take time. */
static bool
crypt_is_slow(struct slice data)
{
	return data.len != 13 || data.ptr[0] == '$' || data.ptr[0] == '_';
}

static const struct scheme_ops crypt_ops = {
	crypt_verify, crypt_make, crypt_is_slow
};

/* ---- Argon2 ---- */

static bool
always_slow(struct slice data)
{
	(void)data;
	return true;
}

static int
argon2_verify_value(const struct scheme *s, struct slice data,
    struct slice password)
{
	static const struct {
		const char *prefix;
		argon2_type type;
	} kinds[] = {
		{ "$argon2id$", Argon2_id }, { "$argon2i$", Argon2_i },
		{ "$argon2d$", Argon2_d }
	};
	char *stored = mem_slicedup(data);
	int rc = HB_ECREDENTIALS;

	(void)s;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (slice_has_prefix(data, slice_of(kinds[i].prefix)) &&
		    argon2_verify(stored, password.ptr, password.len,
		    kinds[i].type) == ARGON2_OK)
			rc = HB_OK;
	free(stored);
	return rc;
}

/* Parameters of RFC 9106 section 4, second choice, with one lane. */
static int
argon2_make_value(const struct scheme *s, struct slice password,
    const char *crypt_format, struct buf *out, struct diag *diag)
{
	unsigned char salt[16];
	char text[256];
	int rc;

	(void)crypt_format;
	if ((rc = random_bytes(salt, sizeof(salt), diag)) != HB_OK)
		return rc;
	rc = argon2id_hash_encoded(3, 65536, 1, password.ptr, password.len,
	    salt, sizeof(salt), 32, text, sizeof(text));
	if (rc != ARGON2_OK)
		return diag_err(diag, HB_EOTHER, "argon2: %s",
		    argon2_error_message(rc));
	buf_put_str(out, s->name);
	buf_put_str(out, text);
	return HB_OK;
}

static const struct scheme_ops argon2_ops = {
	argon2_verify_value, argon2_make_value, always_slow
};

/* ---- clear text ---- */

static int
clear_verify(const struct scheme *s, struct slice data, struct slice password)
{
	(void)s;
	return data.len == password.len &&
	    CRYPTO_memcmp(data.ptr, password.ptr, data.len) == 0 ? HB_OK :
	    HB_ECREDENTIALS;
}

static int
clear_make(const struct scheme *s, struct slice password,
    const char *crypt_format, struct buf *out, struct diag *diag)
{
	(void)s;
	(void)crypt_format;
	(void)diag;
	buf_put_slice(out, password);
	return HB_OK;
}

static const struct scheme_ops clear_ops = {
	clear_verify, clear_make, NULL
};

/* ---- the table ---- */

static const struct scheme schemes[] = {
	{ "{SSHA}", &digest_ops, "SHA1", 20, true },
	{ "{SHA}", &digest_ops, "SHA1", 20, false },
	{ "{SMD5}", &digest_ops, "MD5", 16, true },
	{ "{MD5}", &digest_ops, "MD5", 16, false },
	{ "{SSHA256}", &digest_ops, "SHA2-256", 32, true },
	{ "{SSHA384}", &digest_ops, "SHA2-384", 48, true },
	{ "{SSHA512}", &digest_ops, "SHA2-512", 64, true },
	{ "{SHA256}", &digest_ops, "SHA2-256", 32, false },
	{ "{SHA384}", &digest_ops, "SHA2-384", 48, false },
	{ "{SHA512}", &digest_ops, "SHA2-512", 64, false },
	{ "{CRYPT}", &crypt_ops, NULL, 0, true },
	{ "{ARGON2}", &argon2_ops, NULL, 0, true },
	{ "{CLEARTEXT}", &clear_ops, NULL, 0, false },
	/* never clear text, so nobody gets in by knowing the stored value */
	{ "{SASL}", NULL, NULL, 0, false },
	{ "{UNIX}", NULL, NULL, 0, false },
	{ "{LANMAN}", NULL, NULL, 0, false },
	{ "{KERBEROS}", NULL, NULL, 0, false },
	{ "{RADIUS}", NULL, NULL, 0, false },
	{ "{NS-MTA-MD5}", NULL, NULL, 0, false },
	{ "{APR1}", NULL, NULL, 0, false },
	{ "{BSDMD5}", NULL, NULL, 0, false },
	{ "{PBKDF2}", NULL, NULL, 0, false },
	{ "{PBKDF2-SHA1}", NULL, NULL, 0, false },
	{ "{PBKDF2-SHA256}", NULL, NULL, 0, false },
	{ "{PBKDF2-SHA512}", NULL, NULL, 0, false },
	{ "{TOTP1}", NULL, NULL, 0, false },
	{ "{TOTP256}", NULL, NULL, 0, false },
	{ "{TOTP512}", NULL, NULL, 0, false },
};

/* The scheme VALUE begins with; *data_r is what follows. NULL: clear text. */
static const struct scheme *
scheme_of(struct slice value, struct slice *data_r)
{
	const char *end;
	size_t n;

	*data_r = value;
	if (value.len < 3 || value.ptr[0] != '{' ||
	    (end = memchr(value.ptr, '}', value.len)) == NULL)
		return NULL;
	n = (size_t)(end + 1 - value.ptr);
	for (size_t i = 0; i < COUNT(schemes); i++)
		if (slice_is_eq_nocase(slice(value.ptr, n),
		    slice_of(schemes[i].name))) {
			*data_r = slice_skip(value, n);
			return &schemes[i];
		}
	return NULL;
}

int
passwd_verify(struct slice value, struct slice password, bool may_wait)
{
	struct slice data;
	const struct scheme *s = scheme_of(value, &data);

	if (s == NULL)
		return clear_verify(NULL, value, password);
	if (s->ops == NULL)
		return HB_ECREDENTIALS;
	if (!may_wait && s->ops->is_slow != NULL && s->ops->is_slow(data))
		return HB_EDEFER;
	return s->ops->verify(s, data, password);
}

/* With or without braces. */
static const struct scheme *
find_scheme(const char *name)
{
	struct slice want = slice_of(name);

	for (size_t i = 0; i < COUNT(schemes); i++) {
		struct slice s = slice_of(schemes[i].name);

		if (schemes[i].ops != NULL && (slice_is_eq_nocase(want, s) ||
		    slice_is_eq_nocase(want, slice(s.ptr + 1, s.len - 2))))
			return &schemes[i];
	}
	return NULL;
}

bool
passwd_is_scheme(const char *scheme)
{
	return find_scheme(scheme) != NULL;
}

const char *
passwd_scheme(unsigned i)
{
	for (size_t k = 0; k < COUNT(schemes); k++)
		if (schemes[k].ops != NULL && i-- == 0)
			return schemes[k].name;
	return NULL;
}

int
passwd_make(const char *scheme, struct slice password,
    const char *crypt_format, struct buf *out, struct diag *diag)
{
	const struct scheme *s = find_scheme(scheme);
	int rc;

	if (s != NULL)
		return s->ops->make(s, password, crypt_format, out, diag);
	rc = diag_err(diag, HB_EINVAL, "password scheme \"%s\" is not known",
	    scheme);
	for (unsigned i = 0; passwd_scheme(i) != NULL; i++)
		diag_add(diag, i == 0 ? "known are %s" : "%s",
		    passwd_scheme(i));
	return rc;
}

bool
passwd_is_crypt_format(const char *format)
{
	const char *p = strchr(format, '%');

	if (strlen(format) > PASSWD_CRYPT_FORMAT_MAX || p == NULL ||
	    strchr(p + 1, '%') != NULL)
		return false;
	if (*++p == '.')
		p++;
	p += strspn(p, "0123456789");
	return *p == 's';
}

void
passwd_generate(char out[9])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./";
	unsigned char random[8];

	if (RAND_bytes(random, sizeof(random)) != 1)
		log_fatal("no random numbers to be had");
	for (size_t i = 0; i < sizeof(random); i++)
		out[i] = letters[random[i] & 63];
	out[8] = '\0';
}
