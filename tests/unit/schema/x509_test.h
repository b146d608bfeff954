/*
 * Certificates for tests, made by OpenSSL when the test runs. They are signed
 * with one key of a curve; nobody checks the signatures.
 */
#ifndef X509_TEST_H
#define X509_TEST_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include "schema_test.h"

struct cert_spec {
	const char *serial;		/* hex, may begin with '-' */
	const char *issuer, *subject;	/* "/C=DE/O=x+OU=y": OpenSSL's names */
	const char *from, *to;		/* times of ASN.1 */
	const char *const *extensions;	/* name, value, .., NULL, or NULL */
};

static EVP_PKEY *test_key;

static inline void
test_key_make(void)
{
	test_key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
	assert_non_null(test_key);
}

static inline void
test_name_add(X509_NAME *name, char *ava, int set)
{
	char *value = strchr(ava, '=');

	assert_non_null(value);
	*value++ = '\0';
	assert_int_equal(X509_NAME_add_entry_by_txt(name, ava, MBSTRING_UTF8,
	    (unsigned char *)value, -1, -1, set), 1);
}

/* "/type=value+type=value/..", types as OpenSSL or OIDs say them. */
static inline X509_NAME *
test_name(const char *text)
{
	X509_NAME *name = X509_NAME_new();
	char copy[256], *p = copy, *end, next;
	int set;

	snprintf(copy, sizeof(copy), "%s", text);
	while (*p != '\0') {
		set = *p++ == '+' ? -1 : 0;
		end = p + strcspn(p, "/+");
		next = *end;
		*end = '\0';
		test_name_add(name, p, set);
		*end = next;
		p = end;
	}
	return name;
}

static inline ASN1_INTEGER *
test_serial(const char *hex)
{
	BIGNUM *bn = NULL;
	ASN1_INTEGER *serial;

	assert_true(BN_hex2bn(&bn, hex) > 0);
	serial = BN_to_ASN1_INTEGER(bn, NULL);
	BN_free(bn);
	return serial;
}

static inline ASN1_TIME *
test_time(const char *text)
{
	ASN1_TIME *t = ASN1_TIME_new();

	assert_int_equal(ASN1_TIME_set_string(t, text), 1);
	return t;
}

/* The DER of X, which I2D writes, in ARENA. */
#define TEST_DER(arena, i2d, x, der_r)					\
	do {								\
		unsigned char *der_ = NULL;				\
		int len_ = i2d((x), &der_);				\
									\
		assert_true(len_ > 0);					\
		*(der_r) = arena_slice((arena), slice(der_, (size_t)len_)); \
		OPENSSL_free(der_);					\
	} while (0)

static inline struct slice
test_cert(struct arena *arena, const struct cert_spec *spec)
{
	X509 *x = X509_new();
	X509_NAME *issuer = test_name(spec->issuer);
	X509_NAME *subject = test_name(spec->subject);
	ASN1_INTEGER *serial = test_serial(spec->serial);
	ASN1_TIME *from = test_time(spec->from), *to = test_time(spec->to);
	const char *const *e;
	X509_EXTENSION *ext;
	struct slice der;
	X509V3_CTX ctx;

	X509_set_version(x, X509_VERSION_3);
	X509_set_serialNumber(x, serial);
	X509_set_issuer_name(x, issuer);
	X509_set_subject_name(x, subject);
	X509_set1_notBefore(x, from);
	X509_set1_notAfter(x, to);
	X509_set_pubkey(x, test_key);
	X509V3_set_ctx(&ctx, x, x, NULL, NULL, 0);
	for (e = spec->extensions; e != NULL && *e != NULL; e += 2) {
		ext = X509V3_EXT_conf(NULL, &ctx, e[0], e[1]);
		if (ext == NULL)
			fail_msg("extension %s: %s", e[0], e[1]);
		X509_add_ext(x, ext, -1);
		X509_EXTENSION_free(ext);
	}
	assert_true(X509_sign(x, test_key, EVP_sha256()) > 0);
	TEST_DER(arena, i2d_X509, x, &der);
	ASN1_TIME_free(from);
	ASN1_TIME_free(to);
	ASN1_INTEGER_free(serial);
	X509_NAME_free(issuer);
	X509_NAME_free(subject);
	X509_free(x);
	return der;
}

struct crl_spec {
	const char *issuer;
	const char *from, *to;		/* TO may be NULL */
	const char *const *extensions;
};

static inline struct slice
test_crl(struct arena *arena, const struct crl_spec *spec)
{
	X509_CRL *x = X509_CRL_new();
	X509_NAME *issuer = test_name(spec->issuer);
	ASN1_TIME *from = test_time(spec->from), *to;
	const char *const *e;
	X509_EXTENSION *ext;
	struct slice der;
	X509V3_CTX ctx;

	X509_CRL_set_version(x, X509_CRL_VERSION_2);
	X509_CRL_set_issuer_name(x, issuer);
	X509_CRL_set1_lastUpdate(x, from);
	if (spec->to != NULL) {
		to = test_time(spec->to);
		X509_CRL_set1_nextUpdate(x, to);
		ASN1_TIME_free(to);
	}
	X509V3_set_ctx(&ctx, NULL, NULL, NULL, x, 0);
	for (e = spec->extensions; e != NULL && *e != NULL; e += 2) {
		ext = X509V3_EXT_conf(NULL, &ctx, e[0], e[1]);
		if (ext == NULL)
			fail_msg("extension %s: %s", e[0], e[1]);
		X509_CRL_add_ext(x, ext, -1);
		X509_EXTENSION_free(ext);
	}
	assert_true(X509_CRL_sign(x, test_key, EVP_sha256()) > 0);
	TEST_DER(arena, i2d_X509_CRL, x, &der);
	ASN1_TIME_free(from);
	X509_NAME_free(issuer);
	X509_CRL_free(x);
	return der;
}

/* The N parts, one after the other. */
static inline struct slice
test_join(struct arena *arena, const struct slice *parts, unsigned n)
{
	struct slice joined;
	struct buf b;
	unsigned i;

	buf_init(&b);
	for (i = 0; i < n; i++)
		buf_put_slice(&b, parts[i]);
	joined = arena_slice(arena, buf_slice(&b));
	buf_fini(&b);
	return joined;
}

/* An element of DER. */
static inline struct slice
test_der(struct arena *arena, unsigned tag, struct slice body)
{
	char head[4] = { (char)tag };
	size_t n = 1;

	if (body.len >= 256) {
		head[n++] = (char)0x82;
		head[n++] = (char)(body.len >> 8);
	} else if (body.len >= 128) {
		head[n++] = (char)0x81;
	}
	head[n++] = (char)(body.len & 0xff);
	return test_join(arena, (const struct slice[]){ slice(head, n), body },
	    2);
}

#define JOIN(arena, ...)						\
	test_join((arena), (const struct slice[]){ __VA_ARGS__ },	\
	    sizeof((const struct slice[]){ __VA_ARGS__ }) /		\
	    sizeof(struct slice))
#define DER(arena, tag, ...)						\
	test_der((arena), (tag), JOIN(arena, __VA_ARGS__))

#endif
