/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One invocation: what the command line said, and how the program may end.
 */
#ifndef KARDIA_CLI_H
#define KARDIA_CLI_H

#include <stdbool.h>
#include <stdint.h>

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_SUCH_OBJECT = 3,
	EXIT_NOT_PERMITTED = 4,
	EXIT_UNREACHABLE = 5, /* module or daemon */
	EXIT_TIMED_OUT = 6,
};

#define CLI_WORDS_MAX 8

struct cli {
	bool help;
	bool version;
	bool json;
	bool no_header;
	const char *socket;
	uint64_t timeout_us;
	uint64_t duration_us; /* monitor: 0 for ever */

	unsigned int options; /* those given: a bit per row of the table */
	unsigned int n_words; /* object, verb, arguments */
	const char *words[CLI_WORDS_MAX];
};

#endif
