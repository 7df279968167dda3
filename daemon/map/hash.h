/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KARDIAD_MAP_HASH_H
#define KARDIAD_MAP_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/map/model.h"

/* SHA-256; aborts if the library cannot. */
void map_hash(const void *data, size_t bytes, uint8_t hash[MAP_HASH_BYTES]);

#endif
