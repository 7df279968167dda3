// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of commands and the search in it. What the commands do is in the
 * file of each object.
 */
#include "command.h"

#include <stdbool.h>
#include <string.h>

#include "nearest.h"
#include "say.h"

const struct command commands[] = {
	{
		.object = "status",
		.summary = "the cluster on one screen (the default)",
		.details =
			"VERDICT is what the arbiter decided, from the local\n"
			"kardiad; SEEN is what this node's kernel sees, from\n"
			"kardia.ko. Either is shown without the other; then\n"
			"the exit status is 5.\n",
		.run = status_run,
	},
	{
		.object = "peer",
		.verb = "list",
		.summary = "every peer and path that this kernel watches",
		.details =
			"HEARD is the age of the newest beat on the path, RTT\n"
			"the newest round trip, LOST counts beats that never\n"
			"arrived. GRACE is the one in force: the larger of\n"
			"both ends'.\n",
		.run = peer_list_run,
	},
	{
		.object = "map",
		.verb = "show",
		.summary = "the cluster map, and who decided what last",
		.details = "The map is asked from the local kardiad. The last\n"
			   "decision names the reporters that it stands on.\n",
		.run = map_show_run,
	},
	{
		.object = "monitor",
		.summary = "what this kernel sees, as it happens",
		.details =
			"First a line \"exists\" for every peer and report,\n"
			"then \"synced\", then each change. LOST tells that\n"
			"events were lost; everything follows anew. With\n"
			"--json, one object a line.\n",
		.run = monitor_run,
	},
	{
		.object = "help",
		.argument = "OBJECT",
		.summary = "this text, or more about an object",
		.run = help_run,
	},
};

const size_t n_commands = sizeof(commands) / sizeof(commands[0]);

#define CANDIDATES_MAX (sizeof(commands) / sizeof(commands[0]))

/* The words that may stand in one place, each once. */
struct candidates {
	size_t n;
	const char *names[CANDIDATES_MAX];
};

static void add_once(struct candidates *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->names[i], name))
			return;
	c->names[c->n++] = name;
}

static void say_unknown(const char *what, const char *word,
			const struct candidates *c)
{
	const char *guess = nearest(word, c->names, c->n);

	if (guess)
		say("unknown %s '%s'; did you mean '%s'?", what, word, guess);
	else
		say("unknown %s '%s'; see 'kardia help'", what, word);
}

/* The one candidate that @word abbreviates; NULL and said otherwise. */
static const char *expand(const char *what, const char *word,
			  const struct candidates *c)
{
	const char *found = NULL;

	for (size_t i = 0; i < c->n; i++) {
		if (!strcmp(word, c->names[i]))
			return c->names[i];
		if (!*word || strncmp(word, c->names[i], strlen(word)))
			continue;
		if (found) {
			say("'%s' may be '%s' or '%s'", word, found,
			    c->names[i]);
			return NULL;
		}
		found = c->names[i];
	}
	if (!found)
		say_unknown(what, word, c);
	return found;
}

const struct command *command_object(const char *word)
{
	struct candidates c = { 0 };
	const char *object;

	for (size_t i = 0; i < n_commands; i++)
		add_once(&c, commands[i].object);
	object = expand("object", word, &c);
	for (size_t i = 0; object && i < n_commands; i++)
		if (!strcmp(commands[i].object, object))
			return &commands[i];
	return NULL;
}

static const struct command *find_verb(const char *object, const char *word)
{
	struct candidates c = { 0 };
	const char *verb;

	for (size_t i = 0; i < n_commands; i++)
		if (!strcmp(commands[i].object, object))
			add_once(&c, commands[i].verb);
	verb = expand("verb", word, &c);
	for (size_t i = 0; verb && i < n_commands; i++)
		if (!strcmp(commands[i].object, object) &&
		    !strcmp(commands[i].verb, verb))
			return &commands[i];
	return NULL;
}

const struct command *command_find(const struct cli *cli)
{
	const struct command *command;
	unsigned int used = 1;

	if (!cli->n_words)
		return &commands[0];
	command = command_object(cli->words[0]);
	if (command && command->verb && cli->n_words > used)
		command = find_verb(command->object, cli->words[used++]);
	if (command && command->argument && cli->n_words > used)
		used++;
	if (command && cli->n_words > used) {
		say("unexpected argument '%s'", cli->words[used]);
		return NULL;
	}
	return command;
}
