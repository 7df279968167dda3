// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instance of a network namespace: made with it, idle until a node is
 * configured, stopped with it. Idle means no socket and no timer: anyone may
 * cause the module to be loaded by asking for its netlink family.
 */
#include <linux/random.h>
#include <net/netns/generic.h>

#include "net.h"
#include "peer.h"
#include "recv.h"

static unsigned int net_id;

struct kardia_net *kardia_net(const struct net *net)
{
	return net_generic(net, net_id);
}

static void clear_stats(struct kardia_net *kn)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(kn->stats, cpu), 0, sizeof(*kn->stats));
}

u64 kardia_net_stat(const struct kardia_net *kn, unsigned int stat)
{
	u64 sum = 0;
	int cpu;

	lockdep_assert_held(&kn->config);
	/* The socket counts what it drops for want of buffer. */
	if (stat == KARDIA_A_STATS_RX_OVERFLOW)
		return atomic_read(&kn->socket->sk->sk_drops);
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(kn->stats, cpu)->count[stat]);
	return sum;
}

static u64 new_incarnation(void)
{
	u64 incarnation;

	do {
		incarnation = get_random_u64();
	} while (!incarnation);
	return incarnation;
}

static void adopt(struct kardia_net *kn,
		  const struct kardia_node_config *config)
{
	WRITE_ONCE(kn->interval_us, config->interval_us);
	WRITE_ONCE(kn->grace_us, config->grace_us);
	WRITE_ONCE(kn->map_epoch, config->map_epoch);
	WRITE_ONCE(kn->arbiter, config->arbiter);
}

static int start(struct kardia_net *kn, const struct kardia_node_config *config)
{
	int err;

	lockdep_assert_held(&kn->config);
	clear_stats(kn);
	kn->id = config->id;
	kn->cluster = config->cluster;
	kn->incarnation = new_incarnation();
	kn->sequence_floor = 0;
	adopt(kn, config);
	kardia_suspects_start(kn);
	kardia_report_open(&kn->self_report, kn->id);
	err = kardia_recv_start(kn);
	if (err) {
		kardia_report_close(&kn->self_report);
		kardia_suspects_stop(kn);
		return err;
	}
	kn->running = true;
	return 0;
}

int kardia_net_configure(struct kardia_net *kn,
			 const struct kardia_node_config *config)
{
	bool retune = config->interval_us != kn->interval_us ||
		      config->grace_us != kn->grace_us;

	lockdep_assert_held(&kn->config);
	if (!kn->running)
		return start(kn, config);
	adopt(kn, config);
	if (retune)
		kardia_peer_retune_all(kn);
	return 0;
}

void kardia_net_stop(struct kardia_net *kn)
{
	lockdep_assert_held(&kn->config);
	kn->running = false;
	kardia_peer_del_all(kn);
	kardia_suspects_stop(kn);
	/* Timers that send use the socket: it goes after the last of them. */
	kardia_recv_stop(kn);
	kardia_report_close(&kn->self_report);
}

static int __net_init net_init(struct net *net)
{
	struct kardia_net *kn = kardia_net(net);

	kn->net = net;
	mutex_init(&kn->config);
	hash_init(kn->peers);
	spin_lock_init(&kn->event_lock);
	kardia_suspects_init(kn);
	kardia_report_init(&kn->self_report, kn);
	kn->stats = alloc_percpu(struct kardia_stats);
	return kn->stats ? 0 : -ENOMEM;
}

static void __net_exit net_exit(struct net *net)
{
	struct kardia_net *kn = kardia_net(net);

	mutex_lock(&kn->config);
	if (kn->running)
		kardia_net_stop(kn);
	mutex_unlock(&kn->config);
	free_percpu(kn->stats);
}

static struct pernet_operations net_ops = {
	.init = net_init,
	.exit = net_exit,
	.id = &net_id,
	.size = sizeof(struct kardia_net),
};

int kardia_net_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void kardia_net_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}
