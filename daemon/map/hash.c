// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns the choice of the hash that chains the epochs. */
#include <stdlib.h>

#include <gnutls/gnutls.h>
#include <gnutls/crypto.h>

#include "daemon/log.h"
#include "daemon/map/hash.h"

void map_hash(const void *data, size_t bytes, uint8_t hash[MAP_HASH_BYTES])
{
	int ret = gnutls_hash_fast(GNUTLS_DIG_SHA256, data, bytes, hash);

	if (ret < 0) {
		log_err("SHA-256: %s", gnutls_strerror(ret));
		abort();
	}
}
