// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kardia: the command line. Reads it, finds the command and runs it; what
 * there is to say about an object is in that object's file.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>

#include "command.h"
#include "lib/version.h"
#include "options.h"
#include "output.h"

static int run(const struct cli *cli)
{
	const struct command *command;

	if (cli->version) {
		printf("kardia %s\n", KARDIA_VERSION);
		return EXIT_DONE;
	}
	if (cli->help)
		return help_run(cli);
	command = command_find(cli);
	if (!command || !options_fit(cli, command))
		return EXIT_USAGE;
	return command->run(cli);
}

int main(int argc, char **argv)
{
	struct cli cli;

	setlocale(LC_CTYPE, "");
	/* A reader that went away ends us quietly, whoever started us. */
	signal(SIGPIPE, SIG_DFL);
	if (options_parse(&cli, argc, argv) != EXIT_DONE)
		return EXIT_USAGE;
	return output_finish(run(&cli));
}
