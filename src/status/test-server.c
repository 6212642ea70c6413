/* SPDX-License-Identifier: MIT */
/*
 * The status server over a fleet that is told on standard input, for tests from outside:
 *   volume ID DEVICE STATE PLANNED_BYTES WARM_BYTES [REASON…]   adds or changes one
 *   remove ID · settled 0|1 · end
 * Each line is answered by "ok"; orders from clients are printed as "pause ID" or "resume *".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include <systemd/sd-event.h>

#include "base/cleanup.h"
#include "status/service.h"

#define MAX_VOLUMES 64

struct names {
    char id[64], device[64], reason[128];
};

struct fleet {
    struct fleet_report report;
    struct volume_report volumes[MAX_VOLUMES];
    struct names names[MAX_VOLUMES];
    bool settled;
    struct status_server *server;
};

static const struct fleet_report *get_report(void *userdata)
{
    const struct fleet *fleet = userdata;

    return &fleet->report;
}

static bool get_settled(void *userdata)
{
    const struct fleet *fleet = userdata;

    return fleet->settled;
}

static struct volume_report *find(struct fleet *fleet, const char *id)
{
    for (size_t i = 0; i < fleet->report.n_volumes; i++)
        if (strcmp(fleet->names[i].id, id) == 0)
            return &fleet->volumes[i];
    return NULL;
}

static int set_paused(const char *id, bool paused, void *userdata)
{
    struct fleet *fleet = userdata;
    struct volume_report *volume = id ? find(fleet, id) : NULL;

    printf("%s %s\n", paused ? "pause" : "resume", id ? id : "*");
    fflush(stdout);
    if (volume && volume->state == VOLUME_FAILED)
        return -EIO;
    if (volume)
        volume->state = paused ? VOLUME_PAUSED : VOLUME_WARMING;
    return 0;
}

static struct volume_report *add(struct fleet *fleet, const char *id)
{
    size_t i = fleet->report.n_volumes++;
    struct names *names = &fleet->names[i];

    snprintf(names->id, sizeof(names->id), "%s", id);
    fleet->volumes[i] = (struct volume_report){
        .id = names->id,
        .device = names->device,
        .reason = names->reason,
        .eta_sec = ETA_UNKNOWN,
        .block_bytes = 1048576,
        .checkpoint_path = "",
        .checkpoint_error = "",
        .origin = { .source = "none",
                    .snapshot = "",
                    .fast_restored = -1,
                    .aws_progress_percent = -1 },
    };
    return &fleet->volumes[i];
}

static bool set_volume(struct fleet *fleet, const char *line)
{
    char id[64], device[64], state[32], reason[128] = "";
    unsigned long long planned, warm;
    struct volume_report *volume;
    struct names *names;

    if (sscanf(line, "volume %63s %63s %31s %llu %llu %127[^\n]", id, device, state, &planned,
               &warm, reason) < 5)
        return false;
    volume = find(fleet, id);
    if (!volume && fleet->report.n_volumes == MAX_VOLUMES)
        return false;
    if (!volume)
        volume = add(fleet, id);
    names = &fleet->names[volume - fleet->volumes];
    memcpy(names->device, device, sizeof(names->device));
    memcpy(names->reason, reason, sizeof(names->reason));
    volume->size_bytes = volume->planned_bytes = planned;
    volume->warm_bytes = warm;
    return volume_state_from_string(state, &volume->state) == 0;
}

/* The last takes the place: order does not matter here. */
static bool remove_volume(struct fleet *fleet, const char *line)
{
    char id[64];
    struct volume_report *volume;
    size_t last = fleet->report.n_volumes - 1, i;

    if (sscanf(line, "remove %63s", id) != 1 || !(volume = find(fleet, id)))
        return false;
    i = (size_t)(volume - fleet->volumes);
    fleet->names[i] = fleet->names[last];
    fleet->volumes[i] = fleet->volumes[last];
    fleet->volumes[i].id = fleet->names[i].id;
    fleet->volumes[i].device = fleet->names[i].device;
    fleet->volumes[i].reason = fleet->names[i].reason;
    fleet->report.n_volumes--;
    return true;
}

static bool obey(struct fleet *fleet, const char *line)
{
    if (strncmp(line, "volume ", 7) == 0)
        return set_volume(fleet, line);
    if (strncmp(line, "remove ", 7) == 0)
        return remove_volume(fleet, line);
    if (strncmp(line, "settled ", 8) == 0) {
        fleet->settled = line[8] == '1';
        return true;
    }
    return false;
}

static int on_input(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct fleet *fleet = userdata;
    char line[512];
    size_t n = 0;

    (void)revents;
    /* Byte by byte, so that nothing stays in a buffer that poll does not see. */
    while (n < sizeof(line) - 1 && read(fd, line + n, 1) == 1 && line[n] != '\n')
        n++;
    line[n] = '\0';
    if (n == 0 || strcmp(line, "end") == 0)
        return sd_event_exit(sd_event_source_get_event(source), 0);
    puts(obey(fleet, line) ? "ok" : "what?");
    fflush(stdout);
    status_server_changed(fleet->server);
    return 0;
}

int main(int argc, char **argv)
{
    static struct fleet fleet;
    const struct status_handlers handlers = { get_report, get_settled, set_paused, &fleet };
    sd_event *event = NULL;
    int r;

    if (argc != 2)
        return 2;
    fleet.report = (struct fleet_report){
        .version = "1.2.3",
        .state = "warming",
        .engine = "io_uring",
        .engine_reason = "",
        .volumes = fleet.volumes,
    };
    if (sd_event_default(&event) < 0)
        return 1;
    r = status_server_new(event, argv[1], -1, &handlers, &fleet.server);
    if (r < 0)
        return 1;
    puts("ok");
    fflush(stdout);
    if (sd_event_add_io(event, NULL, STDIN_FILENO, EPOLLIN, on_input, &fleet) >= 0)
        r = sd_event_loop(event);
    status_server_free(fleet.server);
    sd_event_unref(event);
    return r < 0;
}
