// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "kardia monitor": join the group, tell a snapshot, then each event. The
 * snapshot's objects name the newest event that they contain, so none is told
 * twice. After a loss the snapshot is told anew, at most once a second.
 */
#include "monitor.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "daemon/clock.h"
#include "kardiad.h"
#include "sequence.h"

#define SECOND_NS 1000000000ULL

/**
 * struct monitor - the state of the stream
 * @cli: options
 * @print: the form
 * @knl: for snapshots
 * @events: joined all the time
 * @seen: the last snapshot
 * @kardiad: for names
 * @sequence: what has been told
 * @told: a snapshot has been
 * @silent: output is gone: stop
 * @look_ns: when to look at the kernel again: once a second
 * @stop_ns: when to end
 */
struct monitor {
	const struct cli *cli;
	monitor_print_fn print;
	struct knl *knl;
	struct knl_events *events;
	struct seen seen;
	struct kardiad_view kardiad;
	struct sequence sequence;
	bool told;
	bool silent;
	uint64_t look_ns;
	uint64_t stop_ns;
};

static const char *const action_names[] = {
	[MONITOR_EXISTS] = "exists",
	[MONITOR_SYNCED] = "synced",
	[MONITOR_CHANGE] = "change",
	[MONITOR_LOST] = "lost",
};

const char *monitor_action_name(enum monitor_action action)
{
	return action_names[action];
}

static void tell(struct monitor *m, const struct monitor_line *line)
{
	if (!m->silent && !m->print(line, &m->seen, m->kardiad.map))
		m->silent = true;
}

static bool is_peer_event(const struct knl_event *event)
{
	return event->type == KARDIA_EVENT_PEER_DOWN ||
	       event->type == KARDIA_EVENT_PEER_UP ||
	       event->type == KARDIA_EVENT_PEER_GONE;
}

/* Whether the snapshot was taken after @event had changed its object. */
static bool is_in_snapshot(const struct monitor *m,
			   const struct knl_event *event)
{
	const struct seen_peer *peer = NULL;
	const struct seen_report *report = NULL;

	if (is_peer_event(event))
		HASH_FIND(hh, m->seen.peers, &event->peer.id,
			  sizeof(event->peer.id), peer);
	else if (event->type == KARDIA_EVENT_REPORT)
		HASH_FIND(hh, m->seen.reports, &event->report.reporter,
			  sizeof(event->report.reporter), report);
	return (peer && event->seq <= peer->peer.event_seq) ||
	       (report && event->seq <= report->report.event_seq);
}

static void take_event(void *arg, const struct knl_event *event)
{
	struct monitor *m = arg;
	struct monitor_line line = {
		.action = MONITOR_CHANGE,
		.seq = event->seq,
		.time_ns = event->time_ns,
		.type = event->type,
	};

	if (!sequence_take(&m->sequence, event->seq) ||
	    is_in_snapshot(m, event))
		return;
	if (is_peer_event(event))
		line.peer = &event->peer;
	else if (event->type == KARDIA_EVENT_REPORT)
		line.report = &event->report;
	else if (event->type == KARDIA_EVENT_MAP_APPLIED)
		line.map_epoch = event->map_epoch;
	m->seen.now_ns = event->time_ns;
	tell(m, &line);
}

static int drain(struct monitor *m)
{
	int err = knl_events_read(m->events, take_event, m);

	if (err == -ENOBUFS) {
		m->sequence.broken = true;
		return 0;
	}
	return err;
}

static void tell_lost(struct monitor *m, uint64_t newest)
{
	struct monitor_line line = {
		.action = MONITOR_LOST,
		.time_ns = m->seen.now_ns,
	};

	if (m->sequence.known && newest > m->sequence.last) {
		line.lost_first = m->sequence.last + 1;
		line.lost_last = newest;
	}
	tell(m, &line);
}

static void tell_snapshot(struct monitor *m)
{
	const struct seen *seen = &m->seen;
	struct monitor_line line = {
		.action = MONITOR_EXISTS,
		.time_ns = seen->now_ns,
	};
	const struct seen_peer *peer;
	const struct seen_report *report;

	for (peer = seen->peers; peer; peer = peer->hh.next) {
		line.peer = &peer->peer;
		line.seq = peer->peer.event_seq;
		tell(m, &line);
	}
	line.peer = NULL;
	for (report = seen->reports; report; report = report->hh.next) {
		line.report = &report->report;
		line.seq = report->report.event_seq;
		tell(m, &line);
	}
	line.report = NULL;
	line.action = MONITOR_SYNCED;
	line.seq = m->sequence.last;
	line.map_epoch = seen->node.map_epoch;
	tell(m, &line);
}

static void read_names(struct monitor *m)
{
	kardiad_view_free(&m->kardiad);
	kardiad_view_read(&m->kardiad, m->cli, KARDIAD_MAP);
	if (m->kardiad.trouble.exit != EXIT_DONE && !m->told)
		say("no names: %s", m->kardiad.trouble.text);
}

static int snapshot(struct monitor *m)
{
	int err;

	seen_free(&m->seen);
	memset(&m->seen, 0, sizeof(m->seen));
	err = seen_read_from(&m->seen, m->knl);
	if (err)
		return err;
	if (m->told)
		tell_lost(m, m->seen.node.event_seq);
	sequence_restart(&m->sequence, m->seen.running, m->seen.node.event_seq);
	tell_snapshot(m);
	m->told = true;
	return 0;
}

/* Once a second: is the module still there, and did the last event arrive? */
static int look(struct monitor *m)
{
	struct knl_node node;
	int err = knl_node_get(m->knl, &node);

	if (err == -ENODEV)
		return 0;
	if (err)
		return err;
	m->seen.wall_offset_us = clock_wall_us() - node.time_ns / 1000;
	err = drain(m);
	sequence_audit(&m->sequence, node.event_seq);
	return err;
}

static int look_if_due(struct monitor *m)
{
	int err;

	if (clock_mono_ns() < m->look_ns)
		return 0;
	err = look(m);
	if (!err && m->sequence.broken) {
		read_names(m);
		err = snapshot(m);
	}
	m->look_ns = clock_mono_ns() + SECOND_NS;
	return err;
}

static int ms_until(uint64_t ns)
{
	uint64_t now = clock_mono_ns();

	return ns <= now ? 0 : (ns - now) / 1000000 + 1;
}

/* Until events come or a look is due; notes a reader that went away. */
static int wait_for_news(struct monitor *m)
{
	struct pollfd fds[] = {
		{ .fd = knl_events_fd(m->events), .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};
	uint64_t until = m->look_ns;

	if (m->stop_ns && m->stop_ns < until)
		until = m->stop_ns;
	if (poll(fds, 2, ms_until(until)) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[1].revents)
		m->silent = true;
	return drain(m);
}

static int stream(struct monitor *m)
{
	int err;

	read_names(m);
	err = snapshot(m);
	m->look_ns = clock_mono_ns() + SECOND_NS;
	while (!err && !m->silent &&
	       (!m->stop_ns || clock_mono_ns() < m->stop_ns)) {
		err = wait_for_news(m);
		if (!err)
			err = look_if_due(m);
	}
	return err;
}

int monitor_run(const struct cli *cli)
{
	struct monitor m = {
		.cli = cli,
		.print = cli->json ? monitor_print_json : monitor_print_text,
	};
	struct trouble trouble = { 0 };
	const char *detail = NULL;
	int err;

	if (cli->duration_us)
		m.stop_ns = clock_mono_ns() + cli->duration_us * 1000;
	err = knl_events_open(&m.events);
	if (!err)
		err = knl_open(&m.knl);
	if (!err) {
		err = stream(&m);
		detail = knl_error(m.knl);
	}
	if (err) {
		seen_trouble(&trouble, err,
			     detail && *detail ? detail : strerror(-err));
		say("%s", trouble.text);
	}
	knl_close(m.knl);
	knl_events_close(m.events);
	seen_free(&m.seen);
	kardiad_view_free(&m.kardiad);
	return trouble.exit;
}
