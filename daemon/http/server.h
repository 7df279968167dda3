/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTTP server: a thread per listening socket, below the priority of the
 * loop that decides.
 */
#ifndef KARDIAD_HTTP_SERVER_H
#define KARDIAD_HTTP_SERVER_H

#include <netinet/in.h>
#include <stdint.h>

#include "daemon/http/board.h"
#include "daemon/status.h"
#include "daemon/why.h"

#define SERVER_ADDRESSES_MAX KARDIA_PATHS_MAX

/**
 * struct server_params - what to serve where
 * @status: on every socket
 * @node_map: on the Unix socket
 * @arbiter_map: on TCP; may be NULL if there are no addresses
 * @socket: path of the Unix socket
 * @addresses: to listen at; those that are 0 are left out
 * @port: there
 * @tls_ca: PEM file that client certificates are checked by; NULL: no TLS
 * @tls_certificate: PEM file
 * @tls_key: PEM file
 * @connections: limit for each socket
 * @hold_ms: how long a request waits for a newer map
 */
struct server_params {
	struct status *status;
	struct board *node_map;
	struct board *arbiter_map;
	const char *socket;
	struct in_addr addresses[SERVER_ADDRESSES_MAX];
	uint32_t port;
	const char *tls_ca;
	const char *tls_certificate;
	const char *tls_key;
	unsigned int connections;
	unsigned int hold_ms;
};

struct server;

/* All sockets listen when it returns, or none. */
int server_start(struct server **server, const struct server_params *params,
		 struct why *why);
void server_stop(struct server *server);

#endif
