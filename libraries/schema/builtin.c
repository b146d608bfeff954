/*
 * What every schema has: the system schema of RFC 4512, the root DSE, slapd's
 * operational attributes and the few user attributes that others are derived
 * from. Schema files leave these out or repeat them as they are here.
 */
#include "schema_int.h"

#define S		"1.3.6.1.4.1.1466.115.121.1."
#define DN_VALUE	"EQUALITY distinguishedNameMatch SYNTAX " S "12 "
#define OID_VALUE	"EQUALITY objectIdentifierMatch SYNTAX " S "38 "
#define TIME_VALUE	"EQUALITY generalizedTimeMatch " \
	"ORDERING generalizedTimeOrderingMatch SYNTAX " S "24 "
#define INT_VALUE	"EQUALITY integerMatch " \
	"ORDERING integerOrderingMatch SYNTAX " S "27 "
#define CSN_VALUE	"EQUALITY CSNMatch ORDERING CSNOrderingMatch " \
	"SYNTAX 1.3.6.1.4.1.4203.666.11.2.1{64} "
#define UUID_VALUE	"EQUALITY UUIDMatch ORDERING UUIDOrderingMatch " \
	"SYNTAX 1.3.6.1.1.16.1 "
#define DESCRIPTIONS(n)	"EQUALITY objectIdentifierFirstComponentMatch " \
	"SYNTAX " S n " USAGE directoryOperation "
#define COMPUTED	"SINGLE-VALUE NO-USER-MODIFICATION " \
	"USAGE directoryOperation "

struct builtin {
	const char *text;
	unsigned flags;		/* AT_HIDDEN */
};

static const struct builtin builtin_types[] = {
	{ "( 2.5.4.0 NAME 'objectClass' "
	    "DESC 'RFC4512: object classes of the entity' " OID_VALUE ")", 0 },
	{ "( 2.5.21.9 NAME 'structuralObjectClass' "
	    "DESC 'RFC4512: structural object class of entry' "
	    OID_VALUE COMPUTED ")", 0 },
	{ "( 2.5.18.1 NAME 'createTimestamp' "
	    "DESC 'RFC4512: time which object was created' "
	    TIME_VALUE COMPUTED ")", 0 },
	{ "( 2.5.18.2 NAME 'modifyTimestamp' "
	    "DESC 'RFC4512: time which object was last modified' "
	    TIME_VALUE COMPUTED ")", 0 },
	{ "( 2.5.18.3 NAME 'creatorsName' "
	    "DESC 'RFC4512: name of creator' " DN_VALUE COMPUTED ")", 0 },
	{ "( 2.5.18.4 NAME 'modifiersName' "
	    "DESC 'RFC4512: name of last modifier' " DN_VALUE COMPUTED ")", 0 },
	{ "( 2.5.18.9 NAME 'hasSubordinates' "
	    "DESC 'X.501: entry has children' EQUALITY booleanMatch "
	    "SYNTAX " S "7 " COMPUTED ")", 0 },
	{ "( 2.5.18.10 NAME 'subschemaSubentry' "
	    "DESC 'RFC4512: name of controlling subschema entry' "
	    DN_VALUE COMPUTED ")", 0 },
	{ "( 1.3.6.1.1.20 NAME 'entryDN' "
	    "DESC 'RFC5020: DN of the entry' " DN_VALUE COMPUTED ")", 0 },
	{ "( 1.3.6.1.1.16.4 NAME 'entryUUID' "
	    "DESC 'RFC4530: UUID of the entry' " UUID_VALUE COMPUTED ")", 0 },
	{ "( 1.3.6.1.4.1.4203.666.1.7 NAME 'entryCSN' "
	    "DESC 'change sequence number of the entry content' "
	    CSN_VALUE COMPUTED ")", 0 },
	{ "( 1.3.6.1.4.1.4203.666.1.13 NAME 'namingCSN' "
	    "DESC 'change sequence number of the entry naming (RDN)' "
	    CSN_VALUE COMPUTED ")", AT_HIDDEN },
	{ "( 1.3.6.1.4.1.4203.666.1.11 NAME 'superiorUUID' "
	    "DESC 'UUID of superior entry' " UUID_VALUE COMPUTED ")",
	    AT_HIDDEN },
	{ "( 1.3.6.1.4.1.4203.666.1.23 NAME 'syncreplCookie' "
	    "DESC 'syncrepl Cookie for shadow copy' "
	    "EQUALITY octetStringMatch ORDERING octetStringOrderingMatch "
	    "SYNTAX " S "40 " COMPUTED ")", AT_HIDDEN },
	{ "( 1.3.6.1.4.1.4203.666.1.25 NAME 'contextCSN' "
	    "DESC 'the largest committed CSN of a context' " CSN_VALUE
	    "NO-USER-MODIFICATION USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.4.1.1466.101.120.6 NAME 'altServer' "
	    "DESC 'RFC4512: alternative servers' SYNTAX " S "26 "
	    "USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.4.1.1466.101.120.5 NAME 'namingContexts' "
	    "DESC 'RFC4512: naming contexts' " DN_VALUE
	    "USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.4.1.1466.101.120.13 NAME 'supportedControl' "
	    "DESC 'RFC4512: supported controls' SYNTAX " S "38 "
	    "USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.4.1.1466.101.120.7 NAME 'supportedExtension' "
	    "DESC 'RFC4512: supported extended operations' SYNTAX " S "38 "
	    "USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.4.1.1466.101.120.15 NAME 'supportedLDAPVersion' "
	    "DESC 'RFC4512: supported LDAP versions' SYNTAX " S "27 "
	    "USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.4.1.1466.101.120.14 NAME 'supportedSASLMechanisms' "
	    "DESC 'RFC4512: supported SASL mechanisms' SYNTAX " S "15 "
	    "USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.4.1.4203.1.3.5 NAME 'supportedFeatures' "
	    "DESC 'RFC4512: features supported by the server' " OID_VALUE
	    "USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.4.1.4203.666.1.10 NAME 'monitorContext' "
	    "DESC 'monitor context' " DN_VALUE
	    "SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.4.1.4203.1.12.2.1 NAME 'configContext' "
	    "DESC 'config context' " DN_VALUE
	    "SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.1.4 NAME 'vendorName' "
	    "DESC 'RFC3045: name of implementation vendor' "
	    "EQUALITY caseExactMatch SYNTAX " S "15 "
	    "SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation )", 0 },
	{ "( 1.3.6.1.1.5 NAME 'vendorVersion' "
	    "DESC 'RFC3045: version of implementation' "
	    "EQUALITY caseExactMatch SYNTAX " S "15 "
	    "SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation )", 0 },
	{ "( 2.5.18.5 NAME 'administrativeRole' "
	    "DESC 'RFC3672: administrative role' " OID_VALUE
	    "USAGE directoryOperation )", 0 },
	{ "( 2.5.18.6 NAME 'subtreeSpecification' "
	    "DESC 'RFC3672: subtree specification' SYNTAX " S "45 "
	    "SINGLE-VALUE USAGE directoryOperation )", 0 },
	{ "( 2.5.18.12 NAME 'collectiveAttributeSubentries' "
	    "DESC 'RFC3671: collective attribute subentries' " DN_VALUE
	    "NO-USER-MODIFICATION USAGE directoryOperation )", 0 },
	{ "( 2.5.18.7 NAME 'collectiveExclusions' "
	    "DESC 'RFC3671: collective attribute exclusions' " OID_VALUE
	    "USAGE directoryOperation )", 0 },
	{ "( 2.5.21.1 NAME 'dITStructureRules' "
	    "DESC 'RFC4512: DIT structure rules' "
	    "EQUALITY integerFirstComponentMatch SYNTAX " S "17 "
	    "USAGE directoryOperation )", 0 },
	{ "( 2.5.21.2 NAME 'dITContentRules' "
	    "DESC 'RFC4512: DIT content rules' " DESCRIPTIONS("16") ")", 0 },
	{ "( 2.5.21.4 NAME 'matchingRules' "
	    "DESC 'RFC4512: matching rules' " DESCRIPTIONS("30") ")", 0 },
	{ "( 2.5.21.5 NAME 'attributeTypes' "
	    "DESC 'RFC4512: attribute types' " DESCRIPTIONS("3") ")", 0 },
	{ "( 2.5.21.6 NAME 'objectClasses' "
	    "DESC 'RFC4512: object classes' " DESCRIPTIONS("37") ")", 0 },
	{ "( 2.5.21.7 NAME 'nameForms' "
	    "DESC 'RFC4512: name forms' " DESCRIPTIONS("35") ")", 0 },
	{ "( 2.5.21.8 NAME 'matchingRuleUse' "
	    "DESC 'RFC4512: matching rule uses' " DESCRIPTIONS("31") ")", 0 },
	{ "( 1.3.6.1.4.1.1466.101.120.16 NAME 'ldapSyntaxes' "
	    "DESC 'RFC4512: LDAP syntaxes' " DESCRIPTIONS("54") ")", 0 },
	{ "( 2.5.4.1 NAME ( 'aliasedObjectName' 'aliasedEntryName' ) "
	    "DESC 'RFC4512: name of aliased object' " DN_VALUE
	    "SINGLE-VALUE )", 0 },
	{ "( 2.16.840.1.113730.3.1.34 NAME 'ref' "
	    "DESC 'RFC3296: subordinate referral URL' "
	    "EQUALITY caseExactMatch SYNTAX " S "15 "
	    "USAGE distributedOperation )", 0 },
	{ "( 1.3.6.1.4.1.4203.1.3.1 NAME 'entry' "
	    "DESC 'entry itself, in access rules' "
	    "SYNTAX 1.3.6.1.4.1.4203.1.1.1 "
	    "SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation )",
	    AT_HIDDEN },
	{ "( 1.3.6.1.4.1.4203.1.3.2 NAME 'children' "
	    "DESC 'children of the entry, in access rules' "
	    "SYNTAX 1.3.6.1.4.1.4203.1.1.1 "
	    "SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation )",
	    AT_HIDDEN },
	{ "( 1.3.6.1.4.1.4203.666.1.8 NAME ( 'authzTo' 'saslAuthzTo' ) "
	    "DESC 'proxy authorization targets' EQUALITY authzMatch "
	    "SYNTAX 1.3.6.1.4.1.4203.666.2.7 USAGE distributedOperation "
	    "X-ORDERED 'VALUES' )", AT_HIDDEN },
	{ "( 1.3.6.1.4.1.4203.666.1.9 NAME ( 'authzFrom' 'saslAuthzFrom' ) "
	    "DESC 'proxy authorization sources' EQUALITY authzMatch "
	    "SYNTAX 1.3.6.1.4.1.4203.666.2.7 USAGE distributedOperation "
	    "X-ORDERED 'VALUES' )", AT_HIDDEN },
	{ "( 1.3.6.1.4.1.1466.101.119.3 NAME 'entryTtl' "
	    "DESC 'RFC2589: entry time-to-live' SYNTAX " S "27 "
	    COMPUTED ")", 0 },
	{ "( 1.3.6.1.4.1.1466.101.119.4 NAME 'dynamicSubtrees' "
	    "DESC 'RFC2589: dynamic subtrees' SYNTAX " S "12 "
	    "NO-USER-MODIFICATION USAGE dSAOperation )", 0 },
	{ "( 2.5.4.49 NAME 'distinguishedName' "
	    "DESC 'RFC4519: common supertype of DN attributes' "
	    DN_VALUE ")", 0 },
	{ "( 2.5.4.41 NAME 'name' "
	    "DESC 'RFC4519: common supertype of name attributes' "
	    "EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch "
	    "SYNTAX " S "15{32768} )", 0 },
	{ "( 2.5.4.3 NAME ( 'cn' 'commonName' ) "
	    "DESC 'RFC4519: common name(s) for which the entity is known by' "
	    "SUP name )", 0 },
	{ "( 0.9.2342.19200300.100.1.1 NAME ( 'uid' 'userid' ) "
	    "DESC 'RFC4519: user identifier' "
	    "EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch "
	    "SYNTAX " S "15{256} )", 0 },
	{ "( 1.3.6.1.1.1.1.0 NAME 'uidNumber' "
	    "DESC 'RFC2307: An integer uniquely identifying a user in an "
	    "administrative domain' " INT_VALUE "SINGLE-VALUE )", 0 },
	{ "( 1.3.6.1.1.1.1.1 NAME 'gidNumber' "
	    "DESC 'RFC2307: An integer uniquely identifying a group in an "
	    "administrative domain' " INT_VALUE "SINGLE-VALUE )", 0 },
	{ "( 2.5.4.35 NAME 'userPassword' "
	    "DESC 'RFC4519/2307: password of user' "
	    "EQUALITY octetStringMatch SYNTAX " S "40{128} )", 0 },
	{ "( 1.3.6.1.4.1.250.1.57 NAME 'labeledURI' "
	    "DESC 'RFC2079: Uniform Resource Identifier with optional label' "
	    "EQUALITY caseExactMatch SYNTAX " S "15 )", 0 },
	{ "( 2.5.4.13 NAME 'description' "
	    "DESC 'RFC4519: descriptive information' "
	    "EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch "
	    "SYNTAX " S "15{1024} )", 0 },
	{ "( 2.5.4.34 NAME 'seeAlso' "
	    "DESC 'RFC4519: DN of related object' "
	    "SUP distinguishedName )", 0 },
};

static const struct builtin builtin_classes[] = {
	{ "( 2.5.6.0 NAME 'top' DESC 'top of the superclass chain' "
	    "ABSTRACT MUST objectClass )", 0 },
	{ "( 1.3.6.1.4.1.1466.101.120.111 NAME 'extensibleObject' "
	    "DESC 'RFC4512: extensible object' SUP top AUXILIARY )", 0 },
	{ "( 2.5.6.1 NAME 'alias' DESC 'RFC4512: an alias' "
	    "SUP top STRUCTURAL MUST aliasedObjectName )", 0 },
	{ "( 2.16.840.1.113730.3.2.6 NAME 'referral' "
	    "DESC 'namedref: named subordinate referral' "
	    "SUP top STRUCTURAL MUST ref )", 0 },
	{ "( 1.3.6.1.4.1.4203.1.4.1 NAME ( 'OpenLDAProotDSE' 'LDAProotDSE' ) "
	    "DESC 'root DSE object' SUP top STRUCTURAL MAY cn )", 0 },
	{ "( 2.5.17.0 NAME 'subentry' DESC 'RFC3672: subentry' "
	    "SUP top STRUCTURAL MUST ( cn $ subtreeSpecification ) )", 0 },
	{ "( 2.5.20.1 NAME 'subschema' "
	    "DESC 'RFC4512: controlling subschema (sub)entry' "
	    "AUXILIARY MAY ( dITStructureRules $ nameForms $ "
	    "dITContentRules $ objectClasses $ attributeTypes $ "
	    "matchingRules $ matchingRuleUse ) )", 0 },
	{ "( 2.5.17.2 NAME 'collectiveAttributeSubentry' "
	    "DESC 'RFC3671: collective attribute subentry' "
	    "AUXILIARY )", 0 },
	{ "( 1.3.6.1.4.1.1466.101.119.2 NAME 'dynamicObject' "
	    "DESC 'RFC2589: dynamic object' SUP top AUXILIARY )", 0 },
	{ "( 1.3.6.1.4.1.4203.666.3.4 NAME 'glue' DESC 'glue entry' "
	    "SUP top STRUCTURAL )", AT_HIDDEN },
	{ "( 1.3.6.1.4.1.4203.666.3.5 NAME 'syncConsumerSubentry' "
	    "DESC 'persistent info for a consumer' "
	    "AUXILIARY MAY syncreplCookie )", AT_HIDDEN },
	{ "( 1.3.6.1.4.1.4203.666.3.6 NAME 'syncProviderSubentry' "
	    "DESC 'persistent info for a provider' "
	    "AUXILIARY MAY contextCSN )", AT_HIDDEN },
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static void
must_work(int rc, const struct diag *diag)
{
	if (rc != HB_OK)
		log_fatal("built-in schema: %s", diag->text);
}

void
schema_add_builtins(struct schema *schema)
{
	const struct place at = { NULL, 0 };
	const struct builtin *b;
	struct diag diag = DIAG_INIT;
	size_t i;

	for (i = 0; i < COUNT(builtin_types); i++) {
		b = &builtin_types[i];
		must_work(type_define(schema, slice_of(b->text), &at,
		    b->flags, NULL, &diag), &diag);
	}
	for (i = 0; i < COUNT(builtin_classes); i++) {
		b = &builtin_classes[i];
		must_work(class_define(schema, slice_of(b->text), &at,
		    b->flags != 0, NULL, &diag), &diag);
	}
	schema->basics = (struct schema_basics){
		.object_class = schema_builtin(schema, "objectClass"),
		.structural_class = schema_builtin(schema,
		    "structuralObjectClass"),
		.extensible = schema_find_class(schema,
		    SLICE("extensibleObject")),
		.collective_subentry = schema_find_class(schema,
		    SLICE("collectiveAttributeSubentry"))
	};
}
