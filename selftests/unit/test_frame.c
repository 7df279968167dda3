// SPDX-License-Identifier: GPL-2.0-or-later
/* The codec: test vectors, round trips, and every way to be malformed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kmod/frame.h"

/* Offsets of Documentation/protocol.rst. */
enum {
	AT_MAGIC = 0,
	AT_VERSION = 2,
	AT_TYPE = 3,
	AT_PATH = 4,
	AT_BYTES = 6,
	AT_SOURCE = 12,
	AT_DESTINATION = 16,
	AT_SOURCE_INCARNATION = 24,
	AT_SEQUENCE = 40,
	AT_INTERVAL = KARDIA_FRAME_HEADER_BYTES + 32,
	AT_GRACE = KARDIA_FRAME_HEADER_BYTES + 36,
	AT_SET_SEQUENCE = KARDIA_FRAME_HEADER_BYTES,
	AT_SILENT = KARDIA_FRAME_HEADER_BYTES + 16,
	AT_COUNT = KARDIA_FRAME_HEADER_BYTES + 20,
	AT_SUSPECT_NODE = KARDIA_FRAME_REPORT_BYTES,
	AT_SUSPECT_PATHS = KARDIA_FRAME_REPORT_BYTES + 4,
	AT_SUSPECT_CAUSE = KARDIA_FRAME_REPORT_BYTES + 5,
};

static const struct kardia_frame beat = {
	.type = KARDIA_FRAME_BEAT,
	.path = 1,
	.cluster = 0x01020304,
	.source = 7,
	.destination = 9,
	.source_incarnation = 0x1112131415161718,
	.destination_incarnation = 0x2122232425262728,
	.sequence = 0x3132333435363738,
	.sent_ns = 0x4142434445464748,
	.beat = {
		.echo_sequence = 0x5152535455565758,
		.echo_sent_ns = 0x6162636465666768,
		.echo_held_ns = 0x7172737475767778,
		.map_epoch = 0x8182838485868788,
		.interval_us = 10000,
		.grace_us = 50000,
		.own_lateness_us = 3,
	},
};

/* The published test vector: Documentation/protocol.rst shows the same. */
static const u8 beat_vector[KARDIA_FRAME_BEAT_BYTES] = {
	0x6b, 0x61, 0x01, 0x01, 0x01, 0x00, 0x00, 0x68, /* magic … bytes */
	0x01, 0x02, 0x03, 0x04, 0x00, 0x00, 0x00, 0x07, /* cluster, source */
	0x00, 0x00, 0x00, 0x09, 0x00, 0x00, 0x00, 0x00, /* destination */
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, /* incarnations */
	0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
	0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, /* sequence */
	0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, /* sent */
	0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, /* echo */
	0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68,
	0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78,
	0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, /* map epoch */
	0x00, 0x00, 0x27, 0x10, 0x00, 0x00, 0xc3, 0x50, /* interval, grace */
	0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, /* own lateness */
};

static const struct kardia_suspicion suspicion = {
	.node = 5,
	.incarnation = 0x9192939495969798,
	.silent_for_ns = 50000123,
	.grace_us = 50000,
	.own_lateness_us = 2,
	.paths = 3,
	.cause = KARDIA_CAUSE_SILENT,
};

static size_t encode_report(u8 *data, unsigned int count)
{
	struct kardia_frame frame = beat;
	unsigned int i;

	frame.type = KARDIA_FRAME_REPORT;
	frame.report = (struct kardia_report_head){
		.set_sequence = 4,
		.valid_us = 200000,
		.watched = 40,
		.silent = count,
		.count = count,
	};
	for (i = 0; i < count; i++) {
		struct kardia_suspicion each = suspicion;

		each.node += i;
		kardia_frame_put_suspicion(data, i, &each);
	}
	kardia_frame_encode(&frame, data);
	return kardia_frame_bytes(&frame);
}

static enum kardia_frame_error decode(const void *data, size_t len)
{
	struct kardia_frame frame;

	return kardia_frame_decode(data, len, &frame);
}

static void beat_matches_its_vector(void **state)
{
	u8 data[KARDIA_FRAME_BEAT_BYTES];

	kardia_frame_encode(&beat, data);
	assert_memory_equal(data, beat_vector, sizeof(data));
}

static void beat_round_trip(void **state)
{
	struct kardia_frame frame;

	memset(&frame, 0, sizeof(frame));
	assert_int_equal(kardia_frame_decode(beat_vector, sizeof(beat_vector),
					     &frame),
			 KARDIA_FRAME_OK);
	assert_int_equal(frame.type, beat.type);
	assert_int_equal(frame.path, beat.path);
	assert_int_equal(frame.cluster, beat.cluster);
	assert_int_equal(frame.source, beat.source);
	assert_int_equal(frame.destination, beat.destination);
	assert_true(frame.source_incarnation == beat.source_incarnation);
	assert_true(frame.destination_incarnation ==
		    beat.destination_incarnation);
	assert_true(frame.sequence == beat.sequence);
	assert_true(frame.sent_ns == beat.sent_ns);
	assert_memory_equal(&frame.beat, &beat.beat,
			    offsetof(struct kardia_beat, own_lateness_us) +
				    sizeof(u32));
}

static void report_round_trip(void **state)
{
	u8 data[KARDIA_FRAME_BYTES_MAX];
	unsigned int count, i;

	for (count = 0; count <= KARDIA_REPORT_SUSPECTS_MAX; count++) {
		size_t len = encode_report(data, count);
		struct kardia_frame frame;

		assert_int_equal(kardia_frame_decode(data, len, &frame),
				 KARDIA_FRAME_OK);
		assert_int_equal(frame.report.count, count);
		assert_int_equal(frame.report.watched, 40);
		for (i = 0; i < count; i++) {
			struct kardia_suspicion each;

			kardia_frame_get_suspicion(data, i, &each);
			assert_int_equal(each.node, suspicion.node + i);
			assert_true(each.silent_for_ns ==
				    suspicion.silent_for_ns);
			assert_true(each.incarnation == suspicion.incarnation);
			assert_int_equal(each.paths, suspicion.paths);
			assert_int_equal(each.cause, suspicion.cause);
		}
	}
}

/*
 * Every other length is refused. The bytes are copied to the heap, so that a
 * read past the end is seen by the address sanitizer and by valgrind.
 */
static void every_wrong_length_is_refused(void **state)
{
	u8 data[2048] = { 0 };
	size_t good = encode_report(data, 3);
	size_t len;

	for (len = 0; len <= 1600; len++) {
		u8 *copy = malloc(len ? len : 1);

		assert_non_null(copy);
		memcpy(copy, data, len);
		assert_int_equal(decode(copy, len) == KARDIA_FRAME_OK,
				 len == good);
		memcpy(copy, beat_vector,
		       len < sizeof(beat_vector) ? len : sizeof(beat_vector));
		assert_int_equal(decode(copy, len) == KARDIA_FRAME_OK,
				 len == sizeof(beat_vector));
		free(copy);
	}
}

struct mutation {
	size_t at;
	u8 bytes[8];
	size_t n;
	enum kardia_frame_error error;
};

static void refuse_each(const u8 *good, size_t len,
			const struct mutation *mutations, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		u8 data[KARDIA_FRAME_BYTES_MAX];

		memcpy(data, good, len);
		assert_int_equal(decode(data, len), KARDIA_FRAME_OK);
		memcpy(data + mutations[i].at, mutations[i].bytes,
		       mutations[i].n);
		assert_int_equal(decode(data, len), mutations[i].error);
	}
}

static void bad_beat_fields_are_refused(void **state)
{
	static const struct mutation mutations[] = {
		{ AT_MAGIC, { 0x61, 0x6b }, 2, KARDIA_FRAME_BAD_MAGIC },
		{ AT_VERSION, { 0 }, 1, KARDIA_FRAME_BAD_VERSION },
		{ AT_VERSION, { 2 }, 1, KARDIA_FRAME_BAD_VERSION },
		{ AT_TYPE, { 0 }, 1, KARDIA_FRAME_BAD_TYPE },
		{ AT_TYPE, { 3 }, 1, KARDIA_FRAME_BAD_TYPE },
		{ AT_TYPE, { 2 }, 1, KARDIA_FRAME_BAD_LENGTH },
		{ AT_PATH, { 2 }, 1, KARDIA_FRAME_BAD_FIELD },
		{ AT_BYTES, { 0, 0 }, 2, KARDIA_FRAME_BAD_LENGTH },
		{ AT_BYTES, { 0xff, 0xff }, 2, KARDIA_FRAME_BAD_LENGTH },
		{ AT_BYTES, { 0x68, 0x00 }, 2, KARDIA_FRAME_BAD_LENGTH },
		{ AT_SOURCE, { 0 }, 4, KARDIA_FRAME_BAD_FIELD },
		{ AT_DESTINATION, { 0 }, 4, KARDIA_FRAME_BAD_FIELD },
		{ AT_SOURCE_INCARNATION, { 0 }, 8, KARDIA_FRAME_BAD_FIELD },
		{ AT_SEQUENCE, { 0 }, 8, KARDIA_FRAME_BAD_FIELD },
		{ AT_INTERVAL, { 0 }, 4, KARDIA_FRAME_BAD_FIELD },
		{ AT_INTERVAL, { 0xff, 0, 0, 0 }, 4, KARDIA_FRAME_BAD_FIELD },
		{ AT_GRACE, { 0, 0, 0x75, 0x2f }, 4, KARDIA_FRAME_BAD_FIELD },
		{ AT_GRACE, { 0xff, 0, 0, 0 }, 4, KARDIA_FRAME_BAD_FIELD },
	};

	refuse_each(beat_vector, sizeof(beat_vector), mutations,
		    sizeof(mutations) / sizeof(mutations[0]));
}

static void bad_report_fields_are_refused(void **state)
{
	static const struct mutation mutations[] = {
		{ AT_COUNT, { 0, 2 }, 2, KARDIA_FRAME_BAD_LENGTH },
		{ AT_COUNT, { 0, 4 }, 2, KARDIA_FRAME_BAD_LENGTH },
		{ AT_COUNT, { 0xff, 0xff }, 2, KARDIA_FRAME_BAD_LENGTH },
		{ AT_SET_SEQUENCE, { 0 }, 8, KARDIA_FRAME_BAD_FIELD },
		{ AT_SILENT, { 0, 0, 0, 2 }, 4, KARDIA_FRAME_BAD_FIELD },
		{ AT_SILENT, { 0, 0, 0, 41 }, 4, KARDIA_FRAME_BAD_FIELD },
		{ AT_SUSPECT_NODE, { 0 }, 4, KARDIA_FRAME_BAD_FIELD },
		{ AT_SUSPECT_PATHS, { 0 }, 1, KARDIA_FRAME_BAD_FIELD },
		{ AT_SUSPECT_PATHS, { 4 }, 1, KARDIA_FRAME_BAD_FIELD },
		{ AT_SUSPECT_CAUSE, { 0 }, 1, KARDIA_FRAME_BAD_FIELD },
		{ AT_SUSPECT_CAUSE, { 3 }, 1, KARDIA_FRAME_BAD_FIELD },
	};
	u8 data[KARDIA_FRAME_BYTES_MAX];
	size_t len = encode_report(data, 3);

	refuse_each(data, len, mutations,
		    sizeof(mutations) / sizeof(mutations[0]));
}

static void random_bytes_never_pass_or_crash(void **state)
{
	u8 data[KARDIA_FRAME_BYTES_MAX];
	unsigned int round;
	size_t i;

	srand(1);
	for (round = 0; round < 20000; round++) {
		size_t len = rand() % (sizeof(data) + 1);

		for (i = 0; i < len; i++)
			data[i] = rand();
		assert_int_not_equal(decode(data, len), KARDIA_FRAME_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beat_matches_its_vector),
		cmocka_unit_test(beat_round_trip),
		cmocka_unit_test(report_round_trip),
		cmocka_unit_test(every_wrong_length_is_refused),
		cmocka_unit_test(bad_beat_fields_are_refused),
		cmocka_unit_test(bad_report_fields_are_refused),
		cmocka_unit_test(random_bytes_never_pass_or_crash),
	};

	return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
