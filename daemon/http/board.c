// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns the exchange of published texts between threads. Knows no HTTP. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "daemon/http/board.h"
#include "daemon/mem.h"
#include "daemon/realtime.h"

struct board {
	pthread_mutex_t lock;
	struct board_text *text;
	int notify_fd;
};

struct board *board_new(void)
{
	struct board *board = mem_zalloc(1, sizeof(*board));

	realtime_mutex_init(&board->lock);
	board->notify_fd = -1;
	return board;
}

void board_free(struct board *board)
{
	if (!board)
		return;
	board_text_unref(board->text);
	pthread_mutex_destroy(&board->lock);
	free(board);
}

void board_text_unref(struct board_text *text)
{
	if (text && atomic_fetch_sub(&text->refs, 1) == 1)
		free(text);
}

static struct board_text *text_new(const struct map *map)
{
	struct board_text *text =
		mem_zalloc(1, sizeof(*text) + map->text_bytes);

	atomic_init(&text->refs, 1);
	text->epoch = map->epoch;
	text->bytes = map->text_bytes;
	memcpy(text->data, map->text, map->text_bytes);
	return text;
}

void board_publish(struct board *board, const struct map *map)
{
	struct board_text *text = text_new(map), *old;
	int fd;

	pthread_mutex_lock(&board->lock);
	old = board->text;
	board->text = text;
	fd = board->notify_fd;
	pthread_mutex_unlock(&board->lock);
	board_text_unref(old);
	if (fd >= 0)
		eventfd_write(fd, 1);
}

struct board_text *board_get(struct board *board)
{
	struct board_text *text;

	pthread_mutex_lock(&board->lock);
	text = board->text;
	if (text)
		atomic_fetch_add(&text->refs, 1);
	pthread_mutex_unlock(&board->lock);
	return text;
}

uint64_t board_epoch(struct board *board)
{
	uint64_t epoch;

	pthread_mutex_lock(&board->lock);
	epoch = board->text ? board->text->epoch : 0;
	pthread_mutex_unlock(&board->lock);
	return epoch;
}

void board_notify(struct board *board, int fd)
{
	pthread_mutex_lock(&board->lock);
	board->notify_fd = fd;
	pthread_mutex_unlock(&board->lock);
}
