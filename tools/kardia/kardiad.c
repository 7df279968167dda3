// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kardiad's answers, judged: its map by the map's own decoder, its status
 * member by member.
 */
#include "kardiad.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "daemon/json_read.h"
#include "daemon/mem.h"

#define STATUS_BYTES_MAX (64 * 1024)
#define DEPTH_MAX 8
#define HTTP_OK 200

static struct json_object *parse(const struct ask_answer *answer)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
	struct json_object *root;

	if (!tokener)
		mem_exhausted();
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
						JSON_TOKENER_VALIDATE_UTF8);
	/* With the NUL: a text that ends early is refused. */
	root = json_tokener_parse_ex(tokener, answer->body, answer->bytes + 1);
	json_tokener_free(tokener);
	return root;
}

/* The text of the member @key, "" if it is null. */
static void read_optional_text(struct json_read *r, const char *key, char *text,
			       size_t size)
{
	struct json_object *value;

	text[0] = '\0';
	if (!r->result && json_object_object_get_ex(r->object, key, &value) &&
	    !value)
		return;
	json_read_text(r, key, text, size);
}

/* kardia.error/1, or whatever else answers there. */
static void explain_refusal(const struct ask_answer *answer, const char *path,
			    struct trouble *trouble)
{
	struct json_object *root = parse(answer), *error = NULL;
	char message[256] = "";
	struct json_read r;
	struct why why;

	json_object_object_get_ex(root, "error", &error);
	r = json_read(error, "error", &why);
	json_read_text(&r, "message", message, sizeof(message));
	json_object_put(root);
	if (*message)
		trouble_set(trouble, EXIT_FAILED, "daemon-error",
			    "kardiad says: %s", message);
	else
		trouble_set(trouble, EXIT_FAILED, "daemon-error",
			    "kardiad answers %s with HTTP status %ld", path,
			    answer->status);
}

/* The body of a good answer in @answer, to be freed; else false. */
static bool get(struct ask *ask, const char *path, size_t max,
		struct ask_answer *answer, struct trouble *trouble)
{
	if (!ask_get(ask, path, max, answer, trouble))
		return false;
	if (answer->status == HTTP_OK)
		return true;
	explain_refusal(answer, path, trouble);
	free(answer->body);
	return false;
}

static void bad_answer(struct trouble *trouble, const struct why *why)
{
	trouble_set(trouble, EXIT_FAILED, "daemon-bad-answer",
		    "kardiad's answer is of no use: %s", why->text);
}

static void read_map(struct kardiad_view *view, struct ask *ask)
{
	struct ask_answer answer;
	struct why why;

	if (!get(ask, "/v1/map", MAP_TEXT_BYTES_MAX, &answer, &view->trouble))
		return;
	if (map_decode(&view->map, answer.body, answer.bytes, &why))
		bad_answer(&view->trouble, &why);
	free(answer.body);
}

static int decode_status(struct kardiad_status *status,
			 struct json_object *root, struct why *why)
{
	struct json_read r = json_read(root, "status", why);
	struct json_read kernel, deciding;
	struct json_object *arbiter = NULL;

	json_read_u32(&r, "node_id", 1, UINT32_MAX, &status->node_id);
	json_read_u64(&r, "applied_epoch", 0, MAP_EPOCH_MAX,
		      &status->applied_epoch);
	json_read_bool(&r, "arbiter_reachable", &status->arbiter_reachable);
	if (r.result)
		return r.result;
	kernel = json_read(json_read_object(&r, "kernel"), "kernel", why);
	read_optional_text(&kernel, "error", status->kernel_error,
			   sizeof(status->kernel_error));
	json_object_object_get_ex(root, "deciding", &arbiter);
	if (kernel.result || !arbiter)
		return kernel.result;
	deciding = json_read(arbiter, "deciding", why);
	read_optional_text(&deciding, "error", status->deciding_error,
			   sizeof(status->deciding_error));
	return deciding.result;
}

static void read_status(struct kardiad_view *view, struct ask *ask)
{
	struct kardiad_status status = { 0 };
	struct ask_answer answer;
	struct json_object *root;
	struct why why;

	if (!get(ask, "/v1/status", STATUS_BYTES_MAX, &answer, &view->trouble))
		return;
	root = parse(&answer);
	if (decode_status(&status, root, &why)) {
		bad_answer(&view->trouble, &why);
	} else {
		view->status = status;
		view->has_status = true;
	}
	json_object_put(root);
	free(answer.body);
}

void kardiad_view_read(struct kardiad_view *view, const struct cli *cli,
		       enum kardiad_question question)
{
	struct ask *ask = ask_open(cli);

	memset(view, 0, sizeof(*view));
	read_map(view, ask);
	if (question == KARDIAD_MAP_AND_STATUS &&
	    (view->trouble.exit == EXIT_DONE ||
	     view->trouble.exit == EXIT_FAILED))
		read_status(view, ask);
	ask_close(ask);
}

void kardiad_view_free(struct kardiad_view *view)
{
	map_free(view->map);
}

const char *kardiad_name(const struct map *map, uint32_t id)
{
	const struct map_node *node = map ? map_find(map, id) : NULL;

	return node ? node->name : NULL;
}

const char *kardiad_label(const struct map *map, uint32_t id, char *buf,
			  size_t size)
{
	const char *name = kardiad_name(map, id);

	if (name)
		return name;
	snprintf(buf, size, "id %u", id);
	return buf;
}
