// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the form of the configuration file: lines, sections, keys, each refused
 * with its line number. What they mean together is config.c's and
 * config_check.c's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

#include "daemon/config_parse.h"
#include "daemon/mem.h"
#include "daemon/value.h"

enum section {
	SECTION_NONE,
	SECTION_CLUSTER,
	SECTION_NODE,
	SECTION_ARBITER,
	SECTION_TLS,
	SECTION_LOCAL,
	SECTIONS
};

static const char *const section_names[] = {
	[SECTION_CLUSTER] = "cluster", [SECTION_NODE] = "node",
	[SECTION_ARBITER] = "arbiter", [SECTION_TLS] = "tls",
	[SECTION_LOCAL] = "local",
};

struct parser {
	FILE *file;
	struct config *config;
	struct config_lines *lines;
	struct why *why;
	enum section section;
	unsigned int section_line;
	unsigned int line;
	unsigned int opened; /* bit per section */
	unsigned int seen; /* bit per key of this section */
	unsigned int failed_line; /* 0: none has failed */
};

/* A key: where it belongs, how it is read, where its value goes. */
struct key {
	enum section section;
	const char *name;
	bool required;
	int (*read)(const char *text, void *target, struct why *why);
	size_t offset; /* in struct config, or struct map_node */
	size_t line_offset; /* in struct config_lines, or NO_LINE */
};

#define NO_LINE SIZE_MAX

static int read_name(const char *text, void *target, struct why *why)
{
	return value_name(text, target, MAP_NAME_BYTES, why);
}

static int read_path(const char *text, void *target, struct why *why)
{
	return value_text(text, target, CONFIG_PATH_BYTES, why);
}

static int read_bool(const char *text, void *target, struct why *why)
{
	return value_bool(text, target, why);
}

static int read_address(const char *text, void *target, struct why *why)
{
	return value_address(text, target, why);
}

static int read_duration(const char *text, void *target, struct why *why)
{
	return value_duration_us(text, target, why);
}

static int read_id(const char *text, void *target, struct why *why)
{
	return value_u32(text, 1, UINT32_MAX, target, why);
}

static int read_reporters(const char *text, void *target, struct why *why)
{
	return value_u32(text, 1, MAP_NODES_MAX, target, why);
}

static int read_port(const char *text, void *target, struct why *why)
{
	return value_u32(text, 1, 65535, target, why);
}

/* One priority below is the HTTP threads', and it has to exist. */
static int read_priority(const char *text, void *target, struct why *why)
{
	return value_u32(text, 2, 98, target, why);
}

#define CONFIG(m) offsetof(struct config, m)
#define NODE(m) offsetof(struct map_node, m)
#define LINE(m) offsetof(struct config_lines, m)

static const struct key keys[] = {
	{ SECTION_CLUSTER, "name", true, read_name, CONFIG(cluster), NO_LINE },
	{ SECTION_CLUSTER, "interval", false, read_duration,
	  CONFIG(settings.interval_us), LINE(interval) },
	{ SECTION_CLUSTER, "grace", false, read_duration,
	  CONFIG(settings.grace_us), LINE(grace) },
	{ SECTION_CLUSTER, "min_down_reporters", false, read_reporters,
	  CONFIG(settings.min_down_reporters), LINE(min_down_reporters) },
	{ SECTION_CLUSTER, "insecure", false, read_bool, CONFIG(insecure),
	  LINE(insecure) },
	{ SECTION_NODE, "id", true, read_id, NODE(id), NO_LINE },
	{ SECTION_NODE, "host", false, read_name, NODE(host), NO_LINE },
	{ SECTION_NODE, "front", true, read_address, NODE(front), NO_LINE },
	{ SECTION_NODE, "back", false, read_address, NODE(back), NO_LINE },
	{ SECTION_NODE, "arbiter", false, read_bool, NODE(arbiter), NO_LINE },
	{ SECTION_ARBITER, "store", false, read_path, CONFIG(store), NO_LINE },
	{ SECTION_ARBITER, "listen_port", false, read_port, CONFIG(listen_port),
	  NO_LINE },
	{ SECTION_TLS, "ca", true, read_path, CONFIG(tls_ca), NO_LINE },
	{ SECTION_TLS, "certificate", true, read_path, CONFIG(tls_certificate),
	  NO_LINE },
	{ SECTION_TLS, "key", true, read_path, CONFIG(tls_key), NO_LINE },
	{ SECTION_LOCAL, "node", false, read_name, CONFIG(node_name), NO_LINE },
	{ SECTION_LOCAL, "socket", false, read_path, CONFIG(socket), NO_LINE },
	{ SECTION_LOCAL, "state_dir", false, read_path, CONFIG(state_dir),
	  NO_LINE },
	{ SECTION_LOCAL, "realtime", false, read_bool, CONFIG(realtime),
	  NO_LINE },
	{ SECTION_LOCAL, "priority", false, read_priority, CONFIG(priority),
	  NO_LINE },
};

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

_Static_assert(N_KEYS <= 32, "struct parser has one bit per key");

static void fail_at(struct parser *p, unsigned int line)
{
	if (!p->failed_line)
		p->failed_line = line;
}

/* Every required key of the section that ends here was there. */
static void close_section(struct parser *p)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++) {
		if (keys[i].section != p->section || !keys[i].required ||
		    p->seen & 1U << i)
			continue;
		why_set(p->why, -EINVAL, "the key '%s' is missing in [%s]",
			keys[i].name, section_names[p->section]);
		fail_at(p, p->section_line);
		return;
	}
}

static int add_node(struct parser *p, const char *name)
{
	struct config *config = p->config;
	struct config_node *node;

	if (config->n_nodes == MAP_NODES_MAX)
		return why_set(p->why, -EINVAL, "more than %u nodes",
			       MAP_NODES_MAX);
	config->nodes = reallocarray(config->nodes, config->n_nodes + 1,
				     sizeof(*config->nodes));
	if (!config->nodes)
		mem_exhausted();
	node = &config->nodes[config->n_nodes++];
	memset(node, 0, sizeof(*node));
	node->line = p->line;
	return value_name(name, node->node.name, MAP_NAME_BYTES, p->why);
}

static enum section find_section(const char *name)
{
	enum section s;

	for (s = SECTION_CLUSTER; s < SECTIONS; s++)
		if (s != SECTION_NODE && !strcmp(name, section_names[s]))
			return s;
	return SECTION_NONE;
}

static int enter_section(struct parser *p, const char *name)
{
	p->section_line = p->line;
	p->seen = 0;
	if (!strncmp(name, "node ", 5)) {
		p->section = SECTION_NODE;
		return add_node(p, name + 5 + strspn(name + 5, " \t"));
	}
	p->section = find_section(name);
	if (p->section == SECTION_NONE)
		return why_set(p->why, -EINVAL, "unknown section [%s]", name);
	if (p->opened & 1U << p->section)
		return why_set(p->why, -EINVAL, "a second section [%s]", name);
	p->opened |= 1U << p->section;
	if (p->section == SECTION_CLUSTER)
		p->lines->cluster = p->line;
	if (p->section == SECTION_TLS)
		p->lines->tls = p->line;
	if (p->section == SECTION_LOCAL)
		p->lines->local = p->line;
	return 0;
}

static void open_section(struct parser *p, const char *text)
{
	char name[MAP_NAME_BYTES + 16];
	size_t len = strlen(text);

	close_section(p);
	if (p->failed_line)
		return;
	if (text[len - 1] != ']' || len - 2 >= sizeof(name)) {
		why_set(p->why, -EINVAL, "'%s' is not a [section]", text);
		fail_at(p, p->line);
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)len - 2, text + 1);
	if (enter_section(p, name))
		fail_at(p, p->line);
}

/* Cut comments and the blanks around what is left. */
static void trim(char *line)
{
	size_t start = strspn(line, " \t\r\n"), i;

	memmove(line, line + start, strlen(line + start) + 1);
	for (i = 0; line[i]; i++)
		if ((line[i] == '#' || line[i] == ';') &&
		    (!i || strchr(" \t", line[i - 1])))
			break;
	while (i && strchr(" \t\r\n", line[i - 1]))
		i--;
	line[i] = '\0';
}

/*
 * inih's source of lines. Sections are handled here, where the line is known
 * and an empty section does not pass unseen.
 */
static char *read_line(char *line, int size, void *stream)
{
	struct parser *p = stream;

	if (p->failed_line || !fgets(line, size, p->file))
		return NULL;
	p->line++;
	if (!strchr(line, '\n') && !feof(p->file)) {
		why_set(p->why, -EINVAL, "longer than %d bytes, or not text",
			size - 2);
		fail_at(p, p->line);
		return NULL;
	}
	trim(line);
	if (*line == '[') {
		open_section(p, line);
	} else if (*line && !strchr(line, '=')) {
		why_set(p->why, -EINVAL,
			"'%s' is neither a [section] nor key = value", line);
		fail_at(p, p->line);
	}
	return p->failed_line ? NULL : line;
}

static const struct key *find_key(enum section section, const char *name)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		if (keys[i].section == section && !strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

static void *key_target(struct parser *p, const struct key *key)
{
	struct config *config = p->config;

	if (key->section == SECTION_NODE)
		return (char *)&config->nodes[config->n_nodes - 1].node +
		       key->offset;
	return (char *)config + key->offset;
}

static int take_key(struct parser *p, const char *name, const char *text)
{
	const struct key *key = find_key(p->section, name);
	struct why why;

	if (p->section == SECTION_NONE)
		return why_set(p->why, -EINVAL,
			       "'%s' stands before the first [section]", name);
	if (!key)
		return why_set(p->why, -EINVAL, "unknown key '%s' in [%s]",
			       name, section_names[p->section]);
	if (p->seen & 1U << (key - keys))
		return why_set(p->why, -EINVAL, "a second '%s'", name);
	p->seen |= 1U << (key - keys);
	if (key->line_offset != NO_LINE)
		*(unsigned int *)((char *)p->lines + key->line_offset) =
			p->line;
	if (key->read(text, key_target(p, key), &why))
		return why_set(p->why, -EINVAL, "%s: %.400s", name, why.text);
	return 0;
}

/* inih's handler; the section it tells is not used, see read_line(). */
static int handle_key(void *user, const char *section, const char *name,
		      const char *text)
{
	struct parser *p = user;

	(void)section;
	if (take_key(p, name, text))
		fail_at(p, p->line);
	return !p->failed_line;
}

int config_parse(struct config *config, FILE *file, struct config_lines *lines,
		 unsigned int *line, struct why *why)
{
	struct parser p = { .file = file,
			    .config = config,
			    .lines = lines,
			    .why = why };
	int broken = ini_parse_stream(read_line, &p, handle_key, &p);

	if (!p.failed_line)
		close_section(&p);
	if (!p.failed_line && broken > 0) {
		why_set(why, -EINVAL, "not understood");
		fail_at(&p, broken);
	}
	*line = p.failed_line;
	if (p.failed_line)
		return -EINVAL;
	if (ferror(file))
		return why_set(why, -EIO, "cannot be read");
	return 0;
}
