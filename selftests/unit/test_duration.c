// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Durations: what is accepted, with which value, and why the rest is not.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/duration.h"

#define UNTOUCHED 4711

static void check(const char *text, int result, uint64_t us)
{
	uint64_t got = UNTOUCHED;

	assert_int_equal(duration_parse(text, &got), result);
	assert_int_equal(got, result ? UNTOUCHED : us);
}

static void parses_every_unit(void **state)
{
	(void)state;
	check("0us", 0, 0);
	check("7us", 0, 7);
	check("50ms", 0, 50000);
	check("5s", 0, 5000000);
	check("2min", 0, 120000000);
	check("3h", 0, 10800000000);
	check("3 s", 0, 3000000);
}

static void parses_decimals_exactly(void **state)
{
	(void)state;
	check("0.1s", 0, 100000);
	check("1.5ms", 0, 1500);
	check("1.0015s", 0, 1001500);
	check("0.5h", 0, 1800000000);
	check("1.9us", 0, 1);
	check("0.00000000000000000009h", 0, 0);
}

static void tells_a_missing_unit_apart(void **state)
{
	(void)state;
	check("5", -EDOM, 0);
	check("1.5", -EDOM, 0);
	check("5 ", -EDOM, 0);
}

static void refuses_what_is_no_duration(void **state)
{
	static const char *const bad[] = { "",	   " ",	   "s",	   "-1s",
					   "+1s",  " 1s",  "1s ",  "1 s s",
					   ".5s",  "5.s",  "1,5s", "0x5s",
					   "1e3s", "1m",   "1S",   "1sec",
					   "ms5",  "nans", "1..5s" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(bad[i], -EINVAL, 0);
}

static void refuses_what_does_not_fit(void **state)
{
	(void)state;
	check("18446744073709551615us", 0, UINT64_MAX);
	check("18446744073709551616us", -ERANGE, 0);
	check("18446744073709551.616ms", -ERANGE, 0);
	check("5124095577h", -ERANGE, 0);
	check("99999999999999999999999s", -ERANGE, 0);
}

static void formats_for_people(void **state)
{
	char buf[DURATION_MAX];

	(void)state;
	assert_string_equal(duration_format(buf, sizeof(buf), 0), "0us");
	assert_string_equal(duration_format(buf, sizeof(buf), 812), "812us");
	assert_string_equal(duration_format(buf, sizeof(buf), 1049), "1.04ms");
	assert_string_equal(duration_format(buf, sizeof(buf), 50000), "50ms");
	assert_string_equal(duration_format(buf, sizeof(buf), 12345), "12.3ms");
	assert_string_equal(duration_format(buf, sizeof(buf), 2500000), "2.5s");
	assert_string_equal(duration_format(buf, sizeof(buf), 5400000000),
			    "1.5h");
	assert_string_equal(duration_format(buf, sizeof(buf), UINT64_MAX),
			    "5124095576h");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_every_unit),
		cmocka_unit_test(parses_decimals_exactly),
		cmocka_unit_test(tells_a_missing_unit_apart),
		cmocka_unit_test(refuses_what_is_no_duration),
		cmocka_unit_test(refuses_what_does_not_fit),
		cmocka_unit_test(formats_for_people),
	};

	return cmocka_run_group_tests_name("duration", tests, NULL, NULL);
}
