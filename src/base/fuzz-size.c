/* SPDX-License-Identifier: MIT */
/* Sizes, durations, percents and numbers as a user may type them. */
#include "base/size.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[128], formatted[FORMAT_MAX];
    unsigned number = 0;
    uint64_t value;
    int flag;

    if (size >= sizeof(text))
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (parse_size(text, &value) >= 0)
        format_bytes(formatted, value);
    if (parse_duration(text, &value) >= 0)
        format_duration(formatted, value);
    if (parse_percent(text, &number) >= 0 && number > 100)
        abort();
    (void)parse_unsigned(text, &number);
    (void)parse_boolean(text, &flag);
    return 0;
}
