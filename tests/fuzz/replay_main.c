/* Runs a fuzz target over the files of a folder, without a fuzzer: what the
 * corpus once showed stays fixed wherever the tests run.
 *
 *	fuzz_NAME_replay tests/fuzz/corpus/NAME
 *
 * Each input is also run cut to half, which moves every check of a length. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_LEN_MAX (1u << 20)
#define PATH_LEN      4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The bytes in memory of just their length. */
static int run_exact(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, data, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
	return 0;
}

static int run_file(const char *path, uint8_t *data)
{
	FILE *file = fopen(path, "rb");
	size_t len;
	int rc;

	if (!file)
		return -errno;
	len = fread(data, 1, INPUT_LEN_MAX, file);
	fclose(file);
	rc = run_exact(data, len);
	return rc ? rc : run_exact(data, len / 2);
}

static int run_folder(const char *folder, uint8_t *data)
{
	DIR *dir = opendir(folder);
	char path[PATH_LEN];
	struct dirent *entry;
	int nr = 0, rc = 0;

	if (!dir)
		return -errno;
	while (!rc && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		rc = run_file(path, data);
		nr++;
	}
	closedir(dir);
	return rc ? rc : nr;
}

int main(int argc, char **argv)
{
	uint8_t *data;
	int nr;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	data = malloc(INPUT_LEN_MAX);
	if (!data)
		return 1;
	nr = run_folder(argv[1], data);
	free(data);
	if (nr <= 0) {
		fprintf(stderr, "%s: %s\n", argv[1],
			nr ? strerror(-nr) : "no inputs");
		return 1;
	}
	printf("%d inputs\n", nr);
	return 0;
}
