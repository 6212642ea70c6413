/* SPDX-License-Identifier: MIT */
/* A fleet's report as JSON, in the shape that scripts are promised, and back. */
#ifndef STATUS_JSON_H
#define STATUS_JSON_H

#include <stddef.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "warm/report.h"

/* 15 digits are what a double holds for sure; with jansson's 17, 43.21 is 43.210000000000001. */
#define REPORT_JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

DEFINE_CLEANUP(json_t *, json_decref, json_decref_p)

/*
 * The fleet with those of its volumes that are wanted. New references; NULL when out of memory.
 * Text that is no UTF-8 gets '?' for its odd bytes.
 */
json_t *fleet_to_json(const struct fleet_report *report, const struct volume_report *const *volumes,
                      size_t n_volumes);
json_t *volumes_to_json(const struct volume_report *const *volumes, size_t n_volumes);
json_t *text_to_json(const char *text);

/* A report that owns its strings. */
struct parsed_report;

#define REPORT_ERROR_MAX 128
/*
 * -EBADMSG with what is wrong and where ("volumes[3].size_bytes: …") in `error`. Unknown members
 * are ignored: a newer daemon may send more.
 */
int report_from_json(json_t *json, struct parsed_report **ret, char error[REPORT_ERROR_MAX]);
void parsed_report_free(struct parsed_report *parsed);
const struct fleet_report *parsed_report_get(const struct parsed_report *parsed);

DEFINE_CLEANUP(struct parsed_report *, parsed_report_free, parsed_report_free_p)

#endif
