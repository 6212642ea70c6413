/* SPDX-License-Identifier: MIT */
/*
 * Log lines for the person woken at night. Nothing here blocks on a full journal or terminal: lines
 * go through a bounded queue to a thread of their own, and what does not fit is counted and said.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <syslog.h>

/*
 * Starts the log thread. Goes to the journal when stderr is connected to it ($JOURNAL_STREAM names
 * its device and inode, systemd.exec(5)), else to stderr as "LEVEL: text". Lines above `max_level`
 * (LOG_DEBUG … LOG_ERR) are dropped. Before log_open() and after log_close(), lines are written to
 * stderr directly.
 */
int log_open(int max_level);
/* Writes what is queued, waiting at most one second, and ends the thread. */
void log_close(void);
void log_set_max_level(int max_level);

/* What a line is about; every member may be NULL. `message_id` is 32 hex digits (src/catalog). */
struct log_subject {
    const char *volume;
    const char *device;
    const char *message_id;
};

void log_message(int level, const struct log_subject *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void log_message_va(int level, const struct log_subject *subject, const char *format, va_list ap)
    __attribute__((format(printf, 3, 0)));

#define log_debug(...)   log_message(LOG_DEBUG, NULL, __VA_ARGS__)
#define log_info(...)    log_message(LOG_INFO, NULL, __VA_ARGS__)
#define log_notice(...)  log_message(LOG_NOTICE, NULL, __VA_ARGS__)
#define log_warning(...) log_message(LOG_WARNING, NULL, __VA_ARGS__)
#define log_error(...)   log_message(LOG_ERR, NULL, __VA_ARGS__)

#endif
