#include "detach.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/err.h"
#include "util/text.h"

int
detach_root(const char *dir, struct diag *diag)
{
	if (dir == NULL)
		return HB_OK;
	if (chdir(dir) < 0 || chroot(".") < 0)
		return diag_err(diag, HB_EIO, "chroot %s: %s", dir,
		    strerror(errno));
	return HB_OK;
}

static int
find_group(const char *name, gid_t *gid_r, struct diag *diag)
{
	const struct group *g;
	uint64_t n;

	if (text_to_uint(slice_of(name), &n) == HB_OK) {
		*gid_r = (gid_t)n;
		return HB_OK;
	}
	if ((g = getgrnam(name)) == NULL)
		return diag_err(diag, HB_EINVAL, "no group %s", name);
	*gid_r = g->gr_gid;
	return HB_OK;
}

int
detach_user(const char *user, const char *group, struct diag *diag)
{
	const struct passwd *pw = NULL;
	gid_t gid = getgid();
	uint64_t n;
	int rc;

	if (user != NULL) {
		pw = text_to_uint(slice_of(user), &n) == HB_OK ?
		    getpwuid((uid_t)n) : getpwnam(user);
		if (pw == NULL)
			return diag_err(diag, HB_EINVAL, "no user %s", user);
		gid = pw->pw_gid;
	}
	if (group != NULL && (rc = find_group(group, &gid, diag)) != HB_OK)
		return rc;
	if (pw != NULL && geteuid() == 0 && initgroups(pw->pw_name, gid) < 0)
		return diag_err(diag, HB_EIO, "initgroups: %s",
		    strerror(errno));
	if ((user != NULL || group != NULL) && setgid(gid) < 0)
		return diag_err(diag, HB_EIO, "setgid %u: %s", (unsigned)gid,
		    strerror(errno));
	if (pw != NULL && setuid(pw->pw_uid) < 0)
		return diag_err(diag, HB_EIO, "setuid %u: %s",
		    (unsigned)pw->pw_uid, strerror(errno));
	return HB_OK;
}

/* The parent: what the child says, or how it died, is our exit status. */
static void
await_child(int fd, pid_t pid)
{
	char text[DIAG_TEXT_MAX + 256];
	size_t len = 0;
	ssize_t n;
	int status;

	while (len < sizeof(text) - 1 && ((n = read(fd, text + len,
	    sizeof(text) - 1 - len)) > 0 || (n < 0 && errno == EINTR)))
		len += n > 0 ? (size_t)n : 0;
	text[len] = '\0';
	if (len == 1 && text[0] == '0')
		_exit(0);
	if (len > 0)
		fprintf(stderr, "%s\n", text);
	else if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status))
		fprintf(stderr, "the server died of signal %d\n",
		    WTERMSIG(status));
	_exit(1);
}

static void
leave_terminal(void)
{
	int fd = open("/dev/null", O_RDWR);

	setsid();
	if (chdir("/") < 0)
		_exit(1);
	if (fd < 0)
		return;
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
}

int
detach_background(int *tell_r, struct diag *diag)
{
	int fds[2];
	pid_t pid;

	if (pipe(fds) < 0)
		return diag_err(diag, HB_EIO, "pipe: %s", strerror(errno));
	fflush(NULL);
	if ((pid = fork()) < 0)
		return diag_err(diag, HB_EIO, "fork: %s", strerror(errno));
	if (pid > 0) {
		close(fds[1]);
		await_child(fds[0], pid);
	}
	close(fds[0]);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	leave_terminal();
	*tell_r = fds[1];
	return HB_OK;
}

void
detach_report(int *tell, int rc, const struct diag *diag)
{
	char text[DIAG_TEXT_MAX + 256] = "0";

	if (*tell < 0)
		return;
	if (rc != HB_OK)
		diag_format(diag, text, sizeof(text));
	while (write(*tell, text, strlen(text)) < 0 && errno == EINTR)
		;
	close(*tell);
	*tell = -1;
}
