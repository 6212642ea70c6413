/* SPDX-License-Identifier: MIT */
/* A checkpoint as found on a disk; and the same with its checksum made right, so that the rest is
 * read. */
#include "warm/checkpoint.h"

#include "base/cleanup.h"
#include "base/crc32c.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is believed can be written, and reads the same again. */
static void parse(const char *text, size_t length)
{
    struct checkpoint *checkpoint, *again;
    _cleanup_free_ char *written = NULL;
    const char *why = NULL;
    size_t written_length;

    if (checkpoint_parse(text, length, &checkpoint, &why) < 0) {
        if (!why)
            abort();
        return;
    }
    if (checkpoint_format(checkpoint, &written, &written_length) < 0 ||
        checkpoint_parse(written, written_length, &again, &why) < 0)
        abort();
    if (rangeset_total_bytes(again->warm) != rangeset_total_bytes(checkpoint->warm))
        abort();
    checkpoint_free(checkpoint);
    checkpoint_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_free_ char *sealed = NULL;
    int length;

    parse((const char *)data, size);
    length = asprintf(&sealed, "%.*send %08x\n", (int)size, (const char *)data,
                      crc32c(data, strnlen((const char *)data, size)));
    if (length > 0)
        parse(sealed, (size_t)length);
    return 0;
}
