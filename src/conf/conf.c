/* SPDX-License-Identifier: MIT */
#include "conf/conf.h"

#include "base/cleanup.h"
#include "base/size.h"
#include "conf/dropins.h"
#include "conf/file.h"
#include "conf/keys.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>

#define MAIN_FILE "ebswarm.conf"

static const struct conf defaults = {
    .origin_timeout_usec = 20 * USEC_PER_SEC,
    .check_before = true,
    .check_after = true,
    .check_sample_bytes = 64 * MIB,
    .check_sample_usec = 10 * USEC_PER_SEC,
    .checkpoint_interval_usec = 5 * USEC_PER_SEC,
    .checkpoint_bytes = GIB,
};

static const struct conf_volume volume_defaults = {
    .reads = { .block_bytes = READS_UNSET_BLOCK, .queue_depth = READS_UNSET_DEPTH },
};

struct loading {
    struct conf *conf;
    conf_report_fn report;
    void *userdata;
    bool failed;
    bool out_of_memory;
};

DEFINE_CLEANUP(struct conf *, conf_free, conf_free_p)

struct conf *conf_new_default(void)
{
    struct conf *conf = malloc(sizeof(*conf));

    if (conf)
        *conf = defaults;
    return conf;
}

static void free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

void conf_free(struct conf *conf)
{
    if (!conf)
        return;
    free_list(conf->include);
    free_list(conf->exclude);
    for (size_t i = 0; i < conf->n_volumes; i++) {
        free(conf->volumes[i].name);
        free(conf->volumes[i].device);
    }
    free(conf->volumes);
    free(conf);
}

__attribute__((format(printf, 5, 6))) static void
say(struct loading *loading, int level, const char *path, unsigned line, const char *format, ...)
{
    char what[600], text[PATH_MAX + 700];
    va_list ap;

    va_start(ap, format);
    vsnprintf(what, sizeof(what), format, ap);
    va_end(ap);
    if (line > 0)
        snprintf(text, sizeof(text), "%s:%u: %s", path, line, what);
    else
        snprintf(text, sizeof(text), "%s: %s", path, what);
    if (level <= LOG_ERR)
        loading->failed = true;
    loading->report(level, text, loading->userdata);
}

/* NULL when out of memory. */
static struct conf_volume *volume_section(struct conf *conf, const char *name)
{
    struct conf_volume *volumes;

    for (size_t i = 0; i < conf->n_volumes; i++) {
        if (strcmp(conf->volumes[i].name, name) == 0)
            return &conf->volumes[i];
    }
    volumes = realloc(conf->volumes, (conf->n_volumes + 1) * sizeof(*volumes));
    if (!volumes)
        return NULL;
    conf->volumes = volumes;
    volumes[conf->n_volumes] = volume_defaults;
    volumes[conf->n_volumes].name = strdup(name);
    return volumes[conf->n_volumes].name ? &volumes[conf->n_volumes++] : NULL;
}

/* "Volume vol-1" is the section "Volume" and the name "vol-1"; others have no name. */
static void split_section(const char *text, char section[32], const char **ret_name)
{
    size_t length = strcspn(text, " ");

    *ret_name = "";
    if (strncmp(text, VOLUME_SECTION, length) == 0 && length == strlen(VOLUME_SECTION)) {
        *ret_name = text + length + strspn(text + length, " ");
        text = VOLUME_SECTION;
    }
    snprintf(section, 32, "%.31s", text);
}

static void say_unknown_section(struct loading *loading, const struct conf_assignment *assignment,
                                const char *section)
{
    const char *near, *home = key_home(assignment->key);
    char word[32];

    if (section[0] == '\0') {
        say(loading, LOG_WARNING, assignment->path, assignment->line,
            "'%s=' is ignored before the first [Section]%s%s%s", assignment->key,
            home ? "; it belongs in [" : "", home ? home : "", home ? "]" : "");
        return;
    }
    /* "volume vol-1" is meant for "Volume". */
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(section, " "), section);
    near = section_nearest(word);
    say(loading, LOG_WARNING, assignment->path, assignment->line,
        "unknown section [%s]: '%s=' is ignored%s%s%s", assignment->section, assignment->key,
        near ? "; did you mean [" : "", near ? near : "", near ? "]?" : "");
}

static void say_unknown(struct loading *loading, const struct conf_assignment *assignment,
                        const char *section)
{
    const char *near, *home = key_home(assignment->key);

    if (!section_exists(section)) {
        say_unknown_section(loading, assignment, section);
        return;
    }
    near = key_nearest(section, assignment->key);
    if (near)
        say(loading, LOG_WARNING, assignment->path, assignment->line,
            "unknown key '%s=' in [%s] is ignored; did you mean '%s='?", assignment->key,
            assignment->section, near);
    else if (home)
        say(loading, LOG_WARNING, assignment->path, assignment->line,
            "'%s=' is ignored in [%s]; it belongs in [%s]", assignment->key, assignment->section,
            home);
    else
        say(loading, LOG_WARNING, assignment->path, assignment->line,
            "unknown key '%s=' in [%s] is ignored", assignment->key, assignment->section);
}

static int assign(const struct key *key, void *object, const void *default_object,
                  const char *value)
{
    char *field = (char *)object + key->offset;

    if (value[0] == '\0' && key->length > 0) {
        memcpy(field, (const char *)default_object + key->offset, key->length);
        return 0;
    }
    return key->parse(value, field);
}

static void on_assignment(const struct conf_assignment *assignment, void *userdata)
{
    struct loading *loading = userdata;
    const void *default_object = &defaults;
    void *object = loading->conf;
    const struct key *key;
    const char *name;
    char section[32];
    int r;

    split_section(assignment->section, section, &name);
    key = key_find(section, assignment->key);
    if (!key) {
        say_unknown(loading, assignment, section);
        return;
    }
    if (strcmp(section, VOLUME_SECTION) == 0) {
        if (name[0] == '\0') {
            say(loading, LOG_ERR, assignment->path, assignment->line,
                "[Volume] wants a name: [Volume vol-0123456789abcdef0], a device or a by-id link");
            return;
        }
        object = volume_section(loading->conf, name);
        default_object = &volume_defaults;
    }
    r = object ? assign(key, object, default_object, assignment->value) : -ENOMEM;
    if (r == -ENOMEM)
        loading->out_of_memory = true;
    else if (r < 0)
        say(loading, LOG_ERR, assignment->path, assignment->line, "[%s] %s=%s: must be %s",
            assignment->section, assignment->key, assignment->value, key->about.accepts);
}

static void on_broken_line(const char *path, unsigned line, const char *what, void *userdata)
{
    say(userdata, LOG_ERR, path, line, "%s", what);
}

static void read_one(struct loading *loading, const char *path)
{
    const struct conf_file_handlers handlers = {
        .assignment = on_assignment,
        .broken_line = on_broken_line,
        .userdata = loading,
    };
    int r = conf_file_read(path, &handlers);

    if (r < 0)
        say(loading, LOG_ERR, path, 0, "cannot be read: %s", strerror(-r));
}

/* ENOENT of one directory means the next one; whatever else keeps us from looking is told. */
static int read_main_file(struct loading *loading, const struct conf_paths *paths)
{
    if (paths->main_file) {
        read_one(loading, paths->main_file);
        return 0;
    }
    for (size_t i = 0; paths->directories && paths->directories[i]; i++) {
        _cleanup_free_ char *path = NULL;
        struct stat st;
        if (asprintf(&path, "%s/" MAIN_FILE, paths->directories[i]) < 0)
            return -ENOMEM;
        if (lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR)) {
            read_one(loading, path);
            return 0;
        }
    }
    return 0;
}

static void on_broken_folder(const char *path, int error, void *userdata)
{
    say(userdata, LOG_ERR, path, 0, "cannot be listed: %s", strerror(-error));
}

static int read_dropins(struct loading *loading, const struct conf_paths *paths)
{
    char **files;
    int r = dropins_list(paths->directories, MAIN_FILE ".d", on_broken_folder, loading, &files);

    if (r < 0)
        return r;
    for (size_t i = 0; files[i]; i++)
        read_one(loading, files[i]);
    free_list(files);
    return 0;
}

static void complete_volumes(struct conf *conf)
{
    for (size_t i = 0; i < conf->n_volumes; i++) {
        struct conf_reads *reads = &conf->volumes[i].reads;
        if (reads->block_bytes == READS_UNSET_BLOCK)
            reads->block_bytes = conf->reads.block_bytes;
        if (reads->queue_depth == READS_UNSET_DEPTH)
            reads->queue_depth = conf->reads.queue_depth;
    }
}

int conf_load(const struct conf_paths *paths, conf_report_fn report, void *userdata,
              struct conf **ret)
{
    _cleanup_(conf_free_p) struct conf *conf = conf_new_default();
    struct loading loading = { .conf = conf, .report = report, .userdata = userdata };
    int r;

    if (!conf)
        return -ENOMEM;
    r = read_main_file(&loading, paths);
    if (r >= 0)
        r = read_dropins(&loading, paths);
    if (r < 0 || loading.out_of_memory)
        return r < 0 ? r : -ENOMEM;
    if (loading.failed)
        return -EINVAL;
    complete_volumes(conf);
    *ret = steal_pointer(&conf);
    return 0;
}

const struct conf_volume *conf_find_volume(const struct conf *conf, const char *const *names)
{
    for (size_t i = 0; i < conf->n_volumes; i++) {
        for (size_t j = 0; names[j]; j++) {
            if (strcmp(conf->volumes[i].name, names[j]) == 0)
                return &conf->volumes[i];
        }
    }
    return NULL;
}
