# A schema file as the LDIF of cn=config: awk -v cn=NAME -f to-ldif.awk FILE.
# Knows what the files of this folder have: comments in column 1, continuation
# lines that begin with a blank, ASCII.

BEGIN {
	attr["objectidentifier"] = "olcObjectIdentifier"
	attr["attributetype"] = "olcAttributeTypes"
	attr["objectclass"] = "olcObjectClasses"
	attr["ditcontentrule"] = "olcDitContentRules"
	attr["ldapsyntax"] = "olcLdapSyntaxes"
}

function put(text,  width) {
	for (width = 76; length(text) > width; text = " " substr(text, width + 1))
		print substr(text, 1, width)
	print text
}

function flush_line(  word, rest) {
	if (line == "")
		return
	word = tolower(line)
	sub(/[ \t].*/, "", word)
	rest = line
	sub(/^[^ \t]+[ \t]+/, "", rest)
	gsub(/[ \t]+/, " ", rest)
	if (!(word in attr)) {
		print FILENAME ": no LDIF for: " line | "cat 1>&2"
		exit failed = 1
	}
	put(attr[word] ": {" count[word]++ + 0 "}" rest)
	line = ""
}

FNR == 1 {
	print "# Made of " cn ".schema, which has the remarks."
	print "dn: cn=" cn ",cn=schema,cn=config"
	print "objectClass: olcSchemaConfig"
	print "cn: " cn
}
/^[ \t]/ { line = line " " $0; next }
{ flush_line() }
/^#/ || /^$/ { next }
{ line = $0 }
END {
	if (!failed)
		flush_line()
	exit failed
}
