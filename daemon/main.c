// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the command line and the order of start and stop. Everything is checked
 * before anything is begun; priority comes before the kernel's events; an
 * arbiter has taken over before it hears evidence.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <curl/curl.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "daemon/agent/agent.h"
#include "daemon/arbiter/arbiter.h"
#include "daemon/config.h"
#include "daemon/file.h"
#include "daemon/http/server.h"
#include "daemon/kernel.h"
#include "daemon/log.h"
#include "daemon/realtime.h"
#include "daemon/status.h"
#include "lib/version.h"

#define EXIT_USAGE 2
#define DEFAULT_CONFIG "/etc/kardia/kardia.conf"

/* Besides one per node, for command lines and relays. */
#define SPARE_CONNECTIONS 256

/* Shorter than agents wait for an answer. */
#define HOLD_MS 30000

struct options {
	const char *config;
	const char *node;
	bool check;
};

struct daemon {
	struct config config;
	sd_event *event;
	struct status *status;
	struct board *node_map;
	struct board *arbiter_map;
	struct kernel *kernel;
	struct agent *agent;
	struct store *store;
	struct arbiter *arbiter;
	struct server *server;
};

static const char usage[] =
	"usage: kardiad [-c FILE] [--node NAME] [--check]\n"
	"\n"
	"  -c, --config FILE  configuration (" DEFAULT_CONFIG ")\n"
	"      --node NAME    which of its nodes this is, instead of what the\n"
	"                     file or else the host name tells\n"
	"      --check        check the configuration and exit: 0 good, 2 bad\n"
	"  -V, --version      print the version and exit\n"
	"  -h, --help         print this and exit\n";

static void parse_options(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "node", required_argument, NULL, 'n' },
		{ "check", no_argument, NULL, 'k' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "c:Vh", longs, NULL)) != -1) {
		switch (c) {
		case 'c':
			options->config = optarg;
			break;
		case 'n':
			options->node = optarg;
			break;
		case 'k':
			options->check = true;
			break;
		case 'V':
			puts("kardiad " KARDIA_VERSION);
			exit(EXIT_SUCCESS);
		case 'h':
			fputs(usage, stdout);
			exit(EXIT_SUCCESS);
		default:
			fputs(usage, stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "kardiad: unexpected argument '%s'\n%s",
			argv[optind], usage);
		exit(EXIT_USAGE);
	}
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *si,
		     void *arg)
{
	(void)arg;
	log_notice("stopping on signal %u; the kernel goes on beating",
		   si->ssi_signo);
	return sd_event_exit(sd_event_source_get_event(source), 0);
}

/* Blocked before the first thread is made, so that none gets them. */
static int set_up_loop(struct daemon *d, struct why *why)
{
	sigset_t signals;
	int ret;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);

	ret = sd_event_default(&d->event);
	if (ret >= 0)
		ret = sd_event_add_signal(d->event, NULL, SIGTERM, on_signal,
					  NULL);
	if (ret >= 0)
		ret = sd_event_add_signal(d->event, NULL, SIGINT, on_signal,
					  NULL);
	if (ret >= 0)
		ret = sd_event_set_watchdog(d->event, true);
	if (ret < 0)
		return why_set(why, ret, "event loop: %s", strerror(-ret));
	return 0;
}

static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int start_arbiter(struct daemon *d, struct why *why)
{
	struct arbiter_params params = {
		.config = &d->config,
		.event = d->event,
		.kernel = d->kernel,
		.board = d->arbiter_map,
		.status = d->status,
	};
	int ret = file_make_parent(d->config.store, why);

	if (!ret)
		ret = store_sqlite_open(&d->store, d->config.store, why);
	params.store = d->store;
	return ret ? ret : arbiter_new(&d->arbiter, &params, why);
}

static int start_agent(struct daemon *d, struct why *why)
{
	struct agent_params params = {
		.config = &d->config,
		.event = d->event,
		.kernel = d->kernel,
		.board = d->node_map,
		.status = d->status,
	};

	return agent_new(&d->agent, &params, why);
}

static int start_server(struct daemon *d, struct why *why)
{
	const struct config *config = &d->config;
	struct server_params params = {
		.status = d->status,
		.node_map = d->node_map,
		.arbiter_map = d->arbiter_map,
		.socket = config->socket,
		.port = config->listen_port,
		.connections = config->n_nodes + SPARE_CONNECTIONS,
		.hold_ms = HOLD_MS,
	};

	if (config->self->arbiter) {
		params.addresses[0] = config->self->front;
		params.addresses[1] = config->self->back;
	}
	if (config->tls) {
		params.tls_ca = config->tls_ca;
		params.tls_certificate = config->tls_certificate;
		params.tls_key = config->tls_key;
	}
	return server_start(&d->server, &params, why);
}

/*
 * The sockets first: where another kardiad has them, nothing has happened yet.
 * The agent hears of the kernel before the arbiter does: first it is set up,
 * then it is listened to.
 */
static int start(struct daemon *d, struct why *why)
{
	int ret = set_up_loop(d, why);

	if (!ret && d->config.realtime)
		ret = realtime_enter(d->config.priority, why);
	if (ret)
		return ret;
	allow_descriptors();
	curl_global_init(CURL_GLOBAL_DEFAULT);
	d->status = status_new(&d->config);
	d->node_map = board_new();
	d->arbiter_map = board_new();
	d->kernel = kernel_new(d->event);
	ret = start_server(d, why);
	if (!ret)
		ret = start_agent(d, why);
	if (!ret && d->config.self->arbiter)
		ret = start_arbiter(d, why);
	if (!ret)
		ret = kernel_start(d->kernel, why);
	if (!ret)
		agent_start(d->agent);
	return ret;
}

static void stop(struct daemon *d)
{
	server_stop(d->server);
	arbiter_free(d->arbiter);
	agent_free(d->agent);
	kernel_free(d->kernel);
	store_close(d->store);
	board_free(d->arbiter_map);
	board_free(d->node_map);
	status_free(d->status);
	sd_event_unref(d->event);
	curl_global_cleanup();
}

static int run(struct daemon *d)
{
	struct why why;
	int ret = start(d, &why);

	if (!ret) {
		log_notice("kardiad " KARDIA_VERSION
			   " runs as node %s of cluster %s%s",
			   d->config.self->name, d->config.cluster,
			   d->config.self->arbiter ? ", its arbiter" : "");
		sd_notify(0, "READY=1");
		ret = sd_event_loop(d->event);
		sd_notify(0, "STOPPING=1");
		if (ret)
			why_set(&why, ret, "event loop: %s", strerror(-ret));
	}
	if (ret)
		log_err("%s", why.text);
	stop(d);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct options options = { .config = DEFAULT_CONFIG };
	static struct daemon daemon;
	struct why why;
	int ret = EXIT_SUCCESS;

	parse_options(argc, argv, &options);
	if (config_load(&daemon.config, options.config, options.node, &why)) {
		fprintf(stderr, "%s\n", why.text);
		ret = EXIT_USAGE;
	} else if (!options.check) {
		ret = run(&daemon);
	}
	config_free(&daemon.config);
	return ret;
}
