/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wire format, version 1: pure, shared with userspace. The layout is
 * drawn in Documentation/protocol.rst.
 */
#ifndef KARDIA_FRAME_H
#define KARDIA_FRAME_H

#include "pure.h"
#include <linux/kardia.h>

#define KARDIA_FRAME_MAGIC 0x6b61 /* "ka" */
#define KARDIA_FRAME_VERSION 1
#define KARDIA_FRAME_HEADER_BYTES 56
#define KARDIA_FRAME_BEAT_BYTES (KARDIA_FRAME_HEADER_BYTES + 48)
#define KARDIA_FRAME_REPORT_BYTES (KARDIA_FRAME_HEADER_BYTES + 24)
#define KARDIA_FRAME_SUSPECT_BYTES 32
#define KARDIA_FRAME_BYTES_MAX       \
	(KARDIA_FRAME_REPORT_BYTES + \
	 KARDIA_REPORT_SUSPECTS_MAX * KARDIA_FRAME_SUSPECT_BYTES)

enum kardia_frame_type {
	KARDIA_FRAME_BEAT = 1,
	KARDIA_FRAME_REPORT = 2,
};

/* Why a frame is refused by its bytes alone, before any peer is looked up. */
enum kardia_frame_error {
	KARDIA_FRAME_OK,
	KARDIA_FRAME_BAD_LENGTH,
	KARDIA_FRAME_BAD_MAGIC,
	KARDIA_FRAME_BAD_VERSION,
	KARDIA_FRAME_BAD_TYPE,
	KARDIA_FRAME_BAD_FIELD,
};

/**
 * struct kardia_beat - a heartbeat's body
 * @echo_sequence: newest sequence heard from the destination on this path, 0: none
 * @echo_sent_ns: its send stamp, in the destination's clock
 * @echo_held_ns: how long the sender held it before this beat left
 * @map_epoch: of the map that the sender has applied, 0: none
 * @interval_us: declared gap between beats
 * @grace_us: declared grace
 * @own_lateness_us: how late the sender's timer was for this beat
 */
struct kardia_beat {
	u64 echo_sequence;
	u64 echo_sent_ns;
	u64 echo_held_ns;
	u64 map_epoch;
	u32 interval_us;
	u32 grace_us;
	u32 own_lateness_us;
};

/**
 * struct kardia_suspicion - one accusation in a report
 * @node: the accused
 * @incarnation: its life that fell silent, 0: never heard
 * @silent_for_ns: age of the silence when the report left
 * @grace_us: grace that the reporter applied
 * @own_lateness_us: how late the reporter's own timer was when it judged
 * @paths: bit per silent path
 * @cause: enum kardia_cause
 */
struct kardia_suspicion {
	u64 incarnation;
	u64 silent_for_ns;
	u32 node;
	u32 grace_us;
	u32 own_lateness_us;
	u8 paths;
	u8 cause;
};

/**
 * struct kardia_report_head - a report's body without its suspicions
 * @set_sequence: number of this set in the reporter's life
 * @valid_us: the set is void so long after its arrival
 * @watched: peers that the reporter watches
 * @silent: of these, how many it hears nothing from
 * @count: suspicions that follow
 */
struct kardia_report_head {
	u64 set_sequence;
	u32 valid_us;
	u32 watched;
	u32 silent;
	u16 count;
};

/**
 * struct kardia_frame - a frame, decoded
 * @type: enum kardia_frame_type
 * @path: 0 front, 1 back
 * @cluster: id of the cluster
 * @source: node id of the sender
 * @destination: node id it is meant for
 * @source_incarnation: life of the sender, never 0
 * @destination_incarnation: life of the destination that it knows, 0: none
 * @sequence: rises with each frame to this destination on this path, from 1
 * @sent_ns: the sender's clock when it left
 * @beat: for KARDIA_FRAME_BEAT
 * @report: for KARDIA_FRAME_REPORT
 */
struct kardia_frame {
	u8 type;
	u8 path;
	u32 cluster;
	u32 source;
	u32 destination;
	u64 source_incarnation;
	u64 destination_incarnation;
	u64 sequence;
	u64 sent_ns;
	union {
		struct kardia_beat beat;
		struct kardia_report_head report;
	};
};

/* Bytes of a frame of that type and content. */
size_t kardia_frame_bytes(const struct kardia_frame *frame);

/* Write header and body; @data holds kardia_frame_bytes() bytes. */
void kardia_frame_encode(const struct kardia_frame *frame, void *data);

/* Check every field of the @len bytes at @data and decode them. */
enum kardia_frame_error kardia_frame_decode(const void *data, size_t len,
					    struct kardia_frame *frame);

/* Suspicion number @i of a report frame that decode has accepted. */
void kardia_frame_put_suspicion(void *data, unsigned int i,
				const struct kardia_suspicion *suspicion);
void kardia_frame_get_suspicion(const void *data, unsigned int i,
				struct kardia_suspicion *suspicion);

#endif
