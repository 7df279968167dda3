// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's answer to a request: its errno as it is, which libnl would
 * fold into its own codes, and the extended ack's text behind it.
 */
#include "lib/nl_msg.h"

#include <errno.h>
#include <linux/netlink.h>

static const struct nla_policy ack_policy[NLMSGERR_ATTR_MAX + 1] = {
	[NLMSGERR_ATTR_MSG] = { .type = NLA_STRING },
};

/* Where the attributes start: behind the echoed request, unless it is cut. */
static int fixed_part(const struct nlmsghdr *hdr)
{
	const struct nlmsgerr *e = nlmsg_data(hdr);

	if (hdr->nlmsg_type != NLMSG_ERROR)
		return NLMSG_ALIGN(sizeof(int));
	if (hdr->nlmsg_flags & NLM_F_CAPPED || !e->error)
		return sizeof(*e);
	if (e->msg.nlmsg_len < NLMSG_HDRLEN ||
	    e->msg.nlmsg_len > hdr->nlmsg_len)
		return hdr->nlmsg_len;
	return sizeof(*e) + NLMSG_ALIGN(e->msg.nlmsg_len - NLMSG_HDRLEN);
}

static void parse_text(struct nlmsghdr *hdr, char *text, size_t size)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	int fixed = fixed_part(hdr);

	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS) || nlmsg_datalen(hdr) <= fixed)
		return;
	if (nla_parse(tb, NLMSGERR_ATTR_MAX,
		      (void *)((char *)nlmsg_data(hdr) + fixed),
		      nlmsg_datalen(hdr) - fixed, ack_policy))
		return;
	if (tb[NLMSGERR_ATTR_MSG])
		nla_strlcpy(text, tb[NLMSGERR_ATTR_MSG], size);
}

int knl_parse_ack(struct nlmsghdr *hdr, char *text, size_t size)
{
	size_t need = sizeof(int);
	int error;

	text[0] = '\0';
	if (hdr->nlmsg_type == NLMSG_ERROR)
		need = sizeof(struct nlmsgerr);
	if (nlmsg_datalen(hdr) < (int)need)
		return -EBADMSG;
	error = *(int *)nlmsg_data(hdr);
	if (error > 0)
		return -EBADMSG;
	if (error)
		parse_text(hdr, text, size);
	return error;
}
