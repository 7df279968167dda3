#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Give QEMU one command over its QMP socket: qmp.py SOCKET COMMAND"""
import json
import socket
import sys


def answer(stream):
    for line in stream:
        reply = json.loads(line)
        if "return" in reply:
            return
        if "error" in reply:
            sys.exit(f"qmp.py: {reply['error']['desc']}")
    sys.exit("qmp.py: QEMU is gone")


def main(path, command):
    with socket.socket(socket.AF_UNIX) as qemu:
        qemu.settimeout(30)
        qemu.connect(path)
        stream = qemu.makefile("rw")
        for name in "qmp_capabilities", command:
            stream.write(json.dumps({"execute": name}) + "\n")
            stream.flush()
            answer(stream)


main(*sys.argv[1:])
