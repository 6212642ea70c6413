/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include "base/cleanup.h"
#include "base/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#define QUEUE_MAX      256U
#define CLOSE_WAIT_SEC 1
#define FIELDS_MAX     6

struct line {
    struct line *next;
    int level;
    char message_id[33];
    char volume[64];
    char device[128];
    char text[];
};

/*
 * Never freed: a writer that hangs in a full pipe may touch it for as long as the process lives.
 */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct line *first, **last;
    unsigned length;
    unsigned long dropped;
    bool open, closing, done, journal;
    int max_level;
} queue = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .last = &queue.first,
    .max_level = LOG_INFO,
};

static bool stderr_is_journal(void)
{
    const char *text = getenv("JOURNAL_STREAM");
    uintmax_t device, inode;
    struct stat st;

    return text && sscanf(text, "%" SCNuMAX ":%" SCNuMAX, &device, &inode) == 2 &&
           fstat(STDERR_FILENO, &st) == 0 && st.st_dev == (dev_t)device &&
           st.st_ino == (ino_t)inode;
}

static const char *level_word(int level)
{
    switch (level) {
    case LOG_DEBUG:
        return "debug: ";
    case LOG_WARNING:
        return "warning: ";
    case LOG_INFO:
    case LOG_NOTICE:
        return "";
    default:
        return "error: ";
    }
}

/* One write(), so that lines of several processes do not mix. */
static void write_stderr(const struct line *line)
{
    _cleanup_free_ char *text = NULL;
    int n = asprintf(&text, "%s: %s%s\n", program_invocation_short_name, level_word(line->level),
                     line->text);

    if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0)
        return; /* nobody is left to tell */
}

struct field_buffer {
    char text[FIELDS_MAX - 1][160];
    struct iovec vectors[FIELDS_MAX];
    int n;
};

static void add_field(struct field_buffer *fields, const char *name, const char *value)
{
    char *text = fields->text[fields->n];
    int n = snprintf(text, sizeof(fields->text[0]), "%s=%s", name, value);

    if (value[0] == '\0' || n < 0 || (size_t)n >= sizeof(fields->text[0]))
        return;
    fields->vectors[fields->n++] = (struct iovec){ .iov_base = text, .iov_len = (size_t)n };
}

static void write_journal(const struct line *line)
{
    struct field_buffer fields = { .n = 0 };
    _cleanup_free_ char *message = NULL;
    char priority[] = { (char)('0' + line->level), '\0' };
    int n = asprintf(&message, "MESSAGE=%s", line->text);

    if (n < 0)
        return;
    add_field(&fields, "PRIORITY", priority);
    add_field(&fields, "VOLUME", line->volume);
    add_field(&fields, "DEVICE", line->device);
    add_field(&fields, "MESSAGE_ID", line->message_id);
    add_field(&fields, "SYSLOG_IDENTIFIER", program_invocation_short_name);
    fields.vectors[fields.n++] = (struct iovec){ .iov_base = message, .iov_len = (size_t)n };
    sd_journal_sendv(fields.vectors, fields.n);
}

static void write_line(const struct line *line, bool journal)
{
    if (journal)
        write_journal(line);
    else
        write_stderr(line);
}

static struct line *line_new(int level, const struct log_subject *subject, const char *text)
{
    size_t length = strlen(text) + 1;
    struct line *line = calloc(1, sizeof(*line) + length);

    if (!line)
        return NULL;
    line->level = level;
    memcpy(line->text, text, length);
    if (subject && subject->volume)
        snprintf(line->volume, sizeof(line->volume), "%s", subject->volume);
    if (subject && subject->device)
        snprintf(line->device, sizeof(line->device), "%s", subject->device);
    if (subject && subject->message_id)
        snprintf(line->message_id, sizeof(line->message_id), "%s", subject->message_id);
    return line;
}

static void write_dropped(unsigned long dropped, bool journal)
{
    _cleanup_free_ struct line *line = NULL;
    char text[80];

    snprintf(text, sizeof(text), "%lu log lines were dropped: the log was too slow", dropped);
    line = line_new(LOG_WARNING, NULL, text);
    if (line)
        write_line(line, journal);
}

/* Under the lock; the lock is given back while a line is written. */
static void write_one(void)
{
    _cleanup_free_ struct line *line = queue.first;
    unsigned long dropped = queue.dropped;

    queue.first = line->next;
    if (!queue.first)
        queue.last = &queue.first;
    queue.length--;
    queue.dropped = 0;
    pthread_mutex_unlock(&queue.lock);
    write_line(line, queue.journal);
    if (dropped > 0)
        write_dropped(dropped, queue.journal);
    pthread_mutex_lock(&queue.lock);
}

static void *writer_main(void *userdata)
{
    (void)userdata;
    pthread_mutex_lock(&queue.lock);
    while (queue.first || !queue.closing) {
        if (queue.first)
            write_one();
        else
            pthread_cond_wait(&queue.changed, &queue.lock);
    }
    queue.done = true;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

int log_open(int max_level)
{
    int r = 0;

    pthread_mutex_lock(&queue.lock);
    queue.max_level = max_level;
    queue.journal = stderr_is_journal();
    if (!queue.open) {
        queue.closing = queue.done = false;
        r = thread_start(writer_main, NULL, 0);
        queue.open = r >= 0;
    }
    pthread_mutex_unlock(&queue.lock);
    return r;
}

void log_close(void)
{
    struct timespec until;
    int r = 0;

    /* The wall clock is set early in a boot, and this second would become hours. */
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += CLOSE_WAIT_SEC;
    pthread_mutex_lock(&queue.lock);
    if (queue.open) {
        queue.closing = true;
        pthread_cond_broadcast(&queue.changed);
        while (!queue.done && r == 0)
            r = pthread_cond_clockwait(&queue.changed, &queue.lock, CLOCK_MONOTONIC, &until);
        /* A writer that hangs keeps the queue: then it stays open, and lines are queued or dropped.
         */
        queue.open = !queue.done;
    }
    pthread_mutex_unlock(&queue.lock);
}

void log_set_max_level(int max_level)
{
    pthread_mutex_lock(&queue.lock);
    queue.max_level = max_level;
    pthread_mutex_unlock(&queue.lock);
}

/* Takes `line`. */
static void enqueue_or_write(struct line *line)
{
    bool direct;

    pthread_mutex_lock(&queue.lock);
    direct = !queue.open;
    if (!direct && queue.length < QUEUE_MAX) {
        *queue.last = line;
        queue.last = &line->next;
        queue.length++;
        line = NULL;
        pthread_cond_signal(&queue.changed);
    } else if (!direct) {
        queue.dropped++;
    }
    pthread_mutex_unlock(&queue.lock);
    if (direct)
        write_stderr(line);
    free(line);
}

void log_message_va(int level, const struct log_subject *subject, const char *format, va_list ap)
{
    _cleanup_free_ char *text = NULL;
    struct line *line;
    bool wanted;

    pthread_mutex_lock(&queue.lock);
    wanted = level <= queue.max_level;
    pthread_mutex_unlock(&queue.lock);
    if (!wanted || vasprintf(&text, format, ap) < 0)
        return;
    line = line_new(level, subject, text);
    if (line)
        enqueue_or_write(line);
}

void log_message(int level, const struct log_subject *subject, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    log_message_va(level, subject, format, ap);
    va_end(ap);
}
