# SPDX-License-Identifier: GPL-2.0-or-later
"""
A node falls silent, seen by an observer that is no part of the system: what
crossed the wires, by kernel time stamps, and the events of each kernel. All
times are CLOCK_MONOTONIC nanoseconds; the guest has one clock for all nodes.
"""
import socket
import struct
import time

import cluster
import knl

SO_TIMESTAMPNS = 35
ETH_P_ALL = 3


def _beats_from(address):
    """Classic BPF: IPv4, our protocol, that source."""
    source = struct.unpack("!I", socket.inet_aton(address))[0]
    code = [(0x28, 0, 0, 12), (0x15, 0, 5, 0x0800), (0x30, 0, 0, 23),
            (0x15, 0, 3, knl.UAPI["KARDIA_IPPROTO"]), (0x20, 0, 0, 26),
            (0x15, 0, 1, source), (0x06, 0, 0, 64), (0x06, 0, 0, 0)]
    return b"".join(struct.pack("HBBI", *line) for line in code)


def _wall_clock_ahead_ns():
    """Of CLOCK_MONOTONIC: from the pair of readings least disturbed."""
    def sample():
        before = time.monotonic_ns()
        wall = time.clock_gettime_ns(time.CLOCK_REALTIME)
        after = time.monotonic_ns()
        return after - before, wall - (before + after) // 2
    return min(sample() for _ in range(50))[1]


class Wire:
    """Listens at a survivor's two ports for the victim's beats."""

    def __init__(self, survivor, victim):
        self.sockets = [self._listen(f"{name}-{survivor}",
                                     f"10.{index}.0.{victim}")
                        for index, name in ((1, "front"), (2, "back"))]

    @staticmethod
    def _listen(port, source):
        import ctypes
        code = _beats_from(source)
        buffer = ctypes.create_string_buffer(code)
        program = struct.pack("HL", len(code) // 8, ctypes.addressof(buffer))
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                             socket.htons(ETH_P_ALL))
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        sock.setsockopt(socket.SOL_SOCKET, 26, program)  # SO_ATTACH_FILTER
        sock.bind((port, 0))
        sock.setblocking(False)
        return sock

    def last_ns(self):
        """When the last beat crossed either port."""
        last = 0
        ahead = _wall_clock_ahead_ns()
        for sock in self.sockets:
            while True:
                try:
                    _, control, _, _ = sock.recvmsg(64, 64)
                except BlockingIOError:
                    break
                for _, kind, data in control:
                    if kind == SO_TIMESTAMPNS:
                        s, ns = struct.unpack("ll", data)
                        last = max(last, s * 10**9 + ns - ahead)
            sock.close()
        return last


class Failover:
    """Cut a node off, or heal it, and gather what happened where."""

    def __init__(self, daemons, victim, arbiter=1):
        self.daemons, self.victim, self.arbiter = daemons, victim, arbiter
        self.survivors = [i for i in daemons.ids if i != victim]
        self.events = {i: knl.Events(f"n{i}") for i in daemons.ids}

    def _drain(self):
        for events in self.events.values():
            events.read()

    def _applied(self, epoch):
        return {i: self.events[i].wait("map_applied", map_epoch=epoch)
                for i in self.survivors}

    def _new_map(self, before, state):
        """The map of the decision about the victim."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            found = self.daemons.map(self.arbiter)
            if found and found["epoch"] > before and any(
                    n["id"] == self.victim and n["state"] == state
                    for n in found["nodes"]):
                return found
            time.sleep(0.005)
        raise AssertionError(f"n{self.victim} is not {state} in the map")

    def cut(self):
        before = self.daemons.map(self.arbiter)["epoch"]
        self._drain()
        wires = {i: Wire(i, self.victim) for i in self.survivors}
        cluster.cut(self.victim)
        time.sleep(0.2)
        down = {i: self.events[i].wait("peer_down", id=self.victim)
                for i in self.survivors}
        reports = {}
        while len(reports) < len(self.survivors):
            event = self.events[self.arbiter].wait("report")
            if not event:
                break
            suspects = {s["id"] for s in event["report"]["suspect"]}
            if self.victim in suspects:
                reports.setdefault(event["report"]["reporter"], event)
        found = self._new_map(before, "down")
        return {"down": down, "reports": reports, "map": found,
                "applied": self._applied(found["epoch"]),
                "last_beat_ns": {i: w.last_ns() for i, w in wires.items()}}

    def heal(self):
        before = self.daemons.map(self.arbiter)["epoch"]
        self._drain()
        cluster.heal(self.victim)
        begin = time.monotonic_ns()
        up = {i: self.events[i].wait("peer_up", id=self.victim)
              for i in self.survivors}
        found = self._new_map(before, "up")
        applied = self._applied(found["epoch"])
        applied[self.victim] = self.events[self.victim].wait(
            "map_applied", map_epoch=found["epoch"])
        return {"up": up, "map": found, "applied": applied, "begin_ns": begin}

    def quiet(self, seconds):
        """All events of that time, by node."""
        self._drain()
        time.sleep(seconds)
        return {i: e for i, e in
                ((i, self.events[i].read()) for i in self.events) if e}
