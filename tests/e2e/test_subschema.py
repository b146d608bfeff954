"""U: cn=Subschema as schema browsers read it, with all our schema files."""
import json
import os
import re
import subprocess

import ldap
import ldap.schema
import ldap3
import pytest
from conftest import PEER, SUFFIX, TOP, person, schema_file, schema_lines

pytestmark = pytest.mark.skipif(bool(PEER), reason="shipped files of ours")

KINDS = ("ldapSyntaxes", "matchingRules", "matchingRuleUse", "attributeTypes",
         "objectClasses", "dITContentRules")
FILES = sorted(n[:-7] for n in os.listdir(os.path.join(TOP, "doc/schema"))
               if n.endswith(".schema"))
# nis and rfc2307bis exclude each other
FIRST = ["core", "cosine", "inetorgperson", "nis"]
ALL = FIRST + [n for n in FILES if n not in FIRST + ["rfc2307bis"]]
RULE = ("ditcontentrule ( 2.5.6.14 NAME 'deviceRule' DESC 'it\\27s' "
        "AUX posixAccount MUST cn MAY ( uid $ o ) NOT serialNumber )")

# RFC 4512 1.4 and 4.1, one blank where a space is required.
OID = r"(?:[0-2](?:\.(?:0|[1-9]\d*))+|[A-Za-z][A-Za-z0-9-]*)"
NUM = r"[0-2](?:\.(?:0|[1-9]\d*))+"
DESCR = r"'[A-Za-z][A-Za-z0-9-]*'"
NAMES = rf"(?: NAME (?:{DESCR}|\( {DESCR}(?: {DESCR})* \)))?"
QD = r"'(?:[^'\\]|\\27|\\5[Cc])+'"
DESC = rf"(?: DESC {QD})?"
OIDS = rf"(?:{OID}|\( {OID}(?: \$ {OID})* \))"
EXT = rf"(?: X-[A-Za-z_-]+ (?:{QD}|\( {QD}(?: {QD})* \)))*"
HEAD = rf"\( {NUM}{NAMES}{DESC}(?: OBSOLETE)?"
GRAMMAR = {
    "ldapSyntaxes": rf"\( {NUM}{DESC}{EXT} \)",
    "matchingRules": rf"{HEAD} SYNTAX {NUM}{EXT} \)",
    "matchingRuleUse": rf"{HEAD} APPLIES {OIDS}{EXT} \)",
    "attributeTypes":
        rf"{HEAD}(?: SUP {OID})?(?: EQUALITY {OID})?(?: ORDERING {OID})?"
        rf"(?: SUBSTR {OID})?(?: SYNTAX {NUM}(?:{{\d+}})?)?(?: SINGLE-VALUE)?"
        r"(?: COLLECTIVE)?(?: NO-USER-MODIFICATION)?(?: USAGE (?:"
        r"userApplications|directoryOperation|distributedOperation|"
        rf"dSAOperation))?{EXT} \)",
    "objectClasses":
        rf"{HEAD}(?: SUP {OIDS})?(?: (?:ABSTRACT|STRUCTURAL|AUXILIARY))?"
        rf"(?: MUST {OIDS})?(?: MAY {OIDS})?{EXT} \)",
    "dITContentRules":
        rf"{HEAD}(?: AUX {OIDS})?(?: MUST {OIDS})?(?: MAY {OIDS})?"
        rf"(?: NOT {OIDS})?{EXT} \)",
}


@pytest.fixture(scope="module")
def full(make_module):
    s = make_module("hdb", schema=ALL, extra=RULE)
    s.load(f"dn: {SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\n"
           "dc: example\no: x\n")
    s.start()
    return s


@pytest.fixture(scope="module")
def make_module():
    from conftest import Server
    made = []

    def factory(*args, **kw):
        made.append(Server(*args, **kw))
        return made[-1]
    yield factory
    for s in made:
        s.stop()
        s.clean()


def read(conn, attrs=KINDS, filt="(objectClass=subschema)"):
    got = conn.search_s("cn=Subschema", 0, filt, list(attrs))
    return got[0][1] if got else None


def test_U01_grammar(full):
    e = read(full.root())
    assert set(e) == set(KINDS)
    for kind in KINDS:
        for v in e[kind]:
            assert re.fullmatch(GRAMMAR[kind], v.decode()), (kind, v)
        oids = [v.split()[1] for v in e[kind]]
        assert len(oids) == len(set(oids)), kind
    hidden = (b"CSNMatch", b"dnSubtreeMatch", b"'glue'", b"authzMatch")
    assert not [v for kind in ("matchingRules", "matchingRuleUse",
                               "objectClasses")
                for v in e[kind] if any(h in v for h in hidden)]


def test_U02_python_ldap(full):
    e = read(full.root())
    sub = ldap.schema.SubSchema(e, check_uniqueness=2)
    for cls in (ldap.schema.LDAPSyntax, ldap.schema.MatchingRule,
                ldap.schema.MatchingRuleUse, ldap.schema.AttributeType,
                ldap.schema.ObjectClass, ldap.schema.DITContentRule):
        oids = sub.listall(cls)
        assert len(oids) == len(e[cls.schema_attribute])
        for oid in oids:
            one = sub.get_obj(cls, oid)
            again = cls(str(one))
            assert str(again) == str(one) and again.oid == oid
    for oid in sub.listall(ldap.schema.ObjectClass):
        oc = sub.get_obj(ldap.schema.ObjectClass, oid)
        for name in oc.must + oc.may:
            assert sub.get_obj(ldap.schema.AttributeType, name), name
        for name in oc.sup:
            assert sub.get_obj(ldap.schema.ObjectClass, name), name
    must, may = sub.attribute_types(["inetOrgPerson", "posixAccount"])
    must = {a.names[0] for a in must.values()}
    assert must == {"objectClass", "cn", "sn", "uid", "uidNumber",
                    "gidNumber", "homeDirectory"}
    assert {"mail", "jpegPhoto", "loginShell"} <= \
        {a.names[0] for a in may.values()}


def test_U03_ldap3(full):
    server = ldap3.Server("127.0.0.1", port=full.port, get_info=ldap3.ALL)
    with ldap3.Connection(server, auto_bind=True):
        info = server.schema
        assert server.info.schema_entry == ["cn=Subschema"]
    assert info.schema_entry == "cn=Subschema"
    assert "posixAccount" in info.object_classes
    assert info.object_classes["inetOrgPerson"].superior == \
        ["organizationalPerson"]
    assert info.attribute_types["uidNumber"].single_value
    assert "2.5.6.14" in info.dit_content_rules
    for oc in info.object_classes.values():
        for name in (oc.must_contain or []) + (oc.may_contain or []):
            assert name in info.attribute_types, name
    again = ldap3.SchemaInfo.from_json(info.to_json())
    assert len(again.attribute_types) == len(info.attribute_types)
    assert json.loads(info.to_json())["type"] == "SchemaInfo"


def test_U04_how_it_is_asked_for(full):
    c = full.root()
    assert set(read(c, ["objectClasses"])) == {"objectClasses"}
    plain = read(c, ["*"])
    assert plain["objectClass"] == [b"top", b"subentry", b"subschema",
                                    b"extensibleObject"]
    assert plain["cn"] == [b"Subschema"] and not set(KINDS) & set(plain)
    every = read(c, ["+"])
    assert set(KINDS) <= set(every)
    for stamp in ("createTimestamp", "modifyTimestamp"):
        assert re.fullmatch(rb"\d{14}Z", every[stamp][0])
    assert every["subschemaSubentry"] == [b"cn=Subschema"]
    assert read(c, filt="(objectClass=person)") is None
    assert read(c, filt="(objectClass=*)")
    for base in ("", SUFFIX):
        e = c.search_s(base, 0, "(objectClass=*)", ["subschemaSubentry"])
        assert e[0][1]["subschemaSubentry"] == [b"cn=Subschema"]
    c.add_s(f"cn=y,{SUFFIX}", person("y"))
    e = c.search_s(f"cn=y,{SUFFIX}", 0, "(objectClass=*)", ["+"])
    assert e[0][1]["subschemaSubentry"] == [b"cn=Subschema"]


def test_U05_ldif_twins(make_module, full, tmp_path):
    """Each shipped file as LDIF publishes the same schema."""
    lines = ""
    for name in ALL:
        out = tmp_path / f"{name}.ldif"
        with open(out, "w") as f:
            subprocess.run(["awk", "-v", f"cn={name}", "-f",
                            os.path.join(TOP, "doc/schema/to-ldif.awk"),
                            schema_file(name)], stdout=f, check=True)
        lines += f'include "{out}"\n'
    s = make_module("hdb", schema=ALL, extra=RULE)
    assert schema_lines(ALL) in s.conf_text
    s.write_conf(s.conf_text.replace(schema_lines(ALL), lines))
    s.start()
    assert read(s.root()) == read(full.root())
