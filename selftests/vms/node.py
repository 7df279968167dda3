#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
One machine of several: runs kardiad and keeps files in $KARDIA_OUT that say
what the map in force here says: nI-up or nI-down, and all-up. The file
`accused` appears when this kernel ever calls a peer down.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lib"))
import daemons  # noqa: E402
import knl  # noqa: E402

OUT = os.environ["KARDIA_OUT"]
ME, NODES = int(os.environ["KARDIA_NODE"]), int(os.environ["KARDIA_VMS"])


class Here(daemons.Daemons):
    """The daemon of this machine only, in its own namespace."""

    def command(self, i):
        return super().command(i)[4:]


def mark(name, there):
    path = os.path.join(OUT, name)
    if there:
        open(path, "w").close()
    elif os.path.exists(path):
        os.unlink(path)


def show(found):
    states = {n["id"]: n["state"] for n in found["nodes"]}
    for ident, state in states.items():
        mark(f"n{ident}-up", state == "up")
        mark(f"n{ident}-down", state == "down")
    mark("all-up", set(states.values()) == {"up"})


def main():
    here = Here(NODES, interval="200ms", grace="2s")
    events = knl.Events()
    here.start(ME)
    while True:
        found = here.map(ME)
        if found:
            show(found)
        if any(e["type"] == "peer_down" for e in events.read(0.2)):
            mark("accused", True)
        time.sleep(0.1)


main()
