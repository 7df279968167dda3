// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frame codec. All fields are big-endian at fixed offsets; sizes follow from
 * the type and one bounded count, never from a length that the wire claims.
 * Knows nothing of peers, sequence windows or time.
 */
#include "frame.h"

struct wire_header {
	__be16 magic;
	u8 version;
	u8 type;
	u8 path;
	u8 reserved;
	__be16 bytes;
	__be32 cluster;
	__be32 source;
	__be32 destination;
	__be32 reserved2;
	__be64 source_incarnation;
	__be64 destination_incarnation;
	__be64 sequence;
	__be64 sent_ns;
};

struct wire_beat {
	__be64 echo_sequence;
	__be64 echo_sent_ns;
	__be64 echo_held_ns;
	__be64 map_epoch;
	__be32 interval_us;
	__be32 grace_us;
	__be32 own_lateness_us;
	__be32 reserved;
};

struct wire_report {
	__be64 set_sequence;
	__be32 valid_us;
	__be32 watched;
	__be32 silent;
	__be16 count;
	__be16 reserved;
};

struct wire_suspicion {
	__be32 node;
	u8 paths;
	u8 cause;
	__be16 reserved;
	__be64 incarnation;
	__be64 silent_for_ns;
	__be32 grace_us;
	__be32 own_lateness_us;
};

static_assert(sizeof(struct wire_header) == KARDIA_FRAME_HEADER_BYTES);
static_assert(sizeof(struct wire_header) + sizeof(struct wire_beat) ==
	      KARDIA_FRAME_BEAT_BYTES);
static_assert(sizeof(struct wire_header) + sizeof(struct wire_report) ==
	      KARDIA_FRAME_REPORT_BYTES);
static_assert(sizeof(struct wire_suspicion) == KARDIA_FRAME_SUSPECT_BYTES);

#define ALL_PATHS ((1U << KARDIA_PATHS_MAX) - 1)

static u8 *body_of(void *data)
{
	return (u8 *)data + KARDIA_FRAME_HEADER_BYTES;
}

static const u8 *const_body_of(const void *data)
{
	return (const u8 *)data + KARDIA_FRAME_HEADER_BYTES;
}

static size_t report_bytes(unsigned int count)
{
	return KARDIA_FRAME_REPORT_BYTES +
	       (size_t)count * KARDIA_FRAME_SUSPECT_BYTES;
}

static size_t suspicion_offset(unsigned int i)
{
	return report_bytes(i);
}

size_t kardia_frame_bytes(const struct kardia_frame *frame)
{
	if (frame->type == KARDIA_FRAME_REPORT)
		return report_bytes(frame->report.count);
	return KARDIA_FRAME_BEAT_BYTES;
}

static void encode_beat(const struct kardia_beat *beat, void *body)
{
	struct wire_beat wire = {
		.echo_sequence = __cpu_to_be64(beat->echo_sequence),
		.echo_sent_ns = __cpu_to_be64(beat->echo_sent_ns),
		.echo_held_ns = __cpu_to_be64(beat->echo_held_ns),
		.map_epoch = __cpu_to_be64(beat->map_epoch),
		.interval_us = __cpu_to_be32(beat->interval_us),
		.grace_us = __cpu_to_be32(beat->grace_us),
		.own_lateness_us = __cpu_to_be32(beat->own_lateness_us),
	};

	memcpy(body, &wire, sizeof(wire));
}

static void encode_report(const struct kardia_report_head *report, void *body)
{
	struct wire_report wire = {
		.set_sequence = __cpu_to_be64(report->set_sequence),
		.valid_us = __cpu_to_be32(report->valid_us),
		.watched = __cpu_to_be32(report->watched),
		.silent = __cpu_to_be32(report->silent),
		.count = __cpu_to_be16(report->count),
	};

	memcpy(body, &wire, sizeof(wire));
}

void kardia_frame_encode(const struct kardia_frame *frame, void *data)
{
	struct wire_header wire = {
		.magic = __cpu_to_be16(KARDIA_FRAME_MAGIC),
		.version = KARDIA_FRAME_VERSION,
		.type = frame->type,
		.path = frame->path,
		.bytes = __cpu_to_be16(kardia_frame_bytes(frame)),
		.cluster = __cpu_to_be32(frame->cluster),
		.source = __cpu_to_be32(frame->source),
		.destination = __cpu_to_be32(frame->destination),
		.source_incarnation = __cpu_to_be64(frame->source_incarnation),
		.destination_incarnation =
			__cpu_to_be64(frame->destination_incarnation),
		.sequence = __cpu_to_be64(frame->sequence),
		.sent_ns = __cpu_to_be64(frame->sent_ns),
	};

	memcpy(data, &wire, sizeof(wire));
	if (frame->type == KARDIA_FRAME_REPORT)
		encode_report(&frame->report, body_of(data));
	else
		encode_beat(&frame->beat, body_of(data));
}

void kardia_frame_put_suspicion(void *data, unsigned int i,
				const struct kardia_suspicion *suspicion)
{
	struct wire_suspicion wire = {
		.node = __cpu_to_be32(suspicion->node),
		.paths = suspicion->paths,
		.cause = suspicion->cause,
		.incarnation = __cpu_to_be64(suspicion->incarnation),
		.silent_for_ns = __cpu_to_be64(suspicion->silent_for_ns),
		.grace_us = __cpu_to_be32(suspicion->grace_us),
		.own_lateness_us = __cpu_to_be32(suspicion->own_lateness_us),
	};

	memcpy((u8 *)data + suspicion_offset(i), &wire, sizeof(wire));
}

void kardia_frame_get_suspicion(const void *data, unsigned int i,
				struct kardia_suspicion *suspicion)
{
	struct wire_suspicion wire;

	memcpy(&wire, (const u8 *)data + suspicion_offset(i), sizeof(wire));
	suspicion->node = __be32_to_cpu(wire.node);
	suspicion->paths = wire.paths;
	suspicion->cause = wire.cause;
	suspicion->incarnation = __be64_to_cpu(wire.incarnation);
	suspicion->silent_for_ns = __be64_to_cpu(wire.silent_for_ns);
	suspicion->grace_us = __be32_to_cpu(wire.grace_us);
	suspicion->own_lateness_us = __be32_to_cpu(wire.own_lateness_us);
}

static enum kardia_frame_error decode_beat(const void *body, size_t bytes,
					   struct kardia_beat *beat)
{
	struct wire_beat wire;

	if (bytes != sizeof(wire))
		return KARDIA_FRAME_BAD_LENGTH;
	memcpy(&wire, body, sizeof(wire));
	beat->echo_sequence = __be64_to_cpu(wire.echo_sequence);
	beat->echo_sent_ns = __be64_to_cpu(wire.echo_sent_ns);
	beat->echo_held_ns = __be64_to_cpu(wire.echo_held_ns);
	beat->map_epoch = __be64_to_cpu(wire.map_epoch);
	beat->interval_us = __be32_to_cpu(wire.interval_us);
	beat->grace_us = __be32_to_cpu(wire.grace_us);
	beat->own_lateness_us = __be32_to_cpu(wire.own_lateness_us);

	if (beat->interval_us < KARDIA_INTERVAL_US_MIN ||
	    beat->interval_us > KARDIA_INTERVAL_US_MAX ||
	    beat->grace_us > KARDIA_GRACE_US_MAX ||
	    beat->grace_us / KARDIA_GRACE_INTERVALS_MIN < beat->interval_us)
		return KARDIA_FRAME_BAD_FIELD;
	return KARDIA_FRAME_OK;
}

static bool suspicion_sane(const struct kardia_suspicion *suspicion)
{
	return suspicion->node && suspicion->paths &&
	       !(suspicion->paths & ~ALL_PATHS) &&
	       (suspicion->cause == KARDIA_CAUSE_SILENT ||
		suspicion->cause == KARDIA_CAUSE_NEVER_HEARD);
}

static enum kardia_frame_error decode_report(const void *data, size_t len,
					     struct kardia_report_head *report)
{
	struct kardia_suspicion suspicion;
	struct wire_report wire;
	unsigned int i;

	if (len < KARDIA_FRAME_REPORT_BYTES)
		return KARDIA_FRAME_BAD_LENGTH;
	memcpy(&wire, const_body_of(data), sizeof(wire));
	report->set_sequence = __be64_to_cpu(wire.set_sequence);
	report->valid_us = __be32_to_cpu(wire.valid_us);
	report->watched = __be32_to_cpu(wire.watched);
	report->silent = __be32_to_cpu(wire.silent);
	report->count = __be16_to_cpu(wire.count);

	if (report->count > KARDIA_REPORT_SUSPECTS_MAX ||
	    len != report_bytes(report->count))
		return KARDIA_FRAME_BAD_LENGTH;
	if (!report->set_sequence || report->silent < report->count ||
	    report->silent > report->watched)
		return KARDIA_FRAME_BAD_FIELD;
	for (i = 0; i < report->count; i++) {
		kardia_frame_get_suspicion(data, i, &suspicion);
		if (!suspicion_sane(&suspicion))
			return KARDIA_FRAME_BAD_FIELD;
	}
	return KARDIA_FRAME_OK;
}

static bool header_sane(const struct kardia_frame *frame)
{
	return frame->path < KARDIA_PATHS_MAX && frame->source &&
	       frame->destination && frame->source_incarnation &&
	       frame->sequence;
}

enum kardia_frame_error kardia_frame_decode(const void *data, size_t len,
					    struct kardia_frame *frame)
{
	struct wire_header wire;

	if (len < sizeof(wire) || len > KARDIA_FRAME_BYTES_MAX)
		return KARDIA_FRAME_BAD_LENGTH;
	memcpy(&wire, data, sizeof(wire));
	if (__be16_to_cpu(wire.magic) != KARDIA_FRAME_MAGIC)
		return KARDIA_FRAME_BAD_MAGIC;
	if (wire.version != KARDIA_FRAME_VERSION)
		return KARDIA_FRAME_BAD_VERSION;
	if (__be16_to_cpu(wire.bytes) != len)
		return KARDIA_FRAME_BAD_LENGTH;

	frame->type = wire.type;
	frame->path = wire.path;
	frame->cluster = __be32_to_cpu(wire.cluster);
	frame->source = __be32_to_cpu(wire.source);
	frame->destination = __be32_to_cpu(wire.destination);
	frame->source_incarnation = __be64_to_cpu(wire.source_incarnation);
	frame->destination_incarnation =
		__be64_to_cpu(wire.destination_incarnation);
	frame->sequence = __be64_to_cpu(wire.sequence);
	frame->sent_ns = __be64_to_cpu(wire.sent_ns);
	if (!header_sane(frame))
		return KARDIA_FRAME_BAD_FIELD;

	switch (wire.type) {
	case KARDIA_FRAME_BEAT:
		return decode_beat(const_body_of(data), len - sizeof(wire),
				   &frame->beat);
	case KARDIA_FRAME_REPORT:
		return decode_report(data, len, &frame->report);
	default:
		return KARDIA_FRAME_BAD_TYPE;
	}
}
