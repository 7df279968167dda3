// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the HTTP client: libcurl's multi interface on the event loop. Whom to
 * ask and what to make of the answer is agent.c's.
 *
 * An answer may be held for long, so that silence says nothing; TCP keepalive
 * tells a dead path from a quiet one within seconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "daemon/agent/fetch.h"
#include "daemon/map/model.h"
#include "daemon/mem.h"

#define CONNECT_TIMEOUT_MS 1000L
#define TIMEOUT_MS 40000L /* the server holds an answer for 30 s */
#define KEEPALIVE_S 1
#define KEEPALIVE_PROBES 2
#define DEAD_PATH_MS 3000

struct fetch {
	sd_event *event;
	sd_event_source *timer;
	CURLM *multi;
	CURL *easy;
	bool tls;
	bool running;
	struct curl_slist *connect_to;
	char error[CURL_ERROR_SIZE];
	char *body;
	size_t bytes;
	size_t room;
	fetch_done_fn done;
	void *arg;
};

static size_t take_body(char *data, size_t size, size_t n, void *arg)
{
	struct fetch *f = arg;
	size_t bytes = size * n;

	if (f->bytes + bytes > MAP_TEXT_BYTES_MAX)
		return 0;
	if (f->bytes + bytes > f->room) {
		f->room = 2 * (f->bytes + bytes);
		f->body = realloc(f->body, f->room);
		if (!f->body)
			mem_exhausted();
	}
	memcpy(f->body + f->bytes, data, bytes);
	f->bytes += bytes;
	return bytes;
}

static int watch_path(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	const int on = 1, idle_s = KEEPALIVE_S, probes = KEEPALIVE_PROBES;
	const int dead_ms = DEAD_PATH_MS;

	(void)arg;
	(void)purpose;
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle_s, sizeof(idle_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &dead_ms,
		   sizeof(dead_ms));
	return CURL_SOCKOPT_OK;
}

/* Forget the request, finished or not. */
static void stop(struct fetch *f)
{
	if (f->running)
		curl_multi_remove_handle(f->multi, f->easy);
	f->running = false;
}

/* Without the milliseconds that make each failure to connect another one. */
static const char *reason(const struct fetch *f, CURLcode code)
{
	if (!*f->error || code == CURLE_COULDNT_CONNECT ||
	    code == CURLE_OPERATION_TIMEDOUT)
		return curl_easy_strerror(code);
	return f->error;
}

static void finish(struct fetch *f, CURLcode code)
{
	struct fetch_result result = { 0 };

	stop(f);
	if (code == CURLE_OK)
		curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE,
				  &result.status);
	else
		why_set(&result.why, -EIO, "%s", reason(f, code));
	result.body = f->body;
	result.bytes = f->bytes;
	f->done(f->arg, &result);
}

/* Let libcurl work, then see whether the request has ended. */
static void act(struct fetch *f, curl_socket_t fd, int events)
{
	int running, left;
	CURLMsg *msg;

	curl_multi_socket_action(f->multi, fd, events, &running);
	msg = curl_multi_info_read(f->multi, &left);
	if (msg && msg->msg == CURLMSG_DONE)
		finish(f, msg->data.result);
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	int events = 0;

	(void)source;
	if (revents & (EPOLLIN | EPOLLHUP))
		events |= CURL_CSELECT_IN;
	if (revents & EPOLLOUT)
		events |= CURL_CSELECT_OUT;
	if (revents & EPOLLERR)
		events |= CURL_CSELECT_ERR;
	act(arg, fd, events);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *arg)
{
	(void)source;
	(void)usec;
	act(arg, CURL_SOCKET_TIMEOUT, 0);
	return 0;
}

/* libcurl wants to know of another kind of readiness of @fd, or of none. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg,
		     void *socket_arg)
{
	struct fetch *f = arg;
	sd_event_source *source = socket_arg;
	uint32_t events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		sd_event_source_disable_unref(source);
		return 0;
	}
	if (what != CURL_POLL_OUT)
		events |= EPOLLIN;
	if (what != CURL_POLL_IN)
		events |= EPOLLOUT;
	if (source)
		return sd_event_source_set_io_events(source, events) < 0 ? -1 :
									   0;
	if (sd_event_add_io(f->event, &source, fd, events, on_io, f) < 0)
		return -1;
	curl_multi_assign(f->multi, fd, source);
	return 0;
}

static int on_timeout(CURLM *multi, long timeout_ms, void *arg)
{
	struct fetch *f = arg;

	(void)multi;
	if (timeout_ms < 0)
		return sd_event_source_set_enabled(f->timer, SD_EVENT_OFF);
	sd_event_source_set_time_relative(f->timer, timeout_ms * 1000ULL);
	return sd_event_source_set_enabled(f->timer, SD_EVENT_ONESHOT);
}

static CURLcode set_up_tls(CURL *easy, const struct fetch_tls *tls)
{
	CURLcode ret = curl_easy_setopt(easy, CURLOPT_CAINFO, tls->ca);

	if (!ret)
		ret = curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	if (!ret)
		ret = curl_easy_setopt(easy, CURLOPT_SSLCERT, tls->certificate);
	if (!ret)
		ret = curl_easy_setopt(easy, CURLOPT_SSLKEY, tls->key);
	return ret;
}

/* Each failure would make the request another than it has to be. */
static CURLcode set_up_easy(struct fetch *f, const struct fetch_tls *tls)
{
	CURL *easy = f->easy;
	CURLcode ret = tls ? set_up_tls(easy, tls) : CURLE_OK;

#define SET(option, value)                                           \
	do {                                                         \
		if (!ret)                                            \
			ret = curl_easy_setopt(easy, option, value); \
	} while (0)
	SET(CURLOPT_PROTOCOLS_STR, tls ? "https" : "http");
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
	SET(CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
	SET(CURLOPT_TCP_NODELAY, 1L);
	SET(CURLOPT_SOCKOPTFUNCTION, watch_path);
	SET(CURLOPT_WRITEFUNCTION, take_body);
	SET(CURLOPT_WRITEDATA, f);
	SET(CURLOPT_ERRORBUFFER, f->error);
	SET(CURLOPT_USERAGENT, "kardiad");
#undef SET
	return ret;
}

static void set_up_multi(struct fetch *f)
{
	curl_multi_setopt(f->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(f->multi, CURLMOPT_SOCKETDATA, f);
	curl_multi_setopt(f->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
	curl_multi_setopt(f->multi, CURLMOPT_TIMERDATA, f);
	curl_multi_setopt(f->multi, CURLMOPT_MAXCONNECTS, 2L);
}

static int set_up(struct fetch *f, const struct fetch_tls *tls, struct why *why)
{
	CURLcode code;
	int ret;

	f->multi = curl_multi_init();
	f->easy = curl_easy_init();
	if (!f->multi || !f->easy)
		mem_exhausted();
	code = set_up_easy(f, tls);
	if (code)
		return why_set(why, -EIO, "HTTP client: %s",
			       curl_easy_strerror(code));
	set_up_multi(f);
	/* An accuracy of 1 us: the default of 250 ms would show. */
	ret = sd_event_add_time_relative(f->event, &f->timer, CLOCK_MONOTONIC,
					 0, 1, on_timer, f);
	if (ret < 0)
		return why_set(why, ret, "HTTP client: %s", strerror(-ret));
	sd_event_source_set_enabled(f->timer, SD_EVENT_OFF);
	return 0;
}

int fetch_new(struct fetch **fetch, sd_event *event,
	      const struct fetch_tls *tls, fetch_done_fn done, void *arg,
	      struct why *why)
{
	struct fetch *f = mem_zalloc(1, sizeof(*f));
	int ret;

	f->event = sd_event_ref(event);
	f->tls = tls;
	f->done = done;
	f->arg = arg;
	ret = set_up(f, tls, why);
	if (ret) {
		fetch_free(f);
		return ret;
	}
	*fetch = f;
	return 0;
}

void fetch_free(struct fetch *f)
{
	if (!f)
		return;
	stop(f);
	curl_easy_cleanup(f->easy);
	curl_multi_cleanup(f->multi);
	curl_slist_free_all(f->connect_to);
	sd_event_source_disable_unref(f->timer);
	sd_event_unref(f->event);
	free(f->body);
	free(f);
}

/* The URL names the node, whom the certificate is for; no name is resolved. */
static int set_target(struct fetch *f, const struct fetch_target *target,
		      uint64_t since)
{
	char address[INET_ADDRSTRLEN];
	char text[256];

	inet_ntop(AF_INET, &target->address, address, sizeof(address));
	snprintf(text, sizeof(text), "%s:%u:%s:%u", target->name, target->port,
		 address, target->port);
	curl_slist_free_all(f->connect_to);
	f->connect_to = curl_slist_append(NULL, text);
	if (!f->connect_to)
		mem_exhausted();
	snprintf(text, sizeof(text), "%s://%s:%u/v1/map?since=%" PRIu64,
		 f->tls ? "https" : "http", target->name, target->port, since);
	if (curl_easy_setopt(f->easy, CURLOPT_URL, text) ||
	    curl_easy_setopt(f->easy, CURLOPT_CONNECT_TO, f->connect_to))
		return -EIO;
	return 0;
}

int fetch_start(struct fetch *f, const struct fetch_target *target,
		uint64_t since)
{
	stop(f);
	f->bytes = 0;
	f->error[0] = '\0';
	if (set_target(f, target, since) ||
	    curl_multi_add_handle(f->multi, f->easy))
		return -EIO;
	f->running = true;
	return 0;
}
