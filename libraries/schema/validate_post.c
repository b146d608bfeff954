/*
 * Validators of telecommunication addresses and of other texts that are made
 * of parts between '$' (RFC 4517 3.3, RFC 3112).
 */
#include "schema_int.h"

/* The part before the next '$' is taken off REST; false when none is left. */
static bool
next_part(struct slice *rest, struct slice *part_r)
{
	const char *dollar;

	if (slice_is_none(*rest))
		return false;
	*part_r = *rest;
	dollar = rest->len > 0 ? memchr(rest->ptr, '$', rest->len) : NULL;
	if (dollar == NULL) {
		*rest = SLICE_NONE;
		return true;
	}
	part_r->len = (size_t)(dollar - rest->ptr);
	*rest = slice_skip(*rest, part_r->len + 1);
	return true;
}

static struct slice
first_part(struct slice *rest)
{
	struct slice part = SLICE("");

	next_part(rest, &part);
	return part;
}

static bool
is_one_of(struct slice word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (slice_is_eq_nocase(word, slice_of(*words)))
			return true;
	return false;
}

static struct slice
trim(struct slice s)
{
	while (s.len > 0 && s.ptr[0] == ' ')
		s = slice_skip(s, 1);
	while (s.len > 0 && s.ptr[s.len - 1] == ' ')
		s.len--;
	return s;
}

/* 3.3.5: words with '$' and blanks between, none at the ends. */
int
validate_delivery(const struct schema *schema, struct slice v)
{
	static const char *const methods[] = {
		"any", "mhs", "physical", "telex", "teletex", "g3fax",
		"g4fax", "ia5", "videotex", "telephone", NULL
	};
	struct slice part;

	(void)schema;
	if (v.len == 0 || trim(v).len != v.len)
		return HB_ESYNTAX;
	while (next_part(&v, &part))
		if (!is_one_of(trim(part), methods))
			return HB_ESYNTAX;
	return HB_OK;
}

/* 3.3.11: telephone number *( '$' parameter ) */
int
validate_fax_number(const struct schema *schema, struct slice v)
{
	static const char *const parameters[] = {
		"twoDimensional", "fineResolution", "unlimitedLength",
		"b4Length", "a3Width", "b4Width", "uncompressed", NULL
	};
	struct slice part;

	if (validate_telephone(schema, first_part(&v)) != HB_OK)
		return HB_ESYNTAX;
	while (next_part(&v, &part))
		if (!is_one_of(part, parameters))
			return HB_ESYNTAX;
	return HB_OK;
}

/* 3.3.33: number '$' country code '$' answerback */
int
validate_telex(const struct schema *schema, struct slice v)
{
	struct slice part;
	unsigned n = 0;

	for (; next_part(&v, &part); n++)
		if (validate_printable(schema, part) != HB_OK)
			return HB_ESYNTAX;
	return n == 3 ? HB_OK : HB_ESYNTAX;
}

/* The only escapes that a part knows are \24 and \5C. */
static bool
escapes_are_valid(struct slice part)
{
	size_t i;

	for (i = 0; i < part.len; i++) {
		if (part.ptr[i] != '\\')
			continue;
		if (part.len - i < 3 || (memcmp(part.ptr + i, "\\24", 3) != 0 &&
		    memcmp(part.ptr + i, "\\5C", 3) != 0 &&
		    memcmp(part.ptr + i, "\\5c", 3) != 0))
			return false;
		i += 2;
	}
	return true;
}

/* 3.3.32: terminal *( '$' key ':' octets ) */
int
validate_teletex(const struct schema *schema, struct slice v)
{
	static const char *const keys[] = {
		"graphic", "control", "misc", "page", "private", NULL
	};
	const char *colon;
	struct slice part;

	if (validate_printable(schema, first_part(&v)) != HB_OK)
		return HB_ESYNTAX;
	while (next_part(&v, &part)) {
		colon = part.len > 0 ? memchr(part.ptr, ':', part.len) : NULL;
		if (colon == NULL || !escapes_are_valid(part) ||
		    !is_one_of(slice(part.ptr, (size_t)(colon - part.ptr)),
		    keys))
			return HB_ESYNTAX;
	}
	return HB_OK;
}

/* 3.3.28: lines of at least one character */
int
validate_postal(const struct schema *schema, struct slice v)
{
	struct slice part;

	(void)schema;
	if (!text_is_utf8(v))
		return HB_ESYNTAX;
	while (next_part(&v, &part))
		if (part.len == 0 || !escapes_are_valid(part))
			return HB_ESYNTAX;
	return HB_OK;
}

/* 3.3.27: printable type, '$', ASCII address, which may hold a '$' */
int
validate_other_mailbox(const struct schema *schema, struct slice v)
{
	struct slice type = first_part(&v);

	return validate_printable(schema, type) == HB_OK &&
	    !slice_is_none(v) && text_is_ascii(v) ? HB_OK : HB_ESYNTAX;
}

/*
 * 3.3.30: [ initial ] '*' *( any '*' ) [ final ], a piece has at least one
 * character, '*' and '\' in it are \2A and \5C.
 */
int
validate_substr_assertion(const struct schema *schema, struct slice v)
{
	bool star = false;
	size_t i;

	(void)schema;
	for (i = 0; i < v.len; i++) {
		if (v.ptr[i] == '*') {
			if (i > 0 && v.ptr[i - 1] == '*')
				return HB_ESYNTAX;
			star = true;
		} else if (v.ptr[i] == '\\') {
			if (v.len - i < 3 ||
			    (strncasecmp(v.ptr + i, "\\2A", 3) != 0 &&
			    strncasecmp(v.ptr + i, "\\5C", 3) != 0))
				return HB_ESYNTAX;
			i += 2;
		}
	}
	return star && text_is_utf8(v) ? HB_OK : HB_ESYNTAX;
}

static bool
is_scheme(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (!(s.ptr[i] >= '0' && s.ptr[i] <= '9') &&
		    !(s.ptr[i] >= 'A' && s.ptr[i] <= 'Z') &&
		    (s.ptr[i] == '\0' || strchr("-./_", s.ptr[i]) == NULL))
			return false;
	return s.len > 0;
}

static bool
is_visible(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (s.ptr[i] < '!' || s.ptr[i] > '~')
			return false;
	return true;
}

/* RFC 3112 2.1: scheme '$' info '$' value; schemes have capitals. */
int
validate_auth_password(const struct schema *schema, struct slice v)
{
	struct slice scheme = first_part(&v), info = first_part(&v);

	(void)schema;
	return is_scheme(trim(scheme)) && is_visible(trim(info)) &&
	    !slice_is_none(v) && is_visible(trim(v)) &&
	    memchr(v.ptr, '$', v.len) == NULL ? HB_OK : HB_ESYNTAX;
}
