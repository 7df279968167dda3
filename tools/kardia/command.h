/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects and verbs: one table that parsing and help are made from. */
#ifndef KARDIA_COMMAND_H
#define KARDIA_COMMAND_H

#include <stddef.h>

#include "cli.h"

/**
 * struct command - what can be asked
 * @object: first word
 * @verb: second word, NULL if the object has none; the first verb in the table
 *	is the one that may be left out
 * @argument: name of an argument that may follow, NULL for none
 * @summary: one line
 * @details: for "kardia help OBJECT"
 * @run: do it; returns the exit code
 */
struct command {
	const char *object;
	const char *verb;
	const char *argument;
	const char *summary;
	const char *details;
	int (*run)(const struct cli *cli);
};

extern const struct command commands[];
extern const size_t n_commands;

/*
 * The command that the first words name, any of which may be cut short while
 * that leaves one meaning. NULL if there is none; then it has been said.
 */
const struct command *command_find(const struct cli *cli);

/* The object that @word names, by the same rules: its first command. */
const struct command *command_object(const char *word);

/* One function per row of the table, each in the file of its object. */
int status_run(const struct cli *cli);
int peer_list_run(const struct cli *cli);
int map_show_run(const struct cli *cli);
int monitor_run(const struct cli *cli);
int help_run(const struct cli *cli);

#endif
