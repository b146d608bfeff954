/*
 * main() of a fuzzer without a fuzzing engine: runs every file named, and
 * every file of every folder named, through LLVMFuzzerTestOneInput(). Each
 * input is an allocation of its exact size, so that a sanitizer sees a read
 * one byte too far.
 */
#define _GNU_SOURCE		/* asprintf() */

#include <sys/stat.h>

#include <dirent.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long ninputs;

static void
run_file(const char *path)
{
	FILE *f;
	struct stat st;
	uint8_t *data;

	if ((f = fopen(path, "rb")) == NULL || fstat(fileno(f), &st) == -1)
		err(1, "%s", path);
	/* malloc(0) may be NULL, which a decoder need not accept */
	if ((data = malloc(st.st_size > 0 ? st.st_size : 1)) == NULL)
		err(1, NULL);
	if (fread(data, 1, st.st_size, f) != (size_t)st.st_size)
		err(1, "%s", path);
	fclose(f);
	LLVMFuzzerTestOneInput(data, st.st_size);
	free(data);
	ninputs++;
}

static void
run_dir(const char *path)
{
	DIR *dir;
	struct dirent *d;
	char *name;

	if ((dir = opendir(path)) == NULL)
		err(1, "%s", path);
	while ((d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.')
			continue;
		if (asprintf(&name, "%s/%s", path, d->d_name) == -1)
			err(1, NULL);
		run_file(name);
		free(name);
	}
	closedir(dir);
}

int
main(int argc, char **argv)
{
	struct stat st;
	int i;

	for (i = 1; i < argc; i++) {
		if (stat(argv[i], &st) == -1)
			err(1, "%s", argv[i]);
		if (S_ISDIR(st.st_mode))
			run_dir(argv[i]);
		else
			run_file(argv[i]);
	}
	printf("%lu inputs\n", ninputs);
	return ninputs == 0;
}
