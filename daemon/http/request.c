// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the HTTP interface as Documentation/http.rst describes it: reading only,
 * no bodies. Runs in libmicrohttpd's threads, and shares with the deciding loop
 * no more than boards and the status.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "daemon/clock.h"
#include "daemon/http/request.h"
#include "daemon/json_write.h"
#include "daemon/mem.h"

/* Lives from the headers to the end of the answer. */
struct request {
	struct hold_waiter waiter;
	bool held;
};

static enum MHD_Result send_response(struct MHD_Connection *connection,
				     unsigned int status,
				     struct MHD_Response *response)
{
	enum MHD_Result ret;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				"application/json");
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
				"no-store");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW,
					"GET, HEAD");
	ret = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return ret;
}

static enum MHD_Result send_error(struct MHD_Connection *connection,
				  unsigned int status, const char *code,
				  const char *message)
{
	struct json_object *root = json_object_new_object();
	struct json_object *error;
	struct MHD_Response *response;
	const char *text;
	size_t bytes;

	if (!root)
		mem_exhausted();
	json_add_text(root, "schema", "kardia.error/1");
	error = json_add_object(root, "error");
	json_add_text(error, "code", code);
	json_add_text(error, "message", message);
	text = json_text(root, &bytes);
	response = MHD_create_response_from_buffer(bytes, (void *)text,
						   MHD_RESPMEM_MUST_COPY);
	json_object_put(root);
	return send_response(connection, status, response);
}

static enum MHD_Result send_no_content(struct MHD_Connection *connection)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		0, (void *)"", MHD_RESPMEM_PERSISTENT);
	enum MHD_Result ret;

	if (!response)
		return MHD_NO;
	ret = MHD_queue_response(connection, MHD_HTTP_NO_CONTENT, response);
	MHD_destroy_response(response);
	return ret;
}

static void unref_text(void *text)
{
	board_text_unref(text);
}

/* Takes over the reference to @text. */
static enum MHD_Result send_map(struct MHD_Connection *connection,
				struct board_text *text)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer_with_free_callback_cls(
			text->bytes, text->data, unref_text, text);

	if (!response)
		board_text_unref(text);
	return send_response(connection, MHD_HTTP_OK, response);
}

/* Decimal, or none at all: then everything is news. */
static int parse_since(const char *text, uint64_t *since)
{
	char *end;

	*since = 0;
	if (!text)
		return 0;
	errno = 0;
	*since = strtoull(text, &end, 10);
	return errno || *end || *text < '0' || *text > '9' ? -EINVAL : 0;
}

static enum MHD_Result handle_map(struct endpoint *e,
				  struct MHD_Connection *connection,
				  struct request *request)
{
	struct hold_waiter *w = &request->waiter;
	struct board_text *text;

	if (parse_since(MHD_lookup_connection_value(
				connection, MHD_GET_ARGUMENT_KIND, "since"),
			&w->since))
		return send_error(connection, MHD_HTTP_BAD_REQUEST, "bad-since",
				  "since is not an epoch");
	text = board_get(e->board);
	if (!text)
		return send_error(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				  "no-map", "there is no map here yet");
	if (text->epoch != w->since)
		return send_map(connection, text);
	board_text_unref(text);
	if (request->held && clock_mono_ns() >= w->deadline_ns)
		return send_no_content(connection);
	if (!request->held) {
		w->connection = connection;
		w->board = e->board;
		w->deadline_ns = clock_mono_ns() + e->hold_ms * 1000000ULL;
		request->held = true;
	}
	if (hold_wait(e->hold, w))
		return MHD_YES;
	text = board_get(e->board);
	if (text->epoch != w->since)
		return send_map(connection, text);
	board_text_unref(text);
	if (clock_mono_ns() >= w->deadline_ns)
		return send_no_content(connection);
	/* "No news" would have the client ask again at once, for ever. */
	return send_error(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "stopping",
			  "this kardiad stops");
}

static enum MHD_Result handle_status(struct endpoint *e,
				     struct MHD_Connection *connection)
{
	struct MHD_Response *response;
	size_t bytes;
	char *text = status_json(e->status, &bytes);

	response = MHD_create_response_from_buffer(bytes, text,
						   MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(text);
	return send_response(connection, MHD_HTTP_OK, response);
}

/* The chain of the client's certificate, whatever name it carries. */
static bool is_known_client(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	gnutls_typed_vdata_st purpose = {
		.type = GNUTLS_DT_KEY_PURPOSE_OID,
		.data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT,
	};
	unsigned int status = 0;

	return info &&
	       gnutls_certificate_verify_peers(info->tls_session, &purpose, 1,
					       &status) == GNUTLS_E_SUCCESS &&
	       !status;
}

static bool has_body(struct MHD_Connection *connection)
{
	const char *length = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return (length && strcmp(length, "0")) ||
	       MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
					   MHD_HTTP_HEADER_TRANSFER_ENCODING);
}

/* The headers are there: refuse at once, or take the request on. */
static enum MHD_Result begin(const struct endpoint *e,
			     struct MHD_Connection *connection,
			     const char *method, void **request)
{
	if (e->tls && !is_known_client(connection))
		return send_error(
			connection, MHD_HTTP_FORBIDDEN, "no-certificate",
			"a certificate of the cluster's CA is needed");
	if (strcmp(method, MHD_HTTP_METHOD_GET) &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD))
		return send_error(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				  "bad-method", "only GET and HEAD are served");
	if (has_body(connection))
		return send_error(connection, MHD_HTTP_CONTENT_TOO_LARGE,
				  "no-body", "a request has no body here");
	*request = mem_zalloc(1, sizeof(struct request));
	return MHD_YES;
}

enum MHD_Result request_handle(void *arg, struct MHD_Connection *connection,
			       const char *url, const char *method,
			       const char *version, const char *upload,
			       size_t *upload_bytes, void **request)
{
	struct endpoint *e = arg;

	(void)version;
	(void)upload;
	if (!*request)
		return begin(e, connection, method, request);
	if (*upload_bytes)
		return MHD_NO;
	if (!strcmp(url, "/v1/map"))
		return handle_map(e, connection, *request);
	if (!strcmp(url, "/v1/status"))
		return handle_status(e, connection);
	return send_error(connection, MHD_HTTP_NOT_FOUND, "not-found",
			  "only /v1/map and /v1/status are served");
}

void request_completed(void *arg, struct MHD_Connection *connection,
		       void **request, enum MHD_RequestTerminationCode reason)
{
	(void)arg;
	(void)connection;
	(void)reason;
	free(*request);
	*request = NULL;
}
