// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line, by getopt_long and the table of options. Options may
 * stand anywhere among the words.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "lib/duration.h"
#include "nearest.h"
#include "say.h"

#define DEFAULT_SOCKET "/run/kardia/kardiad.sock"
#define DEFAULT_TIMEOUT_US (5 * 1000 * 1000)
#define DURATION_US_MAX (24ULL * 3600 * 1000 * 1000)
#define DURATION_US_MIN 1000 /* what timers of libraries resolve */

static bool take_socket(struct cli *cli, const char *text)
{
	const size_t max = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;

	if (!*text || strlen(text) > max) {
		say("--socket: a path of 1 to %zu characters is needed", max);
		return false;
	}
	cli->socket = text;
	return true;
}

static bool take_duration(const char *name, const char *text, uint64_t *us)
{
	int err = duration_parse(text, us);

	if (err == -EDOM)
		say("--%s=%s has no unit; did you mean %ss?", name, text, text);
	else if (err == -EINVAL)
		say("--%s=%s is no duration; write 250ms, 3s, 1.5min", name,
		    text);
	else if (err || *us < DURATION_US_MIN || *us > DURATION_US_MAX)
		say("--%s=%s is out of range, 1ms to 24h", name, text);
	else
		return true;
	return false;
}

static bool take_timeout(struct cli *cli, const char *text)
{
	return take_duration("timeout", text, &cli->timeout_us);
}

static bool take_monitor_duration(struct cli *cli, const char *text)
{
	return take_duration("duration", text, &cli->duration_us);
}

const struct option_spec option_specs[] = {
	{
		.name = "json",
		.letter = 'j',
		.summary = "print JSON",
		.flag = offsetof(struct cli, json),
	},
	{
		.name = "socket",
		.argument = "PATH",
		.summary = "kardiad's socket, " DEFAULT_SOCKET,
		.take = take_socket,
	},
	{
		.name = "timeout",
		.argument = "DUR",
		.summary = "longest wait for kardiad, 5s by default",
		.take = take_timeout,
	},
	{
		.name = "no-header",
		.summary = "print tables without their first line",
		.flag = offsetof(struct cli, no_header),
	},
	{
		.name = "duration",
		.argument = "DUR",
		.summary = "stop after so long",
		.object = "monitor",
		.take = take_monitor_duration,
	},
	{
		.name = "help",
		.letter = 'h',
		.summary = "print help, of the object if one is given",
		.flag = offsetof(struct cli, help),
	},
	{
		.name = "version",
		.letter = 'V',
		.summary = "print the version",
		.flag = offsetof(struct cli, version),
	},
};

#define N_SPECS (sizeof(option_specs) / sizeof(option_specs[0]))
#define LONG_BASE 256 /* above all letters */

const size_t n_option_specs = N_SPECS;

struct getopt_tables {
	struct option longs[N_SPECS + 1];
	char shorts[2 + 2 * N_SPECS + 1];
};

static void fill_tables(struct getopt_tables *t)
{
	/* Words in their place; ours to complain, and of what. */
	char *p = stpcpy(t->shorts, "-:");

	for (size_t i = 0; i < N_SPECS; i++) {
		const struct option_spec *spec = &option_specs[i];

		t->longs[i] = (struct option){
			.name = spec->name,
			.has_arg = spec->argument ? required_argument :
						    no_argument,
			.val = LONG_BASE + i,
		};
		if (spec->letter)
			*p++ = spec->letter;
		if (spec->letter && spec->argument)
			*p++ = ':';
	}
	*p = '\0';
}

static const struct option_spec *spec_of(int val)
{
	if (val >= LONG_BASE)
		return &option_specs[val - LONG_BASE];
	for (size_t i = 0; i < N_SPECS; i++)
		if (option_specs[i].letter == val)
			return &option_specs[i];
	return NULL;
}

static bool take_word(struct cli *cli, const char *word)
{
	if (cli->n_words == CLI_WORDS_MAX) {
		say("too many arguments at '%s'", word);
		return false;
	}
	cli->words[cli->n_words++] = word;
	return true;
}

static bool refuse_unknown(const char *given)
{
	const char *names[N_SPECS];
	char word[32];
	const char *guess;

	for (size_t i = 0; i < N_SPECS; i++)
		names[i] = option_specs[i].name;
	snprintf(word, sizeof(word), "%s", given + strspn(given, "-"));
	word[strcspn(word, "=")] = '\0';
	guess = strlen(word) > 1 ? nearest(word, names, N_SPECS) : NULL;
	if (guess)
		say("unknown or ambiguous option '%s'; did you mean '--%s'?",
		    given, guess);
	else
		say("unknown option '%s'; see 'kardia help'", given);
	return false;
}

/* What getopt_long() could not take; @given is the argument it stopped at. */
static bool refuse(int problem, const char *given)
{
	if (problem == ':') {
		say("option '%s' needs an argument", given);
		return false;
	}
	if (optopt >= LONG_BASE) {
		say("option '--%s' takes no argument", spec_of(optopt)->name);
		return false;
	}
	return refuse_unknown(given);
}

static bool take_option(struct cli *cli, const struct option_spec *spec)
{
	cli->options |= 1U << (spec - option_specs);
	if (spec->argument)
		return spec->take(cli, optarg);
	*(bool *)((char *)cli + spec->flag) = true;
	return true;
}

int options_parse(struct cli *cli, int argc, char **argv)
{
	struct getopt_tables t = { 0 };
	bool good = true;
	int val, at = 1;

	*cli = (struct cli){ .socket = DEFAULT_SOCKET,
			     .timeout_us = DEFAULT_TIMEOUT_US };
	fill_tables(&t);
	for (; good; at = optind) {
		val = getopt_long(argc, argv, t.shorts, t.longs, NULL);
		if (val < 0)
			break;
		if (val == 1)
			good = take_word(cli, optarg);
		else if (val == '?' || val == ':')
			good = refuse(val, argv[at]);
		else
			good = take_option(cli, spec_of(val));
	}
	for (; good && optind < argc; optind++)
		good = take_word(cli, argv[optind]);
	return good ? EXIT_DONE : EXIT_USAGE;
}

bool options_fit(const struct cli *cli, const struct command *command)
{
	for (size_t i = 0; i < N_SPECS; i++) {
		const char *object = option_specs[i].object;

		if (!(cli->options & 1U << i) || !object ||
		    !strcmp(object, command->object))
			continue;
		say("option '--%s' is only for '%s'", option_specs[i].name,
		    object);
		return false;
	}
	return true;
}
