/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map on show: the loop that decides puts up the text of an epoch, threads
 * that serve take references to it. Putting up takes a lock that is only ever
 * held for a pointer's exchange.
 */
#ifndef KARDIAD_HTTP_BOARD_H
#define KARDIAD_HTTP_BOARD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/map/model.h"

struct board_text {
	atomic_uint refs;
	uint64_t epoch;
	size_t bytes;
	char data[];
};

struct board;

struct board *board_new(void);
void board_free(struct board *board);

/* Replace what is on show by the text of the sealed @map. */
void board_publish(struct board *board, const struct map *map);

/* What is on show, for board_text_unref(); NULL before the first. */
struct board_text *board_get(struct board *board);
void board_text_unref(struct board_text *text);

/* 0 before the first. */
uint64_t board_epoch(struct board *board);

/* Write to the eventfd @fd from now on when something new is put up; -1: no. */
void board_notify(struct board *board, int fd);

#endif
