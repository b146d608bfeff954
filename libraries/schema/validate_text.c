/* Validators of syntaxes that hold text (RFC 4517 3.3). */
#include <ctype.h>

#include "schema_int.h"

int
validate_utf8(const struct schema *schema, struct slice v)
{
	(void)schema;
	return text_is_utf8(v) ? HB_OK : HB_ESYNTAX;
}

/* 3.3.6: at least one character. */
int
validate_dirstring(const struct schema *schema, struct slice v)
{
	(void)schema;
	return v.len > 0 && text_is_utf8(v) ? HB_OK : HB_ESYNTAX;
}

int
validate_ia5(const struct schema *schema, struct slice v)
{
	(void)schema;
	return text_is_ascii(v) ? HB_OK : HB_ESYNTAX;
}

/* 3.2 PrintableCharacter. */
static bool
is_printable(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') ||
	    (c != '\0' && strchr("'()+,-.=/:? ", c) != NULL);
}

int
validate_printable(const struct schema *schema, struct slice v)
{
	size_t i;

	(void)schema;
	for (i = 0; i < v.len; i++)
		if (!is_printable(v.ptr[i]))
			return HB_ESYNTAX;
	return v.len > 0 ? HB_OK : HB_ESYNTAX;
}

int
validate_country(const struct schema *schema, struct slice v)
{
	return v.len == 2 ? validate_printable(schema, v) : HB_ESYNTAX;
}

int
validate_numeric(const struct schema *schema, struct slice v)
{
	size_t i;

	(void)schema;
	for (i = 0; i < v.len; i++)
		if (!isdigit((unsigned char)v.ptr[i]) && v.ptr[i] != ' ')
			return HB_ESYNTAX;
	return v.len > 0 ? HB_OK : HB_ESYNTAX;
}

int
validate_telephone(const struct schema *schema, struct slice v)
{
	return validate_printable(schema, v);
}

/* RFC 4512 1.4 oid: numeric, or a name. */
int
validate_oid(const struct schema *schema, struct slice v)
{
	(void)schema;
	return oid_is_numeric(v) || descr_is_valid(v) ? HB_OK : HB_ESYNTAX;
}

/*
 * RFC 2307 2.4: "(" host "," user "," domain ")", each may be empty. Users'
 * names hold more than the RFC's keystrings, so any ASCII but ',' and ')'.
 */
int
validate_nis_triple(const struct schema *schema, struct slice v)
{
	unsigned commas = 0;
	size_t i;

	(void)schema;
	if (v.len < 4 || v.ptr[0] != '(' || v.ptr[v.len - 1] != ')')
		return HB_ESYNTAX;
	for (i = 1; i < v.len - 1; i++) {
		if (v.ptr[i] == ',')
			commas++;
		else if (v.ptr[i] == '(' || v.ptr[i] == ')' ||
		    (unsigned char)v.ptr[i] >= 0x80)
			return HB_ESYNTAX;
	}
	return commas == 2 ? HB_OK : HB_ESYNTAX;
}

/* RFC 2307 2.4: key "=" server ":" path. */
int
validate_boot_param(const struct schema *schema, struct slice v)
{
	const char *eq = v.len > 0 ? memchr(v.ptr, '=', v.len) : NULL;
	struct slice rest;
	const char *colon;

	(void)schema;
	if (eq == NULL || eq == v.ptr || !text_is_ascii(v))
		return HB_ESYNTAX;
	rest = slice_skip(v, (size_t)(eq - v.ptr) + 1);
	colon = rest.len > 0 ? memchr(rest.ptr, ':', rest.len) : NULL;
	return colon != NULL && colon + 1 < rest.ptr + rest.len ? HB_OK :
	    HB_ESYNTAX;
}
