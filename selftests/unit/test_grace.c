// SPDX-License-Identifier: GPL-2.0-or-later
/* The detector, driven through virtual time: one nanosecond counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "kmod/grace.h"

#define MS 1000000ULL
#define BOTH_PATHS 3
#define GRACE (50 * MS)
#define MARGIN (10 * MS)
#define START (1000 * MS)

static struct kardia_grace watched(void)
{
	struct kardia_grace grace;

	kardia_grace_start(&grace, BOTH_PATHS, GRACE, START);
	return grace;
}

static struct kardia_grace up_at(u64 now_ns)
{
	struct kardia_grace grace = watched();

	assert_int_equal(kardia_grace_heard(&grace, 0, true, now_ns),
			 KARDIA_VERDICT_UP);
	return grace;
}

/* Fire a punctual timer at the deadline. */
static enum kardia_verdict expire(struct kardia_grace *grace)
{
	u64 deadline_ns = kardia_grace_deadline(grace);

	return kardia_grace_expire(grace, deadline_ns, MARGIN, deadline_ns);
}

static void starts_new_with_a_full_grace(void **state)
{
	struct kardia_grace grace = watched();

	assert_int_equal(grace.state, KARDIA_PEER_NEW);
	assert_int_equal(kardia_grace_deadline(&grace), START + GRACE);
	assert_int_equal(kardia_grace_heard_ns(&grace), 0);
}

static void never_heard_goes_down_at_the_deadline(void **state)
{
	struct kardia_grace grace = watched();
	u64 deadline_ns = START + GRACE;

	assert_int_equal(kardia_grace_expire(&grace, deadline_ns - 1, MARGIN,
					     deadline_ns - 1),
			 KARDIA_VERDICT_NONE);
	assert_int_equal(grace.state, KARDIA_PEER_NEW);
	assert_int_equal(kardia_grace_expire(&grace, deadline_ns, MARGIN,
					     deadline_ns),
			 KARDIA_VERDICT_DOWN);
	assert_int_equal(grace.state, KARDIA_PEER_DOWN);
	assert_int_equal(grace.cause, KARDIA_CAUSE_NEVER_HEARD);
	assert_int_equal(grace.since_ns, deadline_ns);
}

static void only_a_mutual_beat_brings_up(void **state)
{
	struct kardia_grace grace = watched();

	assert_int_equal(kardia_grace_heard(&grace, 0, false, START + MS),
			 KARDIA_VERDICT_NONE);
	assert_int_equal(grace.state, KARDIA_PEER_NEW);
	assert_int_equal(kardia_grace_heard(&grace, 0, true, START + 2 * MS),
			 KARDIA_VERDICT_UP);
	assert_int_equal(grace.state, KARDIA_PEER_UP);
	assert_int_equal(grace.cause, KARDIA_CAUSE_NONE);
	assert_int_equal(kardia_grace_heard(&grace, 0, true, START + 3 * MS),
			 KARDIA_VERDICT_NONE);
}

static void any_beat_moves_the_deadline(void **state)
{
	struct kardia_grace grace = up_at(START + MS);

	kardia_grace_heard(&grace, 1, false, START + 40 * MS);
	assert_int_equal(kardia_grace_deadline(&grace),
			 START + 40 * MS + GRACE);
	/* The timer armed for the old deadline finds a later one. */
	assert_int_equal(kardia_grace_expire(&grace, START + 51 * MS, MARGIN,
					     START + 51 * MS),
			 KARDIA_VERDICT_NONE);
	assert_int_equal(grace.state, KARDIA_PEER_UP);
}

static void one_silent_path_is_no_dead_peer(void **state)
{
	struct kardia_grace grace = up_at(START);
	u64 now_ns;

	for (now_ns = START; now_ns < START + 10 * GRACE; now_ns += 10 * MS) {
		kardia_grace_heard(&grace, 1, true, now_ns);
		assert_int_equal(kardia_grace_expire(&grace, now_ns, MARGIN,
						     now_ns),
				 KARDIA_VERDICT_NONE);
	}
	assert_int_equal(grace.state, KARDIA_PEER_UP);
	assert_int_equal(expire(&grace), KARDIA_VERDICT_DOWN);
	assert_int_equal(grace.cause, KARDIA_CAUSE_SILENT);
}

static void stamps_never_go_back(void **state)
{
	struct kardia_grace grace = up_at(START + 9 * MS);

	kardia_grace_heard(&grace, 0, true, START + 8 * MS);
	assert_int_equal(kardia_grace_deadline(&grace), START + 9 * MS + GRACE);
}

static void down_is_said_once(void **state)
{
	struct kardia_grace grace = up_at(START);

	assert_int_equal(expire(&grace), KARDIA_VERDICT_DOWN);
	assert_int_equal(expire(&grace), KARDIA_VERDICT_NONE);
	assert_int_equal(grace.state, KARDIA_PEER_DOWN);
}

static void returns_with_a_mutual_beat(void **state)
{
	struct kardia_grace grace = up_at(START);
	u64 later_ns = START + 100 * GRACE;

	assert_int_equal(expire(&grace), KARDIA_VERDICT_DOWN);
	assert_int_equal(kardia_grace_heard(&grace, 0, false, later_ns),
			 KARDIA_VERDICT_NONE);
	assert_int_equal(grace.state, KARDIA_PEER_DOWN);
	assert_int_equal(kardia_grace_heard(&grace, 0, true, later_ns + MS),
			 KARDIA_VERDICT_UP);
	assert_int_equal(kardia_grace_deadline(&grace), later_ns + MS + GRACE);
}

static void after_a_stall_it_listens_before_it_judges(void **state)
{
	struct kardia_grace grace = up_at(START);
	u64 now_ns = START + GRACE + 5000 * MS;

	assert_int_equal(kardia_grace_expire(&grace, START + GRACE, MARGIN,
					     now_ns),
			 KARDIA_VERDICT_NONE);
	assert_int_equal(grace.state, KARDIA_PEER_UP);
	assert_int_equal(kardia_grace_deadline(&grace), now_ns + GRACE);
	/* Punctual again, still nothing heard: now it counts. */
	assert_int_equal(expire(&grace), KARDIA_VERDICT_DOWN);
	assert_int_equal(grace.since_ns, now_ns + GRACE);
}

static void a_short_stall_costs_no_more_than_itself(void **state)
{
	struct kardia_grace grace = up_at(START);
	u64 stall_ns = MARGIN + 1;
	u64 now_ns = START + GRACE + stall_ns;

	assert_int_equal(kardia_grace_expire(&grace, START + GRACE, MARGIN,
					     now_ns),
			 KARDIA_VERDICT_NONE);
	assert_int_equal(kardia_grace_deadline(&grace), now_ns + stall_ns);
}

static void chronic_stalls_delay_no_verdict_for_ever(void **state)
{
	struct kardia_grace grace = up_at(START);
	u64 stall_ns = 20 * MS;
	unsigned int stalls;

	for (stalls = 0; stalls < KARDIA_STALLS_MAX; stalls++) {
		u64 armed_ns = kardia_grace_deadline(&grace);

		assert_int_equal(kardia_grace_expire(&grace, armed_ns, MARGIN,
						     armed_ns + stall_ns),
				 KARDIA_VERDICT_NONE);
	}
	assert_int_equal(kardia_grace_deadline(&grace),
			 START + GRACE + KARDIA_STALLS_MAX * 2 * stall_ns);
	assert_int_equal(kardia_grace_expire(
				 &grace, kardia_grace_deadline(&grace), MARGIN,
				 kardia_grace_deadline(&grace) + stall_ns),
			 KARDIA_VERDICT_DOWN);
}

static void a_beat_forgives_the_stalls_before_it(void **state)
{
	struct kardia_grace grace = up_at(START);
	u64 now_ns = START + GRACE;
	unsigned int round;

	for (round = 0; round < 3 * KARDIA_STALLS_MAX; round++) {
		u64 armed_ns = kardia_grace_deadline(&grace);

		now_ns = armed_ns + 5 * GRACE;
		assert_int_equal(kardia_grace_expire(&grace, armed_ns, MARGIN,
						     now_ns),
				 KARDIA_VERDICT_NONE);
		kardia_grace_heard(&grace, 0, true, now_ns);
	}
	assert_int_equal(grace.state, KARDIA_PEER_UP);
}

static void lateness_at_the_margin_still_judges(void **state)
{
	struct kardia_grace grace = up_at(START);
	u64 deadline_ns = START + GRACE;

	assert_int_equal(kardia_grace_expire(&grace, deadline_ns, MARGIN,
					     deadline_ns + MARGIN),
			 KARDIA_VERDICT_DOWN);
	grace = up_at(START);
	assert_int_equal(kardia_grace_expire(&grace, deadline_ns, MARGIN,
					     deadline_ns + MARGIN + 1),
			 KARDIA_VERDICT_NONE);
}

static void a_beat_clears_the_allowance(void **state)
{
	struct kardia_grace grace = up_at(START);
	u64 now_ns = START + GRACE + 1000 * MS;

	kardia_grace_expire(&grace, START + GRACE, MARGIN, now_ns);
	kardia_grace_heard(&grace, 0, true, now_ns + MS);
	assert_int_equal(kardia_grace_deadline(&grace), now_ns + MS + GRACE);
}

static void a_clock_before_the_deadline_never_judges(void **state)
{
	struct kardia_grace grace = up_at(START);

	/* Another CPU's beat may carry a stamp after the timer's own. */
	kardia_grace_heard(&grace, 0, true, START + GRACE + MS);
	assert_int_equal(kardia_grace_expire(&grace, START + GRACE, MARGIN,
					     START + GRACE),
			 KARDIA_VERDICT_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_new_with_a_full_grace),
		cmocka_unit_test(never_heard_goes_down_at_the_deadline),
		cmocka_unit_test(only_a_mutual_beat_brings_up),
		cmocka_unit_test(any_beat_moves_the_deadline),
		cmocka_unit_test(one_silent_path_is_no_dead_peer),
		cmocka_unit_test(stamps_never_go_back),
		cmocka_unit_test(down_is_said_once),
		cmocka_unit_test(returns_with_a_mutual_beat),
		cmocka_unit_test(after_a_stall_it_listens_before_it_judges),
		cmocka_unit_test(a_short_stall_costs_no_more_than_itself),
		cmocka_unit_test(chronic_stalls_delay_no_verdict_for_ever),
		cmocka_unit_test(a_beat_forgives_the_stalls_before_it),
		cmocka_unit_test(lateness_at_the_margin_still_judges),
		cmocka_unit_test(a_beat_clears_the_allowance),
		cmocka_unit_test(a_clock_before_the_deadline_never_judges),
	};

	return cmocka_run_group_tests_name("grace", tests, NULL, NULL);
}
