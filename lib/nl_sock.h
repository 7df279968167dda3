/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to lib/nl*.c: a generic netlink socket and what libnl says of it.
 */
#ifndef KARDIA_LIB_NL_SOCK_H
#define KARDIA_LIB_NL_SOCK_H

#include <netlink/socket.h>

/* A connected socket, and the id of the family: -ENOENT without kardia.ko. */
int knl_sock_open(struct nl_sock **sock, int *family);

/* A negative errno for one of libnl's own (negative) error codes. */
int knl_errno(int nle);

#endif
