/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same status in JSON. */
#ifndef KARDIA_STATUS_H
#define KARDIA_STATUS_H

#include "json.h"
#include "status_rows.h"

struct json_object *status_document(const struct seen *seen,
				    const struct kardiad_view *kardiad);

#endif
