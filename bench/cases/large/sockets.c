/* A server over the headers of the system: bpf cannot take a struct by value beyond five words. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/nl80211.h>
#include <linux/perf_event.h>
#include <linux/videodev2.h>
#include <linux/kvm.h>
#include <linux/fuse.h>
#include <linux/btrfs.h>
#include <linux/ethtool.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct peer {
    int socket;
    struct sockaddr_in address;
    char name[32];
};

static int say(const char *form, ...)
{
    char line[128];
    va_list rest;
    va_start(rest, form);
    int length = vsnprintf(line, sizeof line, form, rest);
    va_end(rest);
    return write(1, line, length) == length ? 0 : errno;
}

static int greet(struct peer *peer, const struct timeval *now, int flags, long id, long mark, long more)
{
    if (flags & O_NONBLOCK)
        return -EAGAIN;
    return say("%s %ld %ld\n", peer->name, (long)now->tv_sec + id, mark + more);
}

int serve(int port)
{
    struct peer peer = {.socket = -1};
    peer.address.sin_family = AF_INET;
    peer.address.sin_port = htons(port);
    struct timeval now;
    gettimeofday(&now, NULL);
    peer.socket = socket(AF_INET, SOCK_STREAM, 0);
    if (peer.socket < 0)
        return -1;
    if (bind(peer.socket, (struct sockaddr *)&peer.address, sizeof peer.address) < 0)
        return -2;
    strcpy(peer.name, "first");
    return greet(&peer, &now, fcntl(peer.socket, F_GETFL), 1, 2, 3);
}
