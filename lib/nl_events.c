// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The multicast group "events". Reading takes no memory and no libnl call
 * that would hide an errno: the reader may be a real-time daemon, and ENOBUFS
 * (events were lost) must not be taken for anything else. What cannot be read
 * counts as lost.
 */
#include "lib/nl_msg.h"
#include "lib/nl_sock.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <stdlib.h>
#include <sys/socket.h>

/* Events of all peers of a large cluster at once, some 1 KiB each. */
#define RCVBUF_BYTES (8 * 1024 * 1024)

/* Several times the largest event, a report with all its suspects. */
#define EVENT_BUF_BYTES (32 * 1024)

struct knl_events {
	struct nl_sock *sock;
	int family;
	unsigned char buf[EVENT_BUF_BYTES]
		__attribute__((aligned(__alignof__(struct nlmsghdr))));
};

/* Beyond net.core.rmem_max if we may, else as far as it allows. */
static void enlarge_rcvbuf(int fd)
{
	const int bytes = RCVBUF_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static int setup(struct knl_events *events)
{
	int err, group;

	err = knl_sock_open(&events->sock, &events->family);
	if (err)
		return err;
	group = genl_ctrl_resolve_grp(events->sock, KARDIA_GENL_NAME,
				      KARDIA_GENL_GROUP_EVENTS);
	if (group < 0)
		return knl_errno(group);
	enlarge_rcvbuf(nl_socket_get_fd(events->sock));
	err = nl_socket_set_nonblocking(events->sock);
	if (err)
		return knl_errno(err);
	return knl_errno(nl_socket_add_membership(events->sock, group));
}

int knl_events_open(struct knl_events **out)
{
	struct knl_events *events = calloc(1, sizeof(*events));
	int err;

	*out = NULL;
	if (!events)
		return -ENOMEM;
	err = setup(events);
	if (err)
		knl_events_close(events);
	else
		*out = events;
	return err;
}

void knl_events_close(struct knl_events *events)
{
	if (!events)
		return;
	nl_socket_free(events->sock);
	free(events);
}

int knl_events_fd(const struct knl_events *events)
{
	return nl_socket_get_fd(events->sock);
}

/* One datagram: its length, 0 for one to ignore, or a negative errno. */
static ssize_t receive(struct knl_events *events)
{
	struct sockaddr_nl from = { 0 };
	struct iovec iov = { events->buf, sizeof(events->buf) };
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	ssize_t len;

	len = recvmsg(knl_events_fd(events), &msg, MSG_DONTWAIT);
	if (len < 0)
		return errno == EINTR ? 0 : -errno;
	if (msg.msg_flags & MSG_TRUNC)
		return -ENOBUFS;
	return from.nl_pid ? 0 : len;
}

static bool is_event(const struct knl_events *events, struct nlmsghdr *hdr)
{
	const struct genlmsghdr *genl = nlmsg_data(hdr);

	return hdr->nlmsg_type == events->family && genlmsg_valid_hdr(hdr, 0) &&
	       genl->cmd == KARDIA_CMD_EVENT;
}

/* Returns whether all events of the datagram could be read. */
static bool dispatch(struct knl_events *events, int len,
		     void (*each)(void *arg, const struct knl_event *event),
		     void *arg)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)events->buf;
	struct knl_event event;
	bool good = true;

	for (; nlmsg_ok(hdr, len); hdr = nlmsg_next(hdr, &len)) {
		struct genlmsghdr *genl = nlmsg_data(hdr);

		if (!is_event(events, hdr))
			continue;
		if (knl_parse_event(genlmsg_attrdata(genl, 0),
				    genlmsg_attrlen(genl, 0), &event))
			good = false;
		else
			each(arg, &event);
	}
	return good;
}

int knl_events_read(struct knl_events *events,
		    void (*each)(void *arg, const struct knl_event *event),
		    void *arg)
{
	bool lost = false;

	for (;;) {
		ssize_t len = receive(events);

		if (len == -EAGAIN)
			return lost ? -ENOBUFS : 0;
		if (len == -ENOBUFS)
			lost = true;
		else if (len < 0)
			return len;
		else if (!dispatch(events, len, each, arg))
			lost = true;
	}
}
