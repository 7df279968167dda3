// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line's pure parts: event numbers, spelling, forms of values, and
 * the merge of verdicts with sightings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/mem.h"
#include "tools/kardia/nearest.h"
#include "tools/kardia/output.h"
#include "tools/kardia/sequence.h"
#include "tools/kardia/status_rows.h"

static void takes_events_in_order_once(void **state)
{
	struct sequence s = { 0 };

	(void)state;
	sequence_restart(&s, true, 41);
	assert_false(sequence_take(&s, 40));
	assert_false(sequence_take(&s, 41));
	assert_true(sequence_take(&s, 42));
	assert_false(sequence_take(&s, 42));
	assert_true(sequence_take(&s, 43));
	assert_false(s.broken);
}

static void stops_at_a_gap_until_restarted(void **state)
{
	struct sequence s = { 0 };

	(void)state;
	sequence_restart(&s, true, 41);
	assert_false(sequence_take(&s, 43));
	assert_true(s.broken);
	assert_int_equal(s.last, 41);
	assert_false(sequence_take(&s, 42));
	sequence_restart(&s, true, 50);
	assert_false(s.broken);
	assert_true(sequence_take(&s, 51));
}

static void begins_anywhere_if_nothing_is_known(void **state)
{
	struct sequence s = { 0 };

	(void)state;
	sequence_audit(&s, 1000);
	assert_false(s.broken);
	assert_true(sequence_take(&s, 7));
	assert_true(sequence_take(&s, 8));
}

static void finds_the_loss_of_the_last_event(void **state)
{
	struct sequence s = { 0 };

	(void)state;
	sequence_restart(&s, true, 41);
	sequence_audit(&s, 41);
	assert_false(s.broken);
	assert_true(sequence_take(&s, 42));
	sequence_audit(&s, 41); /* it came between the answer and the reading */
	assert_false(s.broken);
	sequence_audit(&s, 43);
	assert_true(s.broken);
}

static void guesses_what_was_meant(void **state)
{
	static const char *const words[] = { "status", NULL, "peer",
					     "monitor" };

	(void)state;
	assert_string_equal(nearest("stauts", words, 4), "status");
	assert_string_equal(nearest("pear", words, 4), "peer");
	assert_string_equal(nearest("montior", words, 4), "monitor");
	assert_null(nearest("xyzzy", words, 4));
	assert_null(nearest("", words, 4));
	assert_null(nearest("a word that is much too long to be any of these",
			    words, 4));
}

static void escapes_all_but_printable_ascii(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(output_escape(buf, sizeof(buf), "n1 a-b_c.d"),
			    "n1 a-b_c.d");
	assert_string_equal(output_escape(buf, sizeof(buf),
					  "\x1b[1m\n\\\xc2\x9b\x7f"),
			    "\\x1b[1m\\x0a\\x5c\\xc2\\x9b\\x7f");
	assert_string_equal(output_escape(buf, 6, "abcdefgh"), "abcde");
	assert_string_equal(output_escape(buf, 6, "ab\n"), "ab");
}

static void prints_ages_as_people_say_them(void **state)
{
	const uint64_t s = 1000000000;
	char buf[OUTPUT_FORM_BYTES];
	const size_t size = sizeof(buf);

	(void)state;
	assert_string_equal(output_age(buf, size, 0), "0us");
	assert_string_equal(output_age(buf, size, 3100000), "3.1ms");
	assert_string_equal(output_age(buf, size, 59 * s), "59s");
	assert_string_equal(output_age(buf, size, 372 * s), "00:06:12");
	assert_string_equal(output_age(buf, size, 273600 * s), "3d04h");
	assert_string_equal(output_ns(buf, size, 0), "-");
	assert_string_equal(output_ns(buf, size, 870), "870ns");
	assert_string_equal(output_ns(buf, size, 58400), "58us");
}

static void add_peer(struct seen *seen, uint32_t id, uint64_t front_heard_ns)
{
	struct seen_peer *entry = mem_zalloc(1, sizeof(*entry));

	entry->id = id;
	entry->peer.id = id;
	entry->peer.grace_us = 50;
	entry->peer.path[0].present = true;
	entry->peer.path[0].heard_ns = front_heard_ns;
	entry->peer.path[1].present = true;
	HASH_ADD(hh, seen->peers, id, sizeof(entry->id), entry);
}

static void sets_verdicts_and_sightings_side_by_side(void **state)
{
	struct seen seen = { .running = true, .now_ns = 1000000 };
	struct kardiad_view kardiad = { .map = map_new(3, 0) };
	struct status_row *rows;
	size_t n;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		kardiad.map->nodes[i].id = 2 * i + 1; /* 1, 3, 5 */
	seen.node.id = 3;
	add_peer(&seen, 4, 949999);
	add_peer(&seen, 1, 950000);

	rows = status_rows(&seen, &kardiad, &n);
	assert_int_equal(n, 4);
	assert_int_equal(rows[0].id, 1);
	assert_true(rows[0].verdict && rows[0].peer);
	assert_int_equal(rows[0].paths, 2);
	assert_int_equal(rows[0].paths_alive, 1);
	assert_int_equal(rows[1].id, 3);
	assert_true(rows[1].self && rows[1].verdict && !rows[1].peer);
	assert_int_equal(rows[2].id, 4);
	assert_true(!rows[2].verdict && rows[2].peer);
	assert_int_equal(rows[2].paths_alive, 0);
	assert_int_equal(rows[3].id, 5);
	assert_true(rows[3].verdict && !rows[3].peer);
	free(rows);
	kardiad_view_free(&kardiad);
	seen_free(&seen);
}

static void shows_itself_without_a_map(void **state)
{
	struct seen seen = { .running = true };
	struct kardiad_view kardiad = { 0 };
	struct status_row *rows;
	size_t n;

	(void)state;
	seen.node.id = 9;
	rows = status_rows(&seen, &kardiad, &n);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].id, 9);
	assert_true(rows[0].self);
	free(rows);
	seen.running = false;
	rows = status_rows(&seen, &kardiad, &n);
	assert_int_equal(n, 0);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_events_in_order_once),
		cmocka_unit_test(stops_at_a_gap_until_restarted),
		cmocka_unit_test(begins_anywhere_if_nothing_is_known),
		cmocka_unit_test(finds_the_loss_of_the_last_event),
		cmocka_unit_test(guesses_what_was_meant),
		cmocka_unit_test(escapes_all_but_printable_ascii),
		cmocka_unit_test(prints_ages_as_people_say_them),
		cmocka_unit_test(sets_verdicts_and_sightings_side_by_side),
		cmocka_unit_test(shows_itself_without_a_map),
	};

	return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
