/* SPDX-License-Identifier: MIT */
/* Gives a fuzzer's function each file of a folder, so that its seeds are a test without libFuzzer.
 */
#include "base/cleanup.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define INPUT_LIMIT_BYTES (UINT64_C(16) * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int give(const char *path)
{
    _cleanup_(fclose_p) FILE *file = fopen(path, "re");
    _cleanup_free_ uint8_t *data = malloc(INPUT_LIMIT_BYTES);
    _cleanup_free_ uint8_t *exact = NULL;
    size_t size;

    if (!file || !data) {
        perror(path);
        return -1;
    }
    size = fread(data, 1, INPUT_LIMIT_BYTES, file);
    if (ferror(file) || size == INPUT_LIMIT_BYTES) {
        fprintf(stderr, "%s: unreadable, or %zu bytes or more\n", path, size);
        return -1;
    }
    /* No byte more than there is, so that the sanitizer sees a read beyond the end. */
    exact = realloc(data, size ? size : 1);
    if (!exact)
        return -1;
    steal_pointer(&data);
    LLVMFuzzerTestOneInput(exact, size);
    return 0;
}

int main(int argc, char *argv[])
{
    const struct dirent *entry;
    unsigned n = 0;
    DIR *folder;

    folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s FOLDER-OF-SEEDS\n", argv[0]);
        return 2;
    }
    while ((entry = readdir(folder))) {
        char path[PATH_MAX];
        snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
        if (entry->d_name[0] == '.')
            continue;
        if (give(path) < 0)
            return 1;
        n++;
    }
    closedir(folder);
    printf("%u inputs\n", n);
    return n == 0;
}
