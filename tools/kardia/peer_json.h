/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's objects in JSON, the same in every answer. */
#ifndef KARDIA_PEER_JSON_H
#define KARDIA_PEER_JSON_H

#include "json.h"
#include "seen.h"

struct map;

/* Add the members of a peer, a report, to the object @o. */
void peer_json(struct json_object *o, const struct seen *seen,
	       const struct map *map, const struct knl_peer *peer);
void report_json(struct json_object *o, const struct seen *seen,
		 const struct map *map, const struct knl_report *report);

#endif
