/*
 * The tools in one multi-call program: slapacl, slapadd, slapcat, slapindex,
 * slappasswd, slaptest, and "mdoc" for the manual. One thread of control.
 */
#ifndef SLAPD_TOOLS_H
#define SLAPD_TOOLS_H

/*
 * The full name ("slapadd") of the tool that WORD names: the name the program
 * was called by (basename), or after -T a name with or without "slap", or a
 * prefix of it ("add", "a"). NULL: none. CALLED: WORD is a program name, only
 * full names count.
 */
const char *slapd_tool_name(const char *word, int called);

/*
 * Run the tool NAME (of slapd_tool_name()). ARGV[0] is the program, options
 * follow; -T and its argument must have been taken out. Returns the exit
 * status.
 */
int slapd_tool_main(const char *name, int argc, char **argv);

#endif
