/* SPDX-License-Identifier: MIT */
/* Where the data of all reads lands and is thrown away. */
#ifndef ENGINE_SINK_H
#define ENGINE_SINK_H

/* ENGINE_BLOCK_MAX_BYTES of memory, in one physical piece where the kernel has one. NULL if none.
 */
void *sink_new(void);
void sink_free(void *sink);

#endif
