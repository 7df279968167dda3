// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads kardia.ko once: node, peers, reports, and the clock to tell their age.
 */
#include "seen.h"

#include <errno.h>
#include <string.h>

#include "daemon/clock.h"
#include "daemon/mem.h"

static const char *const path_names[KARDIA_PATHS_MAX] = { "front", "back" };

const char *seen_path_name(unsigned int path)
{
	return path_names[path];
}

void seen_trouble(struct trouble *trouble, int err, const char *detail)
{
	switch (-err) {
	case ENOENT:
	case EPROTONOSUPPORT:
		trouble_set(trouble, EXIT_UNREACHABLE, "module-not-loaded",
			    "kardia.ko is not loaded");
		break;
	case ESHUTDOWN:
		trouble_set(trouble, EXIT_UNREACHABLE, "module-unloading",
			    "kardia.ko is being unloaded");
		break;
	case EPERM:
	case EACCES:
		trouble_set(trouble, EXIT_NOT_PERMITTED, "not-permitted",
			    "kardia.ko refuses: %s", detail);
		break;
	case ETIMEDOUT:
		trouble_set(trouble, EXIT_TIMED_OUT, "module-timeout",
			    "kardia.ko did not answer");
		break;
	case EBADMSG:
		trouble_set(trouble, EXIT_FAILED, "module-bad-answer",
			    "kardia.ko answers in a form unknown to this "
			    "program; are they of one version?");
		break;
	default:
		trouble_set(trouble, EXIT_FAILED, "module-error",
			    "kardia.ko: %s", detail);
	}
}

/* Newer readings of an object replace older ones. */
static void keep_peer(void *arg, const struct knl_peer *peer)
{
	struct seen *seen = arg;
	struct seen_peer *entry;

	HASH_FIND(hh, seen->peers, &peer->id, sizeof(peer->id), entry);
	if (!entry) {
		entry = mem_zalloc(1, sizeof(*entry));
		entry->id = peer->id;
		HASH_ADD(hh, seen->peers, id, sizeof(entry->id), entry);
	}
	entry->peer = *peer;
}

static void keep_report(void *arg, const struct knl_report *report)
{
	struct seen *seen = arg;
	struct seen_report *entry;
	uint32_t id = report->reporter;

	HASH_FIND(hh, seen->reports, &id, sizeof(id), entry);
	if (!entry) {
		entry = mem_zalloc(1, sizeof(*entry));
		entry->reporter = id;
		HASH_ADD(hh, seen->reports, reporter, sizeof(id), entry);
	}
	entry->report = *report;
}

static int by_id(const struct seen_peer *a, const struct seen_peer *b)
{
	return a->id < b->id ? -1 : a->id > b->id;
}

static int by_reporter(const struct seen_report *a, const struct seen_report *b)
{
	return a->reporter < b->reporter ? -1 : a->reporter > b->reporter;
}

/*
 * The node comes first: its clock makes no beat older than it is, and its
 * newest event is contained in all that follows. The clock is the answering
 * kernel's, for ours may be offset from it by a time namespace.
 */
int seen_read_from(struct seen *seen, struct knl *knl)
{
	int err = knl_node_get(knl, &seen->node);

	seen->now_ns = err ? clock_mono_ns() : seen->node.time_ns;
	seen->wall_offset_us = clock_wall_us() - seen->now_ns / 1000;
	if (err == -ENODEV)
		return 0;
	if (!err)
		err = knl_peer_dump(knl, keep_peer, seen);
	if (!err)
		err = knl_report_dump(knl, keep_report, seen);
	if (err)
		return err;
	seen->running = true;
	HASH_SORT(seen->peers, by_id);
	HASH_SORT(seen->reports, by_reporter);
	return 0;
}

void seen_read(struct seen *seen)
{
	struct knl *knl;
	int err;

	memset(seen, 0, sizeof(*seen));
	err = knl_open(&knl);
	if (err) {
		seen_trouble(&seen->trouble, err, strerror(-err));
		return;
	}
	err = seen_read_from(seen, knl);
	if (err) {
		seen_free(seen);
		seen_trouble(&seen->trouble, err, knl_error(knl));
	}
	knl_close(knl);
}

void seen_free(struct seen *seen)
{
	struct seen_peer *peer, *next_peer;
	struct seen_report *report, *next_report;

	HASH_ITER(hh, seen->peers, peer, next_peer) {
		HASH_DEL(seen->peers, peer);
		free(peer);
	}
	HASH_ITER(hh, seen->reports, report, next_report) {
		HASH_DEL(seen->reports, report);
		free(report);
	}
}

uint64_t seen_wall_us(const struct seen *seen, uint64_t ns)
{
	return ns ? ns / 1000 + seen->wall_offset_us : 0;
}

uint64_t seen_age_ns(const struct seen *seen, uint64_t ns)
{
	return ns && ns < seen->now_ns ? seen->now_ns - ns : 0;
}

bool seen_path_alive(const struct seen *seen, const struct knl_peer *peer,
		     unsigned int path)
{
	const struct knl_path *p = &peer->path[path];

	return p->present && p->heard_ns &&
	       seen_age_ns(seen, p->heard_ns) <= peer->grace_us * 1000ULL;
}
