// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Help, made from the tables of commands and options.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "options.h"

#define LEFT_COLUMN 20

static void print_row(const char *left, const char *right)
{
	printf("  %-*s %s\n", LEFT_COLUMN, left, right);
}

static void print_command(const struct command *command)
{
	char left[LEFT_COLUMN + 1];

	snprintf(left, sizeof(left), "%s%s%s%s%s%s", command->object,
		 command->verb ? " " : "", command->verb ? command->verb : "",
		 command->argument ? " [" : "",
		 command->argument ? command->argument : "",
		 command->argument ? "]" : "");
	print_row(left, command->summary);
}

static void print_option(const struct option_spec *spec)
{
	char left[LEFT_COLUMN + 1];

	snprintf(left, sizeof(left), "%c%c%c --%s%s%s",
		 spec->letter ? '-' : ' ', spec->letter ? spec->letter : ' ',
		 spec->letter ? ',' : ' ', spec->name,
		 spec->argument ? "=" : "",
		 spec->argument ? spec->argument : "");
	print_row(left, spec->summary);
}

/* The options that every object takes, or else those of @object alone. */
static void print_options(const char *title, const char *object)
{
	for (size_t i = 0; i < n_option_specs; i++) {
		const struct option_spec *spec = &option_specs[i];

		if (!spec->object != !object ||
		    (object && strcmp(object, spec->object)))
			continue;
		if (title)
			printf("\n%s:\n", title);
		title = NULL;
		print_option(spec);
	}
}

static void print_all(void)
{
	printf("Usage: kardia [OPTION...] [OBJECT [VERB]]\n\nObjects:\n");
	for (size_t i = 0; i < n_commands; i++)
		print_command(&commands[i]);
	print_options("Options", NULL);
	printf("\nObjects and verbs may be cut short while they stay unique.\n"
	       "Durations carry a unit: us, ms, s, min, h.\n"
	       "\nExit status: 0 done, 1 failed, 2 usage, 3 no such object,\n"
	       "4 not permitted, 5 module or daemon not reachable,\n"
	       "6 timed out.\n");
}

static void print_object(const struct command *first)
{
	printf("Usage: kardia [OPTION...] %s", first->object);
	printf("%s\n\n", first->verb ? " [VERB]" : "");
	for (size_t i = 0; i < n_commands; i++)
		if (!strcmp(commands[i].object, first->object))
			print_command(&commands[i]);
	if (first->details)
		printf("\n%s", first->details);
	print_options("Options of its own", first->object);
	print_options("Options", NULL);
}

int help_run(const struct cli *cli)
{
	const struct command *topic = NULL;
	const char *word = NULL;

	if (cli->help && cli->n_words)
		word = cli->words[0];
	else if (cli->n_words > 1)
		word = cli->words[1];
	if (word) {
		topic = command_object(word);
		if (!topic)
			return EXIT_USAGE;
		print_object(topic);
	} else {
		print_all();
	}
	return EXIT_DONE;
}
