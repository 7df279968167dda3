// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asking kardiad, by libcurl. What the answers mean is kardiad.c's.
 */
#include "ask.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/clock.h"
#include "daemon/mem.h"
#include "lib/duration.h"
#include "lib/version.h"

#define NS_PER_MS 1000000ULL

struct ask {
	const struct cli *cli;
	uint64_t deadline_ns;
	CURL *curl;
	char *body;
	size_t bytes;
	size_t max;
};

static size_t take_body(char *data, size_t size, size_t n, void *arg)
{
	struct ask *ask = arg;
	size_t add = size * n;
	char *grown;

	if (add > ask->max - ask->bytes)
		return 0;
	grown = realloc(ask->body, ask->bytes + add + 1);
	if (!grown)
		mem_exhausted();
	memcpy(grown + ask->bytes, data, add);
	ask->body = grown;
	ask->bytes += add;
	ask->body[ask->bytes] = '\0';
	return add;
}

struct ask *ask_open(const struct cli *cli)
{
	struct ask *ask = mem_zalloc(1, sizeof(*ask));

	ask->cli = cli;
	ask->deadline_ns = clock_mono_ns() + cli->timeout_us * 1000;
	if (curl_global_init(CURL_GLOBAL_NOTHING))
		mem_exhausted();
	ask->curl = curl_easy_init();
	if (!ask->curl)
		mem_exhausted();
	curl_easy_setopt(ask->curl, CURLOPT_UNIX_SOCKET_PATH, cli->socket);
	curl_easy_setopt(ask->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(ask->curl, CURLOPT_PROTOCOLS_STR, "http");
	/* The environment's proxies are not for a local socket. */
	curl_easy_setopt(ask->curl, CURLOPT_PROXY, "");
	curl_easy_setopt(ask->curl, CURLOPT_USERAGENT,
			 "kardia/" KARDIA_VERSION);
	curl_easy_setopt(ask->curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(ask->curl, CURLOPT_WRITEDATA, ask);
	return ask;
}

void ask_close(struct ask *ask)
{
	curl_easy_cleanup(ask->curl);
	curl_global_cleanup();
	free(ask->body);
	free(ask);
}

/* curl takes 0 for no limit. */
static long ms_left(const struct ask *ask)
{
	uint64_t now = clock_mono_ns();

	if (now + NS_PER_MS > ask->deadline_ns)
		return 1;
	return (ask->deadline_ns - now) / NS_PER_MS;
}

static void explain_connect(const struct ask *ask, struct trouble *trouble)
{
	long err = 0;

	curl_easy_getinfo(ask->curl, CURLINFO_OS_ERRNO, &err);
	if (err == EACCES || err == EPERM)
		trouble_set(trouble, EXIT_NOT_PERMITTED, "not-permitted",
			    "no permission to ask kardiad at %s",
			    ask->cli->socket);
	else
		trouble_set(trouble, EXIT_UNREACHABLE, "daemon-not-running",
			    "kardiad is not running (%s: %s)", ask->cli->socket,
			    strerror(err ? err : ECONNREFUSED));
}

static void explain(const struct ask *ask, CURLcode code,
		    struct trouble *trouble)
{
	char limit[DURATION_MAX];

	switch (code) {
	case CURLE_COULDNT_CONNECT:
		explain_connect(ask, trouble);
		break;
	case CURLE_OPERATION_TIMEDOUT:
		duration_format(limit, sizeof(limit), ask->cli->timeout_us);
		trouble_set(trouble, EXIT_TIMED_OUT, "daemon-timeout",
			    "kardiad did not answer within %s", limit);
		break;
	case CURLE_WRITE_ERROR:
		trouble_set(trouble, EXIT_FAILED, "daemon-bad-answer",
			    "kardiad's answer is too long");
		break;
	default:
		trouble_set(trouble, EXIT_FAILED, "daemon-bad-answer",
			    "asking kardiad: %s", curl_easy_strerror(code));
	}
}

bool ask_get(struct ask *ask, const char *path, size_t max,
	     struct ask_answer *answer, struct trouble *trouble)
{
	char url[128];
	CURLcode code;

	snprintf(url, sizeof(url), "http://kardiad%s", path);
	ask->max = max;
	ask->bytes = 0;
	curl_easy_setopt(ask->curl, CURLOPT_URL, url);
	curl_easy_setopt(ask->curl, CURLOPT_TIMEOUT_MS, ms_left(ask));
	code = curl_easy_perform(ask->curl);
	if (code != CURLE_OK) {
		explain(ask, code, trouble);
		return false;
	}
	curl_easy_getinfo(ask->curl, CURLINFO_RESPONSE_CODE, &answer->status);
	answer->body = ask->body ? ask->body : mem_zalloc(1, 1);
	answer->bytes = ask->bytes;
	ask->body = NULL;
	return true;
}
