// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The map's text: nothing is lost on the way there and back, the hash chains,
 * and whatever else somebody may send is refused without harm.
 */
#include <arpa/inet.h>
#include <errno.h>

#include <json-c/json.h>

#include "daemon/json_write.h"
#include "daemon/map/hash.h"
#include "fixture.h"

/* A map of three nodes in which one went down by two accusers. */
static struct map *rich_map(void)
{
	struct map *map = map_new(3, 2);
	struct map *plain = fixture_map(3);
	struct map_change *down = &map->decision.changes[0];
	struct why why;

	strcpy(map->cluster, "test");
	map->epoch = 42;
	map->settings = plain->settings;
	memcpy(map->nodes, plain->nodes, 3 * sizeof(*map->nodes));
	map_free(plain);
	map->nodes[0].up = true;
	map->nodes[1].up = true;
	map->nodes[0].cause = MAP_CAUSE_NONE;
	map->nodes[1].cause = MAP_CAUSE_NONE;
	map->nodes[1].back.s_addr = 0;
	map->nodes[2].cause = MAP_CAUSE_SILENT;
	map->nodes[2].incarnation = 0xfedcba9876543210;
	map->nodes[2].since_epoch = 42;
	strcpy(map->decision.arbiter, "n1");
	map->decision.arbiter_id = 1;
	map->decision.term = 3;
	strcpy(map->decision.reason, "n3 \"down\" \\ ü");
	map->decision.decided_at_us = 1796004806123456;
	map->decision.decided_mono_us = 123456789;
	down->kind = MAP_NODE_DOWN;
	down->id = 3;
	strcpy(down->name, "n3");
	down->incarnation = map->nodes[2].incarnation;
	down->cause = MAP_CAUSE_SILENT;
	down->n_accusers_total = 17;
	down->n_accusers = 2;
	down->accusers[0] =
		(struct map_accuser){ 1, down->incarnation,  51234, 50000, 7,
				      3, KARDIA_CAUSE_SILENT };
	down->accusers[1] = (struct map_accuser){
		2, 0, 50001, 60000, 0, 1, KARDIA_CAUSE_NEVER_HEARD
	};
	map->decision.changes[1].kind = MAP_SETTINGS_CHANGED;
	memset(map->prev_hash, 0xa5, sizeof(map->prev_hash));
	assert_int_equal(map_seal(map, &why), 0);
	return map;
}

static struct map *decode(const char *text, size_t bytes)
{
	struct map *map;
	struct why why;

	if (map_decode(&map, text, bytes, &why))
		fail_msg("refused: %s", why.text);
	return map;
}

static void comes_back_as_it_was(void **state)
{
	struct map *map = rich_map();
	struct map *back = decode(map->text, map->text_bytes);

	(void)state;
	assert_string_equal(back->cluster, map->cluster);
	assert_int_equal(back->epoch, map->epoch);
	assert_memory_equal(&back->settings, &map->settings,
			    sizeof(map->settings));
	assert_int_equal(back->n_nodes, 3);
	assert_memory_equal(back->nodes, map->nodes, 3 * sizeof(*map->nodes));
	assert_int_equal(back->decision.n_changes, 2);
	assert_memory_equal(back->decision.changes, map->decision.changes,
			    2 * sizeof(*map->decision.changes));
	assert_string_equal(back->decision.reason, map->decision.reason);
	assert_int_equal(back->decision.term, 3);
	assert_int_equal(back->decision.decided_at_us,
			 map->decision.decided_at_us);
	assert_memory_equal(back->hash, map->hash, MAP_HASH_BYTES);
	assert_memory_equal(back->prev_hash, map->prev_hash, MAP_HASH_BYTES);
	assert_string_equal(back->text, map->text);
	map_free(back);
	map_free(map);
}

static void seals_the_same_text_again(void **state)
{
	struct map *map = rich_map();
	struct map *back = decode(map->text, map->text_bytes);
	struct why why;

	(void)state;
	assert_int_equal(map_seal(back, &why), 0);
	assert_string_equal(back->text, map->text);
	map_free(back);
	map_free(map);
}

static void hash_covers_the_text_before_it(void **state)
{
	struct map *map = rich_map();
	char hex[MAP_HASH_HEX_BYTES], *text = strdup(map->text);
	char *end = strstr(text, ",\"hash\":\"");
	uint8_t hash[MAP_HASH_BYTES];

	(void)state;
	assert_non_null(end);
	map_hash_hex(map->hash, hex);
	assert_memory_equal(end + 9, hex, 64);
	strcpy(end, "}");
	map_hash(text, strlen(text), hash);
	assert_memory_equal(hash, map->hash, MAP_HASH_BYTES);
	free(text);
	map_free(map);
}

static void names_reporters_and_units(void **state)
{
	struct map *map = rich_map();

	(void)state;
	assert_contains(map->text, "\"schema\":\"kardia.map/1\"");
	assert_contains(map->text, "\"reporter\":\"n2\",\"reporter_id\":2");
	assert_contains(map->text, "\"silent_us\":51234");
	assert_contains(map->text, "\"paths\":[\"front\",\"back\"]");
	assert_contains(map->text, "\"incarnation\":\"fedcba9876543210\"");
	assert_contains(map->text, "\"back\":null");
	assert_contains(map->text, "\"decided_at\":\"2026-11-30T02:13:26.1234"
				   "56Z\",\"decided_at_us\":1796004806123456");
	map_free(map);
}

/* The text of @root with the hash that belongs to it. */
static char *rehash(struct json_object *root)
{
	char hex[MAP_HASH_HEX_BYTES];
	uint8_t hash[MAP_HASH_BYTES];
	const char *text;
	size_t bytes;

	json_object_object_del(root, "hash");
	text = json_text(root, &bytes);
	map_hash(text, bytes, hash);
	map_hash_hex(hash, hex);
	json_object_object_add(root, "hash", json_object_new_string(hex));
	return strdup(json_text(root, &bytes));
}

static void refuse(const char *text, size_t bytes, const char *words)
{
	struct map *map;
	struct why why;

	assert_int_equal(map_decode(&map, text, bytes, &why), -EBADMSG);
	assert_null(map);
	assert_contains(why.text, words);
}

static void accepts_what_a_newer_kardiad_adds(void **state)
{
	struct map *map = rich_map(), *back;
	struct json_object *root = json_tokener_parse(map->text);
	char *text;

	(void)state;
	json_object_object_add(root, "extra", json_object_new_int(5));
	text = rehash(root);
	back = decode(text, strlen(text));
	map_free(back);
	free(text);
	json_object_put(root);
	map_free(map);
}

static void refuses_any_change(void **state)
{
	struct map *map = rich_map();
	char *text = strdup(map->text);

	(void)state;
	strstr(text, "\"epoch\":42")[9] = '3';
	refuse(text, strlen(text), "hash does not match");
	strcpy(strstr(text, ",\"hash\":"), "}");
	refuse(text, strlen(text), "map.hash: missing");
	free(text);
	map_free(map);
}

static void refuses_other_documents(void **state)
{
	struct map *map = rich_map();
	char *text = calloc(1, map->text_bytes + 2);
	char *large = malloc(MAP_TEXT_BYTES_MAX + 1);

	(void)state;
	refuse("", 0, "not one JSON document");
	refuse("null", 4, "not one JSON document");
	refuse("[]", 2, "not an object");
	refuse("{}", 2, "schema: missing");
	refuse("{\"schema\":\"kardia.map/2\"}", 25, "not kardia.map/1");
	refuse("{\"schema\":5}", 12, "wrong type");
	refuse(map->text, map->text_bytes - 1, "not one JSON document");
	memcpy(text, map->text, map->text_bytes);
	text[map->text_bytes] = '}';
	refuse(text, map->text_bytes + 1, "not one JSON document");
	memset(large, '[', MAP_TEXT_BYTES_MAX + 1);
	refuse(large, MAP_TEXT_BYTES_MAX + 1, "larger than any map");
	refuse(large, MAP_TEXT_BYTES_MAX, "larger than any map");
	refuse(large, 1000, "not one JSON document");
	free(large);
	free(text);
	map_free(map);
}

/* The value at a path such as "nodes/2/id". */
static struct json_object *parent_of(struct json_object *root, char *path,
				     char **key)
{
	struct json_object *object = root;
	char *next;

	for (*key = path; (next = strchr(*key, '/')); *key = next + 1) {
		*next = '\0';
		if (json_object_is_type(object, json_type_array))
			object = json_object_array_get_idx(object, atoi(*key));
		else
			object = json_object_object_get(object, *key);
	}
	return object;
}

/* A good map with the JSON @value at @path is refused in these @words. */
static void refuse_value(const char *path, const char *value, const char *words)
{
	struct map *map = rich_map();
	struct json_object *root = json_tokener_parse(map->text);
	char *copy = strdup(path), *key, *text;
	struct json_object *parent = parent_of(root, copy, &key);

	if (value)
		json_object_object_add(parent, key, json_tokener_parse(value));
	else
		json_object_object_del(parent, key);
	text = rehash(root);
	refuse(text, strlen(text), words);
	free(text);
	free(copy);
	json_object_put(root);
	map_free(map);
}

static void refuses_bad_members(void **state)
{
	(void)state;
	refuse_value("epoch", "0", "map.epoch: out of range");
	refuse_value("epoch", "-1", "out of range");
	refuse_value("epoch", "9007199254740993", "out of range");
	refuse_value("epoch", "99999999999999999999", "out of range");
	refuse_value("epoch", "\"42\"", "wrong type");
	refuse_value("epoch", NULL, "missing");
	refuse_value("cluster", "\"a b\"", "not a name");
	refuse_value("cluster", "\"te\\u0000st\"", "not a text");
	refuse_value("settings", "[]", "settings");
	refuse_value("settings/grace_us", "29999", "three intervals");
	refuse_value("settings/interval_us", "499", "out of range");
	refuse_value("nodes", "{}", "nodes: of the wrong type");
	refuse_value("nodes", "[]", "no node is an arbiter");
	refuse_value("nodes/1/id", "1", "do not rise");
	refuse_value("nodes/1/name", "\"n1\"", "two nodes are named n1");
	refuse_value("nodes/1/front", "\"10.1.0.1\"", "is given twice");
	refuse_value("nodes/1/front", "null", "wrong type");
	refuse_value("nodes/1/front", "\"10.1.0.256\"", "not an IPv4");
	refuse_value("nodes/1/back", "7", "wrong type");
	refuse_value("nodes/1/state", "\"sideways\"", "an unknown word");
	refuse_value("nodes/1/incarnation", "\"1\"", "wrong length");
	refuse_value("nodes/1/incarnation", "\"000000000000000G\"", "hex");
	refuse_value("nodes/0/arbiter", "1", "wrong type");
	refuse_value("nodes/0/arbiter", "false", "no node is an arbiter");
	refuse_value("decision/reason", "\"a\\nb\"", "control character");
	refuse_value("decision/changes", "{}", "wrong type");
	refuse_value("decision/changes/0/change", "\"gone\"", "unknown word");
	refuse_value("decision/changes/0/node_id", "0", "out of range");
	refuse_value("decision/changes/0/accusers/0/paths", "[\"side\"]",
		     "unknown word");
	refuse_value("decision/changes/0/accusers/0/paths", "[null]",
		     "unknown word");
	refuse_value("decision/changes/0/accusers/0/reporter_id", "0",
		     "out of range");
	refuse_value("prev_hash", "\"00\"", "wrong length");
}

static void refuses_too_many(void **state)
{
	struct map *map = rich_map();
	struct json_object *root = json_tokener_parse(map->text);
	struct json_object *nodes = json_object_object_get(root, "nodes");
	char *text;
	int i;

	(void)state;
	for (i = 0; i < MAP_NODES_MAX; i++)
		json_object_array_add(nodes, json_object_new_object());
	text = rehash(root);
	refuse(text, strlen(text), "nodes: too long");
	free(text);
	json_object_put(root);
	map_free(map);
}

static void holds_the_largest_map(void **state)
{
	struct map *map = fixture_map(MAP_NODES_MAX), *back;
	struct why why;

	(void)state;
	map->epoch = 1;
	assert_int_equal(map_seal(map, &why), 0);
	back = decode(map->text, map->text_bytes);
	assert_int_equal(back->n_nodes, MAP_NODES_MAX);
	assert_int_equal(map_index(back, MAP_NODES_MAX), MAP_NODES_MAX - 1);
	assert_int_equal(map_index(back, MAP_NODES_MAX + 1), -1);
	assert_null(map_find(back, 0));
	map_free(back);
	map_free(map);
}

static void mutate(char *text, size_t *bytes, size_t room)
{
	static const char bits[] = "{}[],:\"0129-eE.ntf\\u\x00\x80\xff";
	size_t at = random() % *bytes, len = random() % 40;

	switch (random() % 4) {
	case 0: /* another byte */
		text[at] = bits[random() % (sizeof(bits) - 1)];
		break;
	case 1: /* a hole */
		if (at + len >= *bytes)
			break;
		memmove(text + at, text + at + len, *bytes - at - len);
		*bytes -= len;
		break;
	case 2: /* a part twice */
		if (at + len >= *bytes || *bytes + len > room)
			break;
		memmove(text + at + len, text + at, *bytes - at);
		*bytes += len;
		break;
	default: /* an end */
		if (random() % 16 == 0)
			*bytes = at + 1;
	}
}

static void survives_mutations(void **state)
{
	struct map *map = rich_map(), *back;
	size_t room = map->text_bytes + 1024;
	unsigned int round, i, accepted = 0;
	struct why why;

	(void)state;
	srandom(20261130);
	for (round = 0; round < 20000; round++) {
		/* Of the exact size, so that a read beyond it is found. */
		char *work = malloc(room), *text;
		size_t bytes = map->text_bytes;

		memcpy(work, map->text, bytes);
		for (i = random() % 4 + 1; i; i--)
			mutate(work, &bytes, room);
		text = malloc(bytes);
		memcpy(text, work, bytes);
		if (!map_decode(&back, text, bytes, &why)) {
			/* Only what means the same may pass. */
			assert_memory_equal(back->hash, map->hash,
					    MAP_HASH_BYTES);
			accepted++;
			map_free(back);
		}
		free(text);
		free(work);
	}
	assert_true(accepted < round / 4);
	map_free(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back_as_it_was),
		cmocka_unit_test(seals_the_same_text_again),
		cmocka_unit_test(hash_covers_the_text_before_it),
		cmocka_unit_test(names_reporters_and_units),
		cmocka_unit_test(accepts_what_a_newer_kardiad_adds),
		cmocka_unit_test(refuses_any_change),
		cmocka_unit_test(refuses_other_documents),
		cmocka_unit_test(refuses_bad_members),
		cmocka_unit_test(refuses_too_many),
		cmocka_unit_test(holds_the_largest_map),
		cmocka_unit_test(survives_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
