/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is answered to whom: the two resources and all refusals. */
#ifndef KARDIAD_HTTP_REQUEST_H
#define KARDIAD_HTTP_REQUEST_H

#include <microhttpd.h>

#include "daemon/http/board.h"
#include "daemon/http/hold.h"
#include "daemon/status.h"

/* What one listening socket serves. */
struct endpoint {
	struct MHD_Daemon *daemon;
	struct board *board;
	struct status *status;
	struct hold *hold;
	unsigned int hold_ms;
	bool tls; /* the client has to show a certificate */
};

/* libmicrohttpd's callbacks, with a struct endpoint as @arg. */
enum MHD_Result request_handle(void *arg, struct MHD_Connection *connection,
			       const char *url, const char *method,
			       const char *version, const char *upload,
			       size_t *upload_bytes, void **request);
void request_completed(void *arg, struct MHD_Connection *connection,
		       void **request, enum MHD_RequestTerminationCode reason);

#endif
