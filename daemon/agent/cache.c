// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns map.json in the state folder and the thread that writes it. What the map
 * means is agent.c's.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/agent/cache.h"
#include "daemon/file.h"
#include "daemon/log.h"
#include "daemon/mem.h"
#include "daemon/realtime.h"

struct cache {
	char path[PATH_MAX];
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char *text; /* waits to be written */
	size_t bytes;
	bool stop;
};

static void cache_path(const char *state_dir, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/map.json", state_dir);
}

static int decode(const char *path, const char *cluster, const char *text,
		  size_t bytes, struct map **map, struct why *why)
{
	struct why reason;

	if (map_decode(map, text, bytes, &reason))
		return why_set(why, -EBADMSG, "%s: %.300s", path, reason.text);
	if (!strcmp((*map)->cluster, cluster))
		return 0;
	why_set(why, -EBADMSG, "%s: map of another cluster, '%s'", path,
		(*map)->cluster);
	map_free(*map);
	*map = NULL;
	return -EBADMSG;
}

int cache_load(const char *state_dir, const char *cluster, struct map **map,
	       struct why *why)
{
	char path[PATH_MAX];
	char *text;
	size_t bytes;
	int ret;

	*map = NULL;
	cache_path(state_dir, path);
	ret = file_read(path, MAP_TEXT_BYTES_MAX, &text, &bytes, why);
	if (ret)
		return ret;
	ret = decode(path, cluster, text, bytes, map, why);
	free(text);
	return ret;
}

/* Wait for a text to write; NULL: there will be no more. */
static char *take(struct cache *c, size_t *bytes)
{
	char *text;

	pthread_mutex_lock(&c->lock);
	while (!c->text && !c->stop)
		pthread_cond_wait(&c->changed, &c->lock);
	text = c->text;
	*bytes = c->bytes;
	c->text = NULL;
	pthread_mutex_unlock(&c->lock);
	return text;
}

static void *write_loop(void *arg)
{
	struct log_state trouble = { "" };
	struct cache *c = arg;
	struct why why;
	size_t bytes;
	char *text;

	while ((text = take(c, &bytes))) {
		if (file_replace(c->path, text, bytes, &why))
			log_state(&trouble, "map on disk", why.text);
		else
			log_state(&trouble, "map on disk", "");
		free(text);
	}
	return NULL;
}

int cache_new(struct cache **cache, const char *state_dir, struct why *why)
{
	struct cache *c = mem_zalloc(1, sizeof(*c));
	int ret;

	cache_path(state_dir, c->path);
	ret = file_make_parent(c->path, why);
	if (ret) {
		free(c);
		return ret;
	}
	realtime_mutex_init(&c->lock);
	pthread_cond_init(&c->changed, NULL);
	ret = realtime_thread(&c->thread, REALTIME_NOT, write_loop, c);
	if (ret) {
		free(c);
		return why_set(why, ret, "thread: %s", strerror(-ret));
	}
	*cache = c;
	return 0;
}

void cache_save(struct cache *c, const struct map *map)
{
	char *text = mem_dup(map->text, map->text_bytes);

	pthread_mutex_lock(&c->lock);
	free(c->text);
	c->text = text;
	c->bytes = map->text_bytes;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
	pthread_join(c->thread, NULL);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
