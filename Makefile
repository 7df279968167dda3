# SPDX-License-Identifier: GPL-2.0-or-later
#
#	make			module for KDIR, daemon and command line
#	make demo		a live cluster in a virtual machine loses a node
#	make demo HOST=1	the same in namespaces of this machine
#	make check		all tests
#	make lint		style and static checks
#	make deps		install what Debian 12 packages are missing
#	make install		to PREFIX below DESTDIR; the module to KDIR's kernel
#
# Output goes to build/ (O=...).

MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash

O ?= build
PREFIX ?= /usr/local
SBINDIR ?= $(PREFIX)/sbin
SYSCONFDIR ?= /etc
# Kernels that the tests boot.
KERNELS ?= 6.1 6.12

kernel_sh := selftests/vm/kernel.sh
# The running kernel's headers if it loads modules, else the newest installed.
KDIR ?= $(shell selftests/vm/kdir.sh)
KVER = $(notdir $(patsubst %/build,%,$(KDIR:/usr/src/linux-headers-%=%)))

PACKAGES := json-c libcurl libmicrohttpd gnutls libnl-genl-3.0 libsystemd \
	    sqlite3 smartcols inih
CC := gcc
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
ALL_CFLAGS = -std=gnu11 $(WARNINGS) -Werror=implicit -Iuapi -I. \
	     -D_GNU_SOURCE -MMD -MP $(shell pkg-config --cflags $(PACKAGES)) \
	     $(CFLAGS)
LIBS = $(shell pkg-config --libs $(PACKAGES)) -lpthread

lib_o := $(patsubst %.c,$(O)/%.o,$(wildcard lib/*.c))
pure_o := $(O)/kmod/frame.o $(O)/kmod/grace.o
daemon_o := $(patsubst %.c,$(O)/%.o,$(wildcard daemon/*.c daemon/*/*.c))
cli_o := $(patsubst %.c,$(O)/%.o,$(wildcard tools/kardia/*.c))
unit_tests := $(patsubst selftests/unit/%.c,$(O)/unit/%,\
		$(wildcard selftests/unit/test_*.c))
module_sources := Kbuild lib/version.h $(wildcard kmod/*.[ch]) \
		  uapi/linux/kardia.h

.PHONY: all userspace module modules deps demo check check-run lint \
	unit-tests install clean
.DELETE_ON_ERROR:
.SECONDARY:

all: module userspace

userspace: $(O)/kardiad $(O)/kardia

$(O)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

# cmocka hands each test a state that most have no use for.
$(O)/selftests/unit/%.o: WARNINGS += -Wno-unused-parameter

$(O)/lib.a: $(lib_o)
	@rm -f $@
	@ar rcs $@ $^

# All but main(): for the unit tests, and for the command line, which shares
# the map's model.
$(O)/daemon.a: $(filter-out %/main.o,$(daemon_o))
	@rm -f $@
	@ar rcs $@ $^

$(O)/cli.a: $(filter-out %/main.o,$(cli_o))
	@rm -f $@
	@ar rcs $@ $^

$(O)/kardiad: $(O)/daemon/main.o $(O)/daemon.a $(O)/lib.a
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(O)/kardia: $(O)/tools/kardia/main.o $(O)/cli.a $(O)/daemon.a $(O)/lib.a
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(O)/unit/%: $(O)/selftests/unit/%.o $(pure_o) $(O)/cli.a $(O)/daemon.a \
		$(O)/lib.a
	@mkdir -p $(@D)
	@echo "  LD      $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -lcmocka

unit-tests: $(unit_tests)

# A kernel's module is built in a copy of the sources of its own.
$(O)/kmod/%/kardia.ko: $(module_sources)
	@echo "  MODULE  $*"
	@selftests/vm/build-module.sh $* $(@D)

module: $(O)/kmod/$(KVER)/kardia.ko

modules: $(foreach k,$(KERNELS),$(O)/kmod/$(shell $(kernel_sh) version $(k))/kardia.ko)

deps:
	@deps/install.sh

demo: deps
	@$(MAKE) --no-print-directory demo-run

check: deps
	@$(MAKE) --no-print-directory check-run

.PHONY: demo-run
ifeq ($(HOST),1)
demo-run: module userspace
	@selftests/demo/host.sh $(O)/kmod/$(KVER)/kardia.ko
else
demo-run: userspace
	@$(MAKE) --no-print-directory modules KERNELS=6.12
	@selftests/demo/vm.sh
endif

check-run: userspace unit-tests modules
	@selftests/check.sh $(KERNELS)

lint: deps
	@selftests/lint/lint.sh $(KERNELS)

install: all
	install -D -m 755 $(O)/kardiad $(DESTDIR)$(SBINDIR)/kardiad
	install -D -m 755 $(O)/kardia $(DESTDIR)$(SBINDIR)/kardia
	install -D -m 644 etc/kardia.conf \
		$(DESTDIR)$(SYSCONFDIR)/kardia/kardia.conf.example
	install -D -m 644 $(O)/kmod/$(KVER)/kardia.ko \
		$(DESTDIR)/lib/modules/$(KVER)/updates/kardia.ko
	$(if $(DESTDIR),,depmod $(KVER))

# Downloaded kernels stay.
clean:
	@find $(O) -mindepth 1 -maxdepth 1 ! -name cache -exec rm -rf {} +

-include $(shell find $(O) -name '*.d' 2>/dev/null)
