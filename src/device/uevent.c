/* SPDX-License-Identifier: MIT */
#include "device/uevent.h"

#include "base/cleanup.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>

#define GROUP_KERNEL 1U

/* UEVENT_BUFFER_SIZE of the kernel is 2048, and the head comes on top. */
#define MESSAGE_MAX 8192U

/* As udevd asks for: bare metal attaching two dozen disks at once does not fill it. */
#define RECEIVE_BUFFER_BYTES (4 * 1024 * 1024)

int uevent_open(void)
{
    struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = GROUP_KERNEL };
    int size = RECEIVE_BUFFER_BYTES;
    _cleanup_close_ int fd =
        socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

    if (fd < 0)
        return -errno;
    /* Without CAP_NET_ADMIN the second form gives what it may; a lost event only means a rescan. */
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return -errno;
    return steal_fd(&fd);
}

/* The value when `field` is "KEY=VALUE" of that key. */
static const char *value_of(const char *field, const char *key)
{
    size_t length = strlen(key);

    return strncmp(field, key, length) == 0 && field[length] == '=' ? field + length + 1 : NULL;
}

static bool parse_number(const char *text, unsigned int *ret)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    *ret = (unsigned int)value;
    return end != text && *end == '\0' && value <= UINT32_MAX;
}

struct fields {
    const char *action, *path, *subsystem, *major_number, *minor_number;
};

static void take_field(struct fields *fields, const char *field)
{
    const struct {
        const char *key;
        const char **value;
    } keys[] = {
        { "ACTION", &fields->action },       { "DEVPATH", &fields->path },
        { "SUBSYSTEM", &fields->subsystem }, { "MAJOR", &fields->major_number },
        { "MINOR", &fields->minor_number },
    };

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *value = value_of(field, keys[i].key);

        if (value)
            *keys[i].value = value;
    }
}

int uevent_parse(const char *message, size_t length, struct uevent *ret)
{
    struct fields fields = { 0 };
    unsigned int major_number, minor_number;
    const char *name;

    if (length == 0 || message[length - 1] != '\0')
        return -EINVAL;
    for (size_t i = 0; i < length; i += strlen(message + i) + 1)
        take_field(&fields, message + i);
    if (!fields.action || !fields.path || !fields.subsystem ||
        strcmp(fields.subsystem, "block") != 0)
        return -EINVAL;
    name = strrchr(fields.path, '/');
    if (!name || name[1] == '\0' || strlen(name + 1) >= sizeof(ret->name))
        return -EINVAL;
    *ret = (struct uevent){ .is_remove = strcmp(fields.action, "remove") == 0 };
    memcpy(ret->name, name + 1, strlen(name + 1) + 1);
    if (fields.major_number && fields.minor_number &&
        parse_number(fields.major_number, &major_number) &&
        parse_number(fields.minor_number, &minor_number))
        ret->devnum = makedev(major_number, minor_number);
    return 0;
}

int uevent_receive(int fd, struct uevent *ret)
{
    char message[MESSAGE_MAX];

    for (;;) {
        struct sockaddr_nl sender = { 0 };
        socklen_t sender_size = sizeof(sender);
        ssize_t n =
            recvfrom(fd, message, sizeof(message), 0, (struct sockaddr *)&sender, &sender_size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        /* Anyone may send to this socket; only the kernel has port 0. */
        if (sender.nl_pid == 0 && uevent_parse(message, (size_t)n, ret) >= 0)
            return 0;
    }
}
