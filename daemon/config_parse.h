/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The form of the configuration file; for config.c only. */
#ifndef KARDIAD_CONFIG_PARSE_H
#define KARDIAD_CONFIG_PARSE_H

#include <stdio.h>

#include "daemon/config.h"

/*
 * Put what @file says into @config, on top of the defaults that are there.
 * On failure @line is the one to blame, 0 for the file as a whole.
 */
int config_parse(struct config *config, FILE *file, struct config_lines *lines,
		 unsigned int *line, struct why *why);

#endif
