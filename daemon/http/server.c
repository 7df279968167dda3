// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the libmicrohttpd daemons: their sockets, limits, certificates and
 * threads. What is answered is request.c's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/file.h"
#include "daemon/http/listen.h"
#include "daemon/http/request.h"
#include "daemon/http/server.h"
#include "daemon/mem.h"
#include "daemon/realtime.h"

#define ENDPOINTS_MAX (SERVER_ADDRESSES_MAX + 1)
#define HEADER_BYTES_MAX (8 * 1024)
#define IDLE_TIMEOUT_S 35 /* more than a request is held */
#define PEM_BYTES_MAX (64 * 1024)
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

struct server {
	struct hold *hold;
	struct endpoint endpoints[ENDPOINTS_MAX];
	unsigned int n_endpoints;
	char *socket; /* to be removed at the end; NULL: not ours */
	unsigned int connections;
	unsigned int hold_ms;
	char *ca, *certificate, *key; /* PEM, NULL without TLS */
};

static int read_pem(const char *path, char **text, struct why *why)
{
	size_t bytes;

	return file_read(path, PEM_BYTES_MAX, text, &bytes, why);
}

static int read_certificates(struct server *s,
			     const struct server_params *params,
			     struct why *why)
{
	int ret;

	if (!params->tls_ca)
		return 0;
	ret = read_pem(params->tls_ca, &s->ca, why);
	if (!ret)
		ret = read_pem(params->tls_certificate, &s->certificate, why);
	if (!ret)
		ret = read_pem(params->tls_key, &s->key, why);
	return ret;
}

/* The thread that this creates inherits the priority of the caller. */
static struct MHD_Daemon *start_daemon(struct server *s, struct endpoint *e,
				       int fd)
{
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_TRUST, 0, s->ca },
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, s->certificate },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, s->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, TLS_PRIORITIES },
		{ MHD_OPTION_END, 0, NULL },
	};
	struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };
	/*
	 * Not epoll: there the library (0.9.75) waits again after a full batch
	 * of 128 events before it handles any, and so stalls for as long as
	 * nothing else happens. Held connections are not polled.
	 */
	unsigned int flags = MHD_USE_POLL_INTERNAL_THREAD |
			     MHD_ALLOW_SUSPEND_RESUME;
	struct MHD_Daemon *daemon;

	if (e->tls)
		flags |= MHD_USE_TLS;
	realtime_serving_begin();
	daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, request_handle, e,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED,
		request_completed, e, MHD_OPTION_CONNECTION_LIMIT,
		s->connections, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_TIMEOUT_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES_MAX,
		MHD_OPTION_THREAD_STACK_SIZE, (size_t)REALTIME_STACK_BYTES,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY,
		e->tls ? tls : none, MHD_OPTION_END);
	realtime_serving_end();
	return daemon;
}

static int serve(struct server *s, int fd, struct board *board,
		 struct status *status, bool tls, struct why *why)
{
	struct endpoint *e = &s->endpoints[s->n_endpoints];

	if (fd < 0)
		return fd;
	e->board = board;
	e->status = status;
	e->hold = s->hold;
	e->hold_ms = s->hold_ms;
	e->tls = tls;
	e->daemon = start_daemon(s, e, fd);
	if (!e->daemon) {
		close(fd);
		return why_set(why, -EINVAL, "HTTP server: cannot start%s",
			       tls ? ": are the TLS files in order?" : "");
	}
	s->n_endpoints++;
	board_notify(board, hold_notify_fd(s->hold));
	return 0;
}

static int serve_unix(struct server *s, const struct server_params *params,
		      struct why *why)
{
	int fd = listen_unix(params->socket, why);

	if (fd < 0)
		return fd;
	s->socket = mem_dup(params->socket, strlen(params->socket));
	return serve(s, fd, params->node_map, params->status, false, why);
}

static int serve_tcp(struct server *s, const struct server_params *params,
		     struct why *why)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < SERVER_ADDRESSES_MAX && !ret; i++)
		if (params->addresses[i].s_addr)
			ret = serve(s,
				    listen_tcp(params->addresses[i],
					       params->port, why),
				    params->arbiter_map, params->status, s->ca,
				    why);
	return ret;
}

static int start(struct server *s, const struct server_params *params,
		 struct why *why)
{
	int ret = read_certificates(s, params, why);

	if (!ret)
		ret = hold_new(&s->hold, why);
	if (!ret)
		ret = serve_unix(s, params, why);
	if (!ret)
		ret = serve_tcp(s, params, why);
	return ret;
}

int server_start(struct server **server, const struct server_params *params,
		 struct why *why)
{
	struct server *s = mem_zalloc(1, sizeof(*s));
	int ret;

	s->connections = params->connections;
	s->hold_ms = params->hold_ms;
	ret = start(s, params, why);
	if (ret) {
		server_stop(s);
		return ret;
	}
	*server = s;
	return 0;
}

static void wipe(char *pem)
{
	if (pem)
		explicit_bzero(pem, strlen(pem));
	free(pem);
}

void server_stop(struct server *s)
{
	unsigned int i;

	if (!s)
		return;
	/* libmicrohttpd must not be stopped with connections suspended. */
	if (s->hold)
		hold_stop(s->hold);
	for (i = 0; i < s->n_endpoints; i++) {
		board_notify(s->endpoints[i].board, -1);
		MHD_stop_daemon(s->endpoints[i].daemon);
	}
	hold_free(s->hold);
	if (s->socket)
		unlink(s->socket);
	free(s->socket);
	free(s->ca);
	free(s->certificate);
	wipe(s->key);
	free(s);
}
