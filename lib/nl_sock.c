// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening generic netlink sockets, for requests and events alike.
 */
#include "lib/nl_sock.h"

#include <errno.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <linux/kardia.h>

/* The kernel answers at once; only a lost answer takes this long. */
#define ANSWER_TIMEOUT_S 5

int knl_errno(int nle)
{
	switch (-nle) {
	case NLE_SUCCESS:
		return 0;
	case NLE_AGAIN:
		return -ETIMEDOUT;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
		return -EPERM;
	case NLE_NOACCESS:
		return -EACCES;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_MSG_TRUNC:
		return -EMSGSIZE;
	case NLE_AF_NOSUPPORT:
	case NLE_PROTO_MISMATCH:
		return -EPROTONOSUPPORT;
	default:
		return -EIO;
	}
}

static int set_answer_timeout(struct nl_sock *sock)
{
	const struct timeval tv = { .tv_sec = ANSWER_TIMEOUT_S };

	if (setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVTIMEO, &tv,
		       sizeof(tv)))
		return -errno;
	return 0;
}

static int connect_family(struct nl_sock *sock, int *family)
{
	int err;

	err = genl_connect(sock);
	if (err)
		return knl_errno(err);
	err = set_answer_timeout(sock);
	if (err)
		return err;
	err = genl_ctrl_resolve(sock, KARDIA_GENL_NAME);
	if (err < 0)
		return knl_errno(err);
	*family = err;
	return 0;
}

int knl_sock_open(struct nl_sock **sock, int *family)
{
	int err;

	*sock = nl_socket_alloc();
	if (!*sock)
		return -ENOMEM;
	err = connect_family(*sock, family);
	if (err) {
		nl_socket_free(*sock);
		*sock = NULL;
	}
	return err;
}
