// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests and dumps on one socket. One request is in flight at a time; the
 * answer is read up to its end (ack, error or end of dump) before the next.
 * Attributes are nl_build.c's and nl_parse.c's.
 */
#include "lib/nl_msg.h"
#include "lib/nl_sock.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* A dump is torn only by a change during it; nobody changes that often. */
#define DUMP_TRIES 16

/* The kernel never sends more than this at once. */
#define MSG_BUF_BYTES (32 * 1024)

struct knl {
	struct nl_sock *sock;
	struct nl_cb *cb;
	int family;
	char error[256];

	/* The answer that is being read. */
	uint32_t seq;
	int result;
	bool done;
	bool torn;
	int (*object)(struct nlattr *head, int len, void *arg);
	void *object_arg;
};

static int on_seq_check(struct nl_msg *msg, void *arg)
{
	const struct knl *knl = arg;

	/* What an interrupted request left behind is none of ours. */
	return nlmsg_hdr(msg)->nlmsg_seq == knl->seq ? NL_OK : NL_SKIP;
}

static int on_object(struct nl_msg *msg, void *arg)
{
	struct genlmsghdr *hdr = nlmsg_data(nlmsg_hdr(msg));
	struct knl *knl = arg;
	int err;

	if (!genlmsg_valid_hdr(nlmsg_hdr(msg), 0))
		err = -EBADMSG;
	else
		err = knl->object(genlmsg_attrdata(hdr, 0),
				  genlmsg_attrlen(hdr, 0), knl->object_arg);
	if (err && !knl->result)
		knl->result = err;
	return NL_OK;
}

static void finish(struct knl *knl, struct nlmsghdr *hdr)
{
	int err = knl_parse_ack(hdr, knl->error, sizeof(knl->error));

	if (err && !knl->result)
		knl->result = err;
	knl->done = true;
}

static int on_end(struct nl_msg *msg, void *arg)
{
	finish(arg, nlmsg_hdr(msg));
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	(void)from;
	finish(arg, (struct nlmsghdr *)((char *)e - NLMSG_HDRLEN));
	return NL_STOP;
}

static int on_dump_torn(struct nl_msg *msg, void *arg)
{
	struct knl *knl = arg;

	(void)msg;
	knl->torn = true;
	return NL_OK;
}

static int no_object(struct nlattr *head, int len, void *arg)
{
	(void)head;
	(void)len;
	(void)arg;
	return 0;
}

static int setup_callbacks(struct knl *knl)
{
	knl->cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!knl->cb)
		return -ENOMEM;
	nl_cb_set(knl->cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_seq_check, knl);
	nl_cb_set(knl->cb, NL_CB_VALID, NL_CB_CUSTOM, on_object, knl);
	nl_cb_set(knl->cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, knl);
	nl_cb_set(knl->cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, knl);
	nl_cb_set(knl->cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_dump_torn, knl);
	nl_cb_err(knl->cb, NL_CB_CUSTOM, on_error, knl);
	return 0;
}

static int setup(struct knl *knl)
{
	const int on = 1;
	int err;

	err = knl_sock_open(&knl->sock, &knl->family);
	if (err)
		return err;
	err = nl_socket_set_msg_buf_size(knl->sock, MSG_BUF_BYTES);
	if (err)
		return knl_errno(err);
	if (setsockopt(nl_socket_get_fd(knl->sock), SOL_NETLINK,
		       NETLINK_EXT_ACK, &on, sizeof(on)))
		return -errno;
	return setup_callbacks(knl);
}

int knl_open(struct knl **out)
{
	struct knl *knl = calloc(1, sizeof(*knl));
	int err;

	*out = NULL;
	if (!knl)
		return -ENOMEM;
	err = setup(knl);
	if (err)
		knl_close(knl);
	else
		*out = knl;
	return err;
}

void knl_close(struct knl *knl)
{
	if (!knl)
		return;
	nl_cb_put(knl->cb);
	nl_socket_free(knl->sock);
	free(knl);
}

const char *knl_error(const struct knl *knl)
{
	return knl->error;
}

static struct nl_msg *request_new(const struct knl *knl, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg)
		return NULL;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, knl->family, 0, flags,
			 cmd, KARDIA_GENL_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* Send @msg and read all of the answer into knl->result. */
static void transact(struct knl *knl, struct nl_msg *msg)
{
	int err = nl_send_auto(knl->sock, msg);

	knl->seq = nlmsg_hdr(msg)->nlmsg_seq;
	knl->result = 0;
	knl->done = false;
	knl->torn = false;
	while (err >= 0 && !knl->done)
		err = nl_recvmsgs(knl->sock, knl->cb);
	if (!knl->done)
		knl->result = knl_errno(err);
}

/*
 * Perform one request and consume @msg, which was filled with the result
 * @filled. Its objects go to @object.
 */
static int perform(struct knl *knl, struct nl_msg *msg, int filled,
		   int (*object)(struct nlattr *head, int len, void *arg),
		   void *arg)
{
	knl->error[0] = '\0';
	knl->object = object;
	knl->object_arg = arg;
	if (filled)
		knl->result = filled;
	else
		transact(knl, msg);
	nlmsg_free(msg);
	if (knl->result && !knl->error[0])
		snprintf(knl->error, sizeof(knl->error), "%s",
			 strerror(-knl->result));
	return knl->result;
}

int knl_node_set(struct knl *knl, const struct knl_node_config *config)
{
	struct nl_msg *msg = request_new(knl, KARDIA_CMD_NODE_SET, NLM_F_ACK);

	return perform(knl, msg, msg ? knl_put_node(msg, config) : -ENOMEM,
		       no_object, NULL);
}

int knl_node_del(struct knl *knl)
{
	struct nl_msg *msg = request_new(knl, KARDIA_CMD_NODE_DEL, NLM_F_ACK);

	return perform(knl, msg, msg ? 0 : -ENOMEM, no_object, NULL);
}

int knl_peer_set(struct knl *knl, const struct knl_peer *peer)
{
	struct nl_msg *msg = request_new(knl, KARDIA_CMD_PEER_SET, NLM_F_ACK);

	return perform(knl, msg, msg ? knl_put_peer(msg, peer) : -ENOMEM,
		       no_object, NULL);
}

int knl_peer_del(struct knl *knl, uint32_t id)
{
	struct nl_msg *msg = request_new(knl, KARDIA_CMD_PEER_DEL, NLM_F_ACK);

	return perform(knl, msg, msg ? knl_put_peer_id(msg, id) : -ENOMEM,
		       no_object, NULL);
}

struct node_get {
	struct knl_node *node;
	bool seen;
};

static int node_object(struct nlattr *head, int len, void *arg)
{
	struct node_get *get = arg;

	get->seen = true;
	return knl_parse_node(head, len, get->node);
}

int knl_node_get(struct knl *knl, struct knl_node *node)
{
	struct nl_msg *msg = request_new(knl, KARDIA_CMD_NODE_GET, NLM_F_ACK);
	struct node_get get = { .node = node };
	int err;

	err = perform(knl, msg, msg ? 0 : -ENOMEM, node_object, &get);
	if (!err && !get.seen)
		return -EBADMSG;
	return err;
}

static int dump(struct knl *knl, uint8_t cmd,
		int (*object)(struct nlattr *head, int len, void *arg),
		void *arg)
{
	for (int i = 0; i < DUMP_TRIES; i++) {
		struct nl_msg *msg = request_new(knl, cmd, NLM_F_DUMP);
		int err;

		err = perform(knl, msg, msg ? 0 : -ENOMEM, object, arg);
		if (err || !knl->torn)
			return err;
	}
	return -EAGAIN;
}

struct peer_dump {
	void (*each)(void *arg, const struct knl_peer *peer);
	void *arg;
};

static int peer_object(struct nlattr *head, int len, void *arg)
{
	const struct peer_dump *to = arg;
	struct knl_peer peer;
	int err;

	err = knl_parse_peer(head, len, &peer);
	if (!err)
		to->each(to->arg, &peer);
	return err;
}

int knl_peer_dump(struct knl *knl,
		  void (*each)(void *arg, const struct knl_peer *peer),
		  void *arg)
{
	struct peer_dump to = { each, arg };

	return dump(knl, KARDIA_CMD_PEER_GET, peer_object, &to);
}

struct report_dump {
	void (*each)(void *arg, const struct knl_report *report);
	void *arg;
};

static int report_object(struct nlattr *head, int len, void *arg)
{
	const struct report_dump *to = arg;
	struct knl_report report;
	int err;

	err = knl_parse_report(head, len, &report);
	if (!err)
		to->each(to->arg, &report);
	return err;
}

int knl_report_dump(struct knl *knl,
		    void (*each)(void *arg, const struct knl_report *report),
		    void *arg)
{
	struct report_dump to = { each, arg };

	return dump(knl, KARDIA_CMD_REPORT_GET, report_object, &to);
}
