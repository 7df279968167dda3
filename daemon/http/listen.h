/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listening sockets; the functions return a descriptor or a negative errno. */
#ifndef KARDIAD_HTTP_LISTEN_H
#define KARDIAD_HTTP_LISTEN_H

#include <netinet/in.h>
#include <stdint.h>

#include "daemon/why.h"

/* The address need not exist yet. */
int listen_tcp(struct in_addr address, uint32_t port, struct why *why);

/*
 * For owner and group. A socket that a dead daemon left is replaced;
 * -EADDRINUSE if a live one answers there, or it is no socket.
 */
int listen_unix(const char *path, struct why *why);

#endif
