/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A server on loopback and a Unix socket in a folder of its own, and a client.
 * Epochs 1, 2, ... of a chain are put on show at both.
 */
#ifndef KARDIA_UNIT_HTTP_WORLD_H
#define KARDIA_UNIT_HTTP_WORLD_H

#include <arpa/inet.h>
#include <sys/socket.h>

#include <curl/curl.h>

#include "daemon/clock.h"
#include "daemon/http/server.h"
#include "fixture.h"

#define HOLD_MS 1500

/* Of a busy machine, and still not the end of a hold. */
#define PROMPT_MS 1400

struct world {
	char *folder;
	char socket[128];
	struct config_node nodes[1];
	struct config config;
	struct server_params params;
	struct server *server;
	struct map *map;
};

struct answer {
	long status;
	char *body;
	size_t bytes;
	CURLcode code;
};

/* One that nobody listened at a moment ago. */
static inline uint32_t free_port(void)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
				   .sin_addr = IPV4(127, 0, 0, 1) };
	socklen_t bytes = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&sin, &bytes), 0);
	close(fd);
	return ntohs(sin.sin_port);
}

static inline void world_start(struct world *w)
{
	struct why why;

	if (server_start(&w->server, &w->params, &why))
		fail_msg("%s", why.text);
}

/* All but the server's start. */
static inline struct world *world_new(void)
{
	struct world *w = calloc(1, sizeof(*w));
	struct map_node *node = &w->nodes[0].node;

	w->folder = fixture_folder();
	snprintf(w->socket, sizeof(w->socket), "%s/run/kardiad.sock",
		 w->folder);
	strcpy(node->name, "n1");
	node->id = 1;
	node->arbiter = true;
	strcpy(w->config.cluster, "test");
	w->config.self = node;
	w->config.arbiter = node;
	w->params = (struct server_params){
		.status = status_new(&w->config),
		.node_map = board_new(),
		.arbiter_map = board_new(),
		.socket = w->socket,
		.addresses = { IPV4(127, 0, 0, 1) },
		.port = free_port(),
		.connections = 256,
		.hold_ms = HOLD_MS,
	};
	return w;
}

static inline void world_free(struct world *w)
{
	server_stop(w->server);
	board_free(w->params.node_map);
	board_free(w->params.arbiter_map);
	status_free(w->params.status);
	map_free(w->map);
	fixture_remove(w->folder);
	free(w);
}

static inline void publish(struct world *w)
{
	struct map *next = fixture_next(w->map, 1);

	map_free(w->map);
	w->map = next;
	board_publish(w->params.arbiter_map, next);
	board_publish(w->params.node_map, next);
}

static inline size_t take_body(char *data, size_t size, size_t n, void *arg)
{
	struct answer *a = arg;

	a->body = realloc(a->body, a->bytes + size * n + 1);
	memcpy(a->body + a->bytes, data, size * n);
	a->bytes += size * n;
	a->body[a->bytes] = '\0';
	return size * n;
}

/* A request to be sent over TCP. */
static inline CURL *request(struct world *w, const char *path,
			    struct answer *answer)
{
	CURL *curl = curl_easy_init();
	char url[256];

	memset(answer, 0, sizeof(*answer));
	snprintf(url, sizeof(url), "http%s://127.0.0.1:%u%s",
		 w->params.tls_ca ? "s" : "", w->params.port, path);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 10000L);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	return curl;
}

static inline void perform(CURL *curl, struct answer *answer)
{
	answer->code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer->status);
	curl_easy_cleanup(curl);
}

static inline struct answer get(struct world *w, const char *path)
{
	struct answer answer;

	perform(request(w, path, &answer), &answer);
	assert_int_equal(answer.code, CURLE_OK);
	return answer;
}

static inline void expect_answer(struct answer answer, long status,
				 const char *part)
{
	assert_int_equal(answer.code, CURLE_OK);
	assert_int_equal(answer.status, status);
	if (part)
		assert_contains(answer.body, part);
	else
		assert_int_equal(answer.bytes, 0);
	free(answer.body);
}

static inline void expect_map(struct answer answer, const struct map *map)
{
	assert_int_equal(answer.code, CURLE_OK);
	assert_int_equal(answer.status, 200);
	assert_string_equal(answer.body, map->text);
	free(answer.body);
}

static inline uint64_t now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

#endif
