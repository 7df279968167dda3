/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options: one table that parsing and help are made from. */
#ifndef KARDIA_OPTIONS_H
#define KARDIA_OPTIONS_H

#include <stddef.h>

#include "cli.h"
#include "command.h"

/**
 * struct option_spec - an option
 * @name: long form, without the dashes
 * @letter: short form, 0 for none
 * @argument: name of its argument, NULL for none
 * @summary: one line
 * @object: the only object that knows it, NULL: all do
 * @flag: without an argument: which bool of struct cli it sets
 * @take: with an argument: take it; false if @text cannot be, and that has
 *	been said
 */
struct option_spec {
	const char *name;
	char letter;
	const char *argument;
	const char *summary;
	const char *object;
	size_t flag;
	bool (*take)(struct cli *cli, const char *text);
};

extern const struct option_spec option_specs[];
extern const size_t n_option_specs;

/* Read the command line: EXIT_DONE, or EXIT_USAGE and said why. */
int options_parse(struct cli *cli, int argc, char **argv);

/* Whether each option given goes with @command; else false and said. */
bool options_fit(const struct cli *cli, const struct command *command);

#endif
