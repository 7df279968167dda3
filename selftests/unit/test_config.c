// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The configuration file: what is read from a good one, and the line and the
 * words with which each kind of mistake is refused.
 */
#include <arpa/inet.h>
#include <errno.h>

#include "daemon/config.h"
#include "fixture.h"

#define CLUSTER             \
	"[cluster]\n"       \
	"name = demo\n"     \
	"interval = 10ms\n" \
	"grace = 50ms\n"    \
	"insecure = yes\n"
#define N1 "[node n1]\nid = 1\nfront = 10.1.0.1\narbiter = yes\n"
#define N2 "[node n2]\nid = 2\nfront = 10.1.0.2\n"
#define N3 "[node n3]\nid = 3\nfront = 10.1.0.3\n"
#define GOOD CLUSTER N1 N2 N3 /* 15 lines */

struct fixture {
	char *folder;
	char path[128];
	struct config config;
	struct why why;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->folder = fixture_folder();
	snprintf(f->path, sizeof(f->path), "%s/k.conf", f->folder);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	fixture_remove(f->folder);
	free(f);
	return 0;
}

static int load(struct fixture *f, const char *text, const char *node)
{
	fixture_write(f->path, text, strlen(text));
	return config_load(&f->config, f->path, node, &f->why);
}

static void good(struct fixture *f, const char *text)
{
	if (load(f, text, "n1"))
		fail_msg("refused: %s", f->why.text);
}

/* @text is refused for @line (0: for no line) with @words. */
static void bad(struct fixture *f, unsigned int line, const char *words,
		const char *text)
{
	char place[160];

	assert_int_equal(load(f, text, "n1"), -EINVAL);
	config_free(&f->config);
	if (line)
		snprintf(place, sizeof(place), "%s:%u: ", f->path, line);
	else
		snprintf(place, sizeof(place), "%s: ", f->path);
	assert_contains(f->why.text, place);
	assert_contains(f->why.text, words);
}

static void reads_a_full_file(void **state)
{
	struct fixture *f = *state;
	const struct config *c = &f->config;

	good(f, "# the cluster\n"
		"[cluster]\n"
		"name = demo      # comment\n"
		"\tinterval=1s ; comment\n"
		"grace = 2min\n"
		"insecure = yes\n"
		"min_down_reporters = 1\n"
		"\n"
		"[node b]\nid = 7\nhost = rack-1\nfront = 10.1.0.7\n"
		"back = 10.2.0.7\n"
		"[node n1]\nid = 3\nfront = 10.1.0.1\narbiter = yes\n"
		"[arbiter]\nstore = /s/%n.db\nlisten_port = 99\n"
		"[tls]\nca = /t/ca\ncertificate = /t/%n.crt\nkey = /t/k%%\n"
		"[local]\nsocket = /r/%n.sock\nstate_dir = /v/%n\n"
		"realtime = no\npriority = 70\n");
	assert_string_equal(c->cluster, "demo");
	assert_int_equal(c->settings.interval_us, 1000000);
	assert_int_equal(c->settings.grace_us, 120000000);
	assert_int_equal(c->settings.min_down_reporters, 1);
	assert_true(c->insecure);
	assert_int_equal(c->n_nodes, 2);
	assert_ptr_equal(c->self, &c->nodes[0].node);
	assert_ptr_equal(c->arbiter, c->self);
	assert_string_equal(c->self->host, "n1");
	assert_int_equal(c->self->back.s_addr, 0);
	assert_int_equal(c->nodes[1].node.id, 7);
	assert_string_equal(c->nodes[1].node.host, "rack-1");
	assert_int_equal(c->nodes[1].node.back.s_addr, inet_addr("10.2.0.7"));
	assert_string_equal(c->store, "/s/n1.db");
	assert_int_equal(c->listen_port, 99);
	assert_true(c->tls);
	assert_string_equal(c->tls_certificate, "/t/n1.crt");
	assert_string_equal(c->tls_key, "/t/k%");
	assert_string_equal(c->socket, "/r/n1.sock");
	assert_string_equal(c->state_dir, "/v/n1");
	assert_false(c->realtime);
	assert_int_equal(c->priority, 70);
	config_free(&f->config);
}

static void has_defaults(void **state)
{
	struct fixture *f = *state;
	const struct config *c = &f->config;

	good(f, "[cluster]\nname = demo\ninsecure = yes\n" N1 N2 N3);
	assert_int_equal(c->settings.interval_us, 100000);
	assert_int_equal(c->settings.grace_us, 500000);
	assert_int_equal(c->settings.min_down_reporters, 2);
	assert_int_equal(c->listen_port, 7890);
	assert_false(c->tls);
	assert_true(c->realtime);
	assert_int_equal(c->priority, 60);
	assert_string_equal(c->socket, "/run/kardia/kardiad.sock");
	config_free(&f->config);
}

/* sha256("demo") begins with 2a97516c. */
static void derives_the_cluster_id(void **state)
{
	(void)state;
	assert_int_equal(config_cluster_id("demo"), 0x2a97516c);
	assert_int_not_equal(config_cluster_id("demo"),
			     config_cluster_id("demp"));
}

static void knows_which_node_it_is(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(load(f, GOOD "[local]\nnode = n2\n", NULL), 0);
	assert_string_equal(f->config.self->name, "n2");
	config_free(&f->config);

	assert_int_equal(load(f, GOOD "[local]\nnode = n2\n", "n3"), 0);
	assert_string_equal(f->config.self->name, "n3");
	config_free(&f->config);

	assert_int_equal(load(f, GOOD "[local]\nnode = n9\n", NULL), -EINVAL);
	assert_contains(f->why.text, ":16: ");
	assert_contains(f->why.text, "'n9'");
	config_free(&f->config);
}

static void falls_back_to_the_host_name(void **state)
{
	struct fixture *f = *state;
	char host[64] = "", text[512];

	gethostname(host, sizeof(host) - 1);
	snprintf(text, sizeof(text),
		 GOOD "[node %s]\nid = 4\nfront = 10.1.0.4\n", host);
	assert_int_equal(load(f, text, NULL), 0);
	assert_string_equal(f->config.self->name, host);
	config_free(&f->config);
}

static void refuses_bad_lines(void **state)
{
	struct fixture *f = *state;
	char text[1024];

	bad(f, 6, "unknown section [nodes]", CLUSTER "[nodes]\n" N1);
	bad(f, 6, "unknown section [node]", CLUSTER "[node]\nid = 1\n");
	bad(f, 16, "unknown section [empty]", GOOD "[empty]\n");
	bad(f, 16, "a second section [cluster]", GOOD "[cluster]\nname = x\n");
	bad(f, 1, "is not a [section]", "[cluster\nname = x\n");
	bad(f, 1, "stands before the first", "name = x\n");
	bad(f, 3, "neither a [section] nor", "[cluster]\nname = x\nfoo\n");
	bad(f, 3, "unknown key 'nmae'", "[cluster]\nname = x\nnmae = y\n");
	bad(f, 3, "unknown key ''", "[cluster]\nname = x\n= y\n");
	bad(f, 3, "a second 'name'", "[cluster]\nname = x\nname = x\n");
	bad(f, 3, "unknown key 'id'", "[cluster]\nname = x\nid = 1\n");
	memset(text, 'x', sizeof(text));
	memcpy(text, "[cluster]\nname = ", 17);
	strcpy(text + 900, "\n");
	bad(f, 2, "longer than", text);
}

static void refuses_missing_keys(void **state)
{
	struct fixture *f = *state;

	bad(f, 0, "there is no [cluster] section", N1 N2 N3);
	bad(f, 1, "the key 'name' is missing in [cluster]",
	    "[cluster]\ninsecure = yes\n" N1 N2 N3);
	bad(f, 6, "the key 'id' is missing in [node]",
	    CLUSTER "[node a]\nfront = 10.1.0.9\n" N1);
	bad(f, 16, "the key 'front' is missing in [node]",
	    GOOD "[node a]\nid = 9\n");
	bad(f, 16, "the key 'key' is missing in [tls]",
	    GOOD "[tls]\nca = /a\ncertificate = /b\n");
	bad(f, 0, "there is no [node NAME] section", CLUSTER);
	bad(f, 0, "there is no [cluster] section", "");
}

/* One line in a good file of 15 replaced by a bad value. */
static void refuses_bad_values(void **state)
{
	static const struct {
		const char *line, *words;
	} cases[] = {
		{ "interval = 10", "has no unit" },
		{ "interval = 10 parsecs", "not a duration" },
		{ "interval = ", "not a duration" },
		{ "interval = -10ms", "not a duration" },
		{ "interval = 0ms", "not within" },
		{ "interval = 601s", "not within" },
		{ "interval = 99999999999999999999s", "not within" },
		{ "interval = 100us", "interval: not within" },
		{ "interval = 61s", "interval: not within" },
		{ "min_down_reporters = 0", "not within 1 to" },
		{ "min_down_reporters = two", "not a number" },
		{ "min_down_reporters = 2x", "not a number" },
		{ "min_down_reporters = +2", "not a number" },
		{ "min_down_reporters = 4294967298", "not within" },
		{ "min_down_reporters = 99999999999999999999", "not within" },
		{ "min_down_reporters = 3", "only 2 besides its own" },
		{ "grace = 29999us", "less than 3 intervals" },
	};
	struct fixture *f = *state;
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *interval = "interval = 10ms\n";

		if (!strncmp(cases[i].line, "interval", 8))
			interval = "# interval here\n";
		snprintf(text, sizeof(text),
			 "[cluster]\nname = demo\ninsecure = yes\n%s%s\n" N1 N2
				 N3,
			 interval, cases[i].line);
		bad(f, 5, cases[i].words, text);
	}
}

static void refuses_bad_nodes(void **state)
{
	struct fixture *f = *state;

	bad(f, 16, "a second node n1; the first is in line 6",
	    GOOD "[node n1]\nid = 9\nfront = 10.1.0.9\n");
	bad(f, 16, "has the id 2 of node n2 in line 10",
	    GOOD "[node n4]\nid = 2\nfront = 10.1.0.9\n");
	bad(f, 16, "has the address 10.1.0.2 of node n2",
	    GOOD "[node n4]\nid = 4\nfront = 10.1.0.2\n");
	bad(f, 16, "has the address 10.1.0.3 of node n3",
	    GOOD "[node n4]\nid = 4\nfront = 10.1.0.4\nback = 10.1.0.3\n");
	bad(f, 16, "one address as front and back",
	    GOOD "[node n4]\nid = 4\nfront = 10.1.0.4\nback = 10.1.0.4\n");
	bad(f, 17, "not within", GOOD "[node n4]\nid = 0\n");
	bad(f, 17, "not an IPv4 address", GOOD "[node n4]\nfront = ::1\n");
	bad(f, 17, "not the address of one node",
	    GOOD "[node n4]\nfront = 224.0.0.1\n");
	bad(f, 17, "neither yes nor no", GOOD "[node n4]\narbiter = maybe\n");
	bad(f, 16, "is not a name", GOOD "[node a b]\nid = 9\n");
	bad(f, 16, "is not a name", GOOD "[node ../x]\nid = 9\n");
	bad(f, 17, "is not a name", GOOD "[node n4]\nhost = a/b\n");
	bad(f, 16, "nodes n1 and n4 are arbiters",
	    GOOD "[node n4]\nid = 4\nfront = 10.1.0.4\narbiter = yes\n");
	bad(f, 0, "no node is the arbiter", CLUSTER N2 N3);
}

static void counts_hosts_not_nodes(void **state)
{
	struct fixture *f = *state;

	bad(f, 1, "only 1 besides its own exist",
	    "[cluster]\nname = x\ninsecure = yes\n" N1 N2 "host = b\n" N3
	    "host = b\n");
	good(f, CLUSTER N1);
	config_free(&f->config);
}

static void insists_on_insecure(void **state)
{
	struct fixture *f = *state;

	bad(f, 1, "no authentication in this version",
	    "[cluster]\nname = x\n" N1 N2 N3);
	bad(f, 3, "insecure = yes",
	    "[cluster]\nname = x\ninsecure = no\n" N1 N2 N3
	    "[tls]\nca = /a\ncertificate = /b\nkey = /c\n");
}

static void refuses_bad_local_values(void **state)
{
	struct fixture *f = *state;

	bad(f, 17, "not within 2 to 98", GOOD "[local]\npriority = 1\n");
	bad(f, 17, "not within 1 to 65535",
	    GOOD "[arbiter]\nlisten_port = 0\n");
	bad(f, 17, "the value is empty", GOOD "[local]\nsocket =\n");
	bad(f, 16, "only %n and %% are known",
	    GOOD "[local]\nsocket = /run/%x\n");
}

static void tells_an_unreadable_file(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(config_load(&f->config, "/nowhere/k.conf", NULL,
				     &f->why),
			 -ENOENT);
	assert_contains(f->why.text, "/nowhere/k.conf");
	config_free(&f->config);
	assert_int_equal(config_load(&f->config, "/tmp", NULL, &f->why), -EIO);
	config_free(&f->config);
}

static void makes_the_seed_map(void **state)
{
	struct fixture *f = *state;
	struct map *map;

	good(f, GOOD);
	map = config_seed_map(&f->config);
	assert_int_equal(map->epoch, 0);
	assert_int_equal(map->n_nodes, 3);
	assert_string_equal(map->cluster, "demo");
	assert_int_equal(map_check_nodes(map, &f->why), 0);
	assert_false(map->nodes[2].up);
	assert_int_equal(map->nodes[2].cause, MAP_CAUSE_NEVER_SEEN);
	map_free(map);
	config_free(&f->config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_full_file),
		cmocka_unit_test(has_defaults),
		cmocka_unit_test(derives_the_cluster_id),
		cmocka_unit_test(knows_which_node_it_is),
		cmocka_unit_test(falls_back_to_the_host_name),
		cmocka_unit_test(refuses_bad_lines),
		cmocka_unit_test(refuses_missing_keys),
		cmocka_unit_test(refuses_bad_values),
		cmocka_unit_test(refuses_bad_nodes),
		cmocka_unit_test(counts_hosts_not_nodes),
		cmocka_unit_test(insists_on_insecure),
		cmocka_unit_test(refuses_bad_local_values),
		cmocka_unit_test(tells_an_unreadable_file),
		cmocka_unit_test(makes_the_seed_map),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
