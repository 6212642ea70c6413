/* SPDX-License-Identifier: MIT */
/* Gives a fuzzer's function each file that is named, so that its seeds are a test without
 * libFuzzer. */
#include "base/cleanup.h"

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
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        if (give(argv[i]) < 0)
            return 1;
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}
