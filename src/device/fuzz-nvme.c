/* SPDX-License-Identifier: MIT */
/* A controller may answer anything: no page reads past its end, no bin count past the table. */
#include "device/nvme.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nvme_stats stats;
    char name[NVME_NAME_MAX];

    if (nvme_parse_stats(data, size, &stats) >= 0 &&
        (stats.read_latency.n_bins > NVME_HISTOGRAM_BINS ||
         stats.write_latency.n_bins > NVME_HISTOGRAM_BINS))
        abort();
    (void)nvme_parse_identify(data, size, name);
    return 0;
}
