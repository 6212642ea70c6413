/* SPDX-License-Identifier: MIT */
/* Whatever EC2 answers, what comes of it is a file that the daemon can read. */
#include "base/cleanup.h"
#include "ec2/volumes.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct origin *origin)
{
    _cleanup_free_ char *text = origin_format(origin);
    struct origin again;
    char why[ORIGIN_WHY_MAX];

    if (!text || origin_parse(text, strlen(text), &again, why) < 0 || strchr(origin->volume, '/'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *xml = (const char *)data, *why;
    struct volumes volumes = { .instance_id = "i-1" };
    struct aws_error error;

    (void)volumes_take(&volumes, xml, size, &why);
    (void)volumes_take_status(&volumes, xml, size, &why);
    (void)volumes_take_snapshots(&volumes, xml, size, &why);
    ec2_error_take(&error, xml, size);
    for (size_t i = 0; i < volumes.n_items; i++)
        check(&volumes.items[i]);
    volumes_done(&volumes);
    return 0;
}
