# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes in namespaces, as selftests/vm/cluster.sh lays them: n1, n2, …"""
import os
import subprocess

import knl

_SHELL = os.path.join(knl.TOP, "selftests/vm/cluster.sh")


def shell(command):
    """A function of cluster.sh, such as `node_cut 3 both both`."""
    subprocess.run(["bash", "-euc", f". {_SHELL}; {command}"], check=True)


def cut(node, network="both", direction="both"):
    shell(f"node_cut {node} {network} {direction}")


def heal(node, network="both", direction="both"):
    shell(f"node_heal {node} {network} {direction}")


def run_in(node, *command, **options):
    return subprocess.run(["ip", "netns", "exec", f"n{node}", *command],
                          check=True, **options)


class Mesh:
    """Every node configured by hand to watch all others; no daemon."""

    def __init__(self, nodes, interval_us=10000, grace_us=50000, arbiters=(1,)):
        self.ids = range(1, nodes + 1)
        self.arbiters = arbiters
        self.timing = interval_us, grace_us
        self.genl = {i: knl.Genl(f"n{i}") for i in self.ids}
        self.events = {i: knl.Events(f"n{i}") for i in self.ids}
        for ident in self.ids:
            self.start(ident)

    def start(self, ident):
        genl = self.genl[ident]
        genl.node_set(*knl.node(ident, *self.timing,
                                arbiter=int(ident in self.arbiters)))
        for other in self.ids:
            if other != ident:
                genl.peer_set(*knl.peer(ident, other,
                                        arbiter=int(other in self.arbiters)))

    def stop(self, ident):
        self.genl[ident].node_del()

    def all_up(self):
        up = knl.UAPI["KARDIA_PEER_UP"]
        return all(p["state"] == up for i in self.ids
                   for p in self.genl[i].peers().values())

    def drain(self):
        """Forget the events so far."""
        for events in self.events.values():
            events.read()
