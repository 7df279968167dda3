/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KARDIA_LIB_VERSION_H
#define KARDIA_LIB_VERSION_H

#define KARDIA_VERSION "0.1.0"

#endif
