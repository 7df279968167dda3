/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to lib/nl*.c and its tests: attributes to structures and back.
 * No socket is involved.
 */
#ifndef KARDIA_LIB_NL_MSG_H
#define KARDIA_LIB_NL_MSG_H

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "lib/nl.h"

/*
 * Read a message's attributes, @len bytes from @head. 0, or -EBADMSG when a
 * needed attribute is missing or one is too short, out of range or repeated
 * too often. What the kernel left out reads as zero.
 */
int knl_parse_node(struct nlattr *head, int len, struct knl_node *node);
int knl_parse_peer(struct nlattr *head, int len, struct knl_peer *peer);
int knl_parse_report(struct nlattr *head, int len, struct knl_report *report);
int knl_parse_event(struct nlattr *head, int len, struct knl_event *event);

/*
 * The error that NLMSG_ERROR or NLMSG_DONE carries (0 for none), and the
 * kernel's text for it into @text, "" if it sent none. -EBADMSG if too short.
 */
int knl_parse_ack(struct nlmsghdr *hdr, char *text, size_t size);

/* Append the attributes of a request: 0 or -EMSGSIZE. */
int knl_put_node(struct nl_msg *msg, const struct knl_node_config *config);
int knl_put_peer(struct nl_msg *msg, const struct knl_peer *peer);
int knl_put_peer_id(struct nl_msg *msg, uint32_t id);

#endif
