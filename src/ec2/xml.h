/* SPDX-License-Identifier: MIT */
/* AWS's XML as a sequence of elements with their paths. Nothing from the network is trusted. */
#ifndef EC2_XML_H
#define EC2_XML_H

#include <stddef.h>

/* Called at each element's end; `path` leaves out the root: "volumeSet/item/volumeId". */
typedef void (*xml_element_fn)(const char *path, const char *text, void *userdata);

/*
 * -EINVAL with `*why` (a static text) for what is not well formed, has a document type (and so
 * entities), is nested deeper than 16 or holds a text over 4 KiB.
 */
int xml_parse(const char *data, size_t length, xml_element_fn element, void *userdata,
              const char **why);

#endif
