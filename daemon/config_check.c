// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the rules between keys and between nodes. Each check names the line to
 * blame; nothing is changed here.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "daemon/config.h"

static int check_times(const struct config *config,
		       const struct config_lines *lines, unsigned int *line,
		       struct why *why)
{
	const struct map_settings *s = &config->settings;

	*line = lines->interval ? lines->interval : lines->cluster;
	if (s->interval_us < KARDIA_INTERVAL_US_MIN ||
	    s->interval_us > KARDIA_INTERVAL_US_MAX)
		return why_set(why, -EINVAL, "interval: not within %uus to %us",
			       KARDIA_INTERVAL_US_MIN,
			       KARDIA_INTERVAL_US_MAX / 1000000);
	*line = lines->grace ? lines->grace : *line;
	if (s->grace_us / KARDIA_GRACE_INTERVALS_MIN < s->interval_us)
		return why_set(
			why, -EINVAL,
			"grace: %uus is less than %u intervals of %uus, so that a few lost packets would fail a healthy node",
			s->grace_us, KARDIA_GRACE_INTERVALS_MIN,
			s->interval_us);
	return 0;
}

static int check_security(const struct config *config,
			  const struct config_lines *lines, unsigned int *line,
			  struct why *why)
{
	if (config->insecure)
		return 0;
	*line = lines->insecure ? lines->insecure : lines->cluster;
	return why_set(
		why, -EINVAL,
		"heartbeat frames have no authentication in this version: anybody on their networks can forge them; accept that by insecure = yes in [cluster]%s",
		config->tls ? "" : ", and give HTTP its certificates by [tls]");
}

static int check_same(const struct config_node *a, const struct config_node *b,
		      struct why *why)
{
	const struct in_addr ours[] = { a->node.front, a->node.back };
	const struct in_addr theirs[] = { b->node.front, b->node.back };
	char text[INET_ADDRSTRLEN];
	int i;

	if (!strcmp(a->node.name, b->node.name))
		return why_set(why, -EINVAL,
			       "a second node %s; the first is in line %u",
			       a->node.name, b->line);
	if (a->node.id == b->node.id)
		return why_set(why, -EINVAL,
			       "node %s has the id %u of node %s in line %u",
			       a->node.name, a->node.id, b->node.name, b->line);
	for (i = 0; i < 4; i++) {
		if (!ours[i / 2].s_addr ||
		    ours[i / 2].s_addr != theirs[i % 2].s_addr)
			continue;
		inet_ntop(AF_INET, &ours[i / 2], text, sizeof(text));
		return why_set(
			why, -EINVAL,
			"node %s has the address %s of node %s in line %u",
			a->node.name, text, b->node.name, b->line);
	}
	return 0;
}

/* The later of two in the file is the one to blame. */
static int check_pair(const struct config_node *a, const struct config_node *b,
		      unsigned int *line, struct why *why)
{
	const struct config_node *first = a->line < b->line ? a : b;
	const struct config_node *second = a->line < b->line ? b : a;

	*line = second->line;
	return check_same(second, first, why);
}

static int check_nodes(const struct config *config, unsigned int *line,
		       struct why *why)
{
	unsigned int i, j;
	int ret = 0;

	*line = 0;
	if (!config->n_nodes)
		return why_set(why, -EINVAL, "there is no [node NAME] section");
	for (i = 0; i < config->n_nodes && !ret; i++) {
		const struct config_node *node = &config->nodes[i];

		*line = node->line;
		if (node->node.front.s_addr == node->node.back.s_addr)
			return why_set(
				why, -EINVAL,
				"node %s has one address as front and back",
				node->node.name);
		for (j = 0; j < i && !ret; j++)
			ret = check_pair(node, &config->nodes[j], line, why);
	}
	return ret;
}

static int check_arbiters(const struct config *config, unsigned int *line,
			  struct why *why)
{
	const struct config_node *first = NULL;
	unsigned int i;

	for (i = 0; i < config->n_nodes; i++) {
		const struct config_node *node = &config->nodes[i];

		if (!node->node.arbiter)
			continue;
		*line = node->line;
		if (first)
			return why_set(
				why, -EINVAL,
				"nodes %s and %s are arbiters: this version takes exactly one",
				first->node.name, node->node.name);
		first = node;
	}
	*line = 0;
	if (!first)
		return why_set(
			why, -EINVAL,
			"no node is the arbiter: one needs arbiter = yes");
	return 0;
}

/* How many failure domains besides its own can accuse @node? */
static unsigned int count_other_hosts(const struct config *config,
				      const struct map_node *node)
{
	unsigned int i, j, hosts = 0;

	for (i = 0; i < config->n_nodes; i++) {
		const char *host = config->nodes[i].node.host;

		for (j = 0; j < i; j++)
			if (!strcmp(host, config->nodes[j].node.host))
				break;
		hosts += j == i && strcmp(host, node->host);
	}
	return hosts;
}

static int check_reporters(const struct config *config,
			   const struct config_lines *lines, unsigned int *line,
			   struct why *why)
{
	uint32_t needed = config->settings.min_down_reporters;
	const struct map_node *node = &config->nodes[0].node;
	unsigned int hosts = count_other_hosts(config, node);

	/* Leaving out one host or another leaves the same number of them. */
	if (config->n_nodes == 1 || hosts >= needed)
		return 0;
	*line = lines->min_down_reporters ? lines->min_down_reporters :
					    lines->cluster;
	return why_set(
		why, -EINVAL,
		"min_down_reporters: %u hosts have to report a node, but only %u besides its own exist: no node could ever be marked down",
		needed, hosts);
}

int config_check(const struct config *config, const struct config_lines *lines,
		 unsigned int *line, struct why *why)
{
	int ret;

	*line = 0;
	if (!lines->cluster)
		return why_set(why, -EINVAL, "there is no [cluster] section");
	ret = check_times(config, lines, line, why);
	if (!ret)
		ret = check_security(config, lines, line, why);
	if (!ret)
		ret = check_nodes(config, line, why);
	if (!ret)
		ret = check_arbiters(config, line, why);
	if (!ret)
		ret = check_reporters(config, lines, line, why);
	return ret;
}
