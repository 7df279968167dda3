/* SPDX-License-Identifier: GPL-2.0-only */
/* Reception: the raw socket that owns the protocol, drained in softirq. */
#ifndef KARDIA_RECV_H
#define KARDIA_RECV_H

struct kardia_net;

/* Both need the config mutex and sleep. -errno of socket creation. */
int kardia_recv_start(struct kardia_net *kn);
void kardia_recv_stop(struct kardia_net *kn);

#endif
