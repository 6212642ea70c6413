/* SPDX-License-Identifier: MIT */
#include "conf/conf.h"

#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_finding(int level, const char *text, void *userdata)
{
    (void)level;
    *(size_t *)userdata += strlen(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_close_ int fd = memfd_create("conf", MFD_CLOEXEC);
    char path[64];
    const struct conf_paths paths = { .main_file = path };
    struct conf *conf = NULL;
    size_t said = 0;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        return 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (conf_load(&paths, on_finding, &said, &conf) < 0 && (conf || said == 0))
        abort(); /* an error without a word, or half a configuration */
    conf_free(conf);
    return 0;
}
