/*
 * slappasswd: a password value for rootpw or userPassword.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "../passwd.h"
#include "../registry.h"
#include "tool_int.h"
#include "util/err.h"
#include "util/mem.h"

#define SECRET_MAX	(1 << 16)

/*
 * module-path=, module-load=: schemes that slapd has as modules are built in.
 */
static int
module_option(struct tool_run *run, const char *arg)
{
	struct diag diag = DIAG_INIT;
	const char *name;
	int rc;

	if (tool_option_value(arg, "module-path") != NULL)
		return 0;
	if ((name = tool_option_value(arg, "module-load")) == NULL) {
		tool_say(run, "-o: unknown option \"%s\"", arg);
		return -1;
	}
	if ((rc = registry_load_module(NULL, name, 0, NULL, &diag)) == HB_OK)
		return 0;
	tool_say_diag(run, rc, &diag);
	return -1;
}

static int
option(struct tool_run *run, int c, const char *arg)
{
	switch (c) {
	case 'c':
		run->salt_format = arg;
		if (passwd_is_crypt_format(arg))
			return 0;
		tool_say(run, "-c: \"%s\" is no salt format: exactly one %%s "
		    "and at most %d characters expected", arg,
		    PASSWD_CRYPT_FORMAT_MAX);
		return -1;
	case 'g':
		run->generate = true;
		return 0;
	case 'h':
		run->scheme = arg;
		return 0;
	case 'n':
		run->no_newline = true;
		return 0;
	case 'o':
		return module_option(run, arg);
	case 's':
		run->secret = arg;
		return 0;
	case 'T':
		run->secret_file = arg;
		return 0;
	case 'u':
		/* userPassword values are all it makes */
		return 0;
	case 'v':
		run->verbose = true;
		return 0;
	}
	return -1;
}

static int
read_file(const struct tool_run *run, struct buf *out)
{
	int fd = open(run->secret_file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 077) != 0)
		tool_say(run, "warning: %s can be read by others",
		    run->secret_file);
	while (fd >= 0 && out->len < SECRET_MAX) {
		buf_reserve(out, 4096);
		if ((n = read(fd, out->data + out->len, 4096)) <= 0)
			break;
		out->len += (size_t)n;
	}
	if (n < 0)
		tool_say(run, "%s: %s", run->secret_file, strerror(errno));
	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

/* A line of standard input, not shown while it is typed. */
static int
ask(const char *prompt, struct buf *out)
{
	struct termios old, quiet;
	bool terminal = tcgetattr(STDIN_FILENO, &old) == 0;
	char c;
	ssize_t n;

	if (terminal) {
		quiet = old;
		quiet.c_lflag &= ~(tcflag_t)ECHO;
		fputs(prompt, stderr);
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	}
	while ((n = read(STDIN_FILENO, &c, 1)) == 1 && c != '\n' &&
	    out->len < SECRET_MAX)
		buf_put_char(out, c);
	if (terminal) {
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
		fputc('\n', stderr);
	}
	return n == 1 || out->len > 0 ? 0 : -1;
}

static int
ask_twice(const struct tool_run *run, struct buf *out)
{
	struct buf again;
	int rc = 0;

	buf_init(&again);
	if (ask("New password: ", out) != 0 || out->len == 0) {
		tool_say(run, "no password given");
		rc = -1;
	} else if (ask("Re-enter new password: ", &again) != 0 ||
	    !slice_is_eq(buf_slice(out), buf_slice(&again))) {
		tool_say(run, "password values do not match");
		rc = -1;
	}
	if (again.data != NULL)
		mem_wipe(again.data, again.cap);
	buf_fini(&again);
	return rc;
}

static int
get_secret(const struct tool_run *run, struct buf *out)
{
	if (run->secret != NULL)
		buf_put_str(out, run->secret);
	else if (run->secret_file != NULL)
		return read_file(run, out);
	else
		return ask_twice(run, out);
	return 0;
}

static int
make_value(const struct tool_run *run, struct buf *value)
{
	struct diag diag = DIAG_INIT;
	struct buf secret;
	char random[9];
	int rc;

	if (run->generate) {
		passwd_generate(random);
		buf_put_str(value, random);
		return 0;
	}
	buf_init(&secret);
	if ((rc = get_secret(run, &secret)) == 0 && (rc = passwd_make(
	    run->scheme != NULL ? run->scheme : "{SSHA}", buf_slice(&secret),
	    run->salt_format, value, &diag)) != HB_OK)
		tool_say_diag(run, rc, &diag);
	if (secret.data != NULL)
		mem_wipe(secret.data, secret.cap);
	buf_fini(&secret);
	return rc;
}

static int
run_passwd(struct tool_run *run, int nargs, char **args)
{
	struct buf value;
	int rc = -1;

	(void)nargs;
	(void)args;
	buf_init(&value);
	if (run->generate + (run->secret != NULL) +
	    (run->secret_file != NULL) > 1)
		tool_say(run, "-g, -s and -T exclude each other");
	else if (run->generate && run->scheme != NULL)
		tool_say(run, "-g excludes -h");
	else if (run->scheme != NULL && !passwd_is_scheme(run->scheme))
		tool_say(run, "password scheme \"%s\" is not known",
		    run->scheme);
	else
		rc = make_value(run, &value);
	if (rc == 0) {
		if (!run->no_newline)
			buf_put_char(&value, '\n');
		if (fwrite(value.data, 1, value.len, stdout) != value.len ||
		    fflush(stdout) != 0)
			rc = -1;
	}
	buf_fini(&value);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct tool tool_passwd = {
	"slappasswd", "c:gh:no:s:T:uv",
	"[-nuv] [-c format] [-h scheme] [-g | -s secret | -T file]",
	0, option, run_passwd
};
