# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster of kardiads, one per namespace, on one configuration file."""
import http.client
import json
import os
import signal
import socket
import subprocess

import knl
from tap import eventually

BUILD = os.environ.get("KARDIA_BUILD", os.path.join(knl.TOP, "build"))
STATE = os.environ.get("KARDIA_STATE", "/run/kardia")


def config(nodes, interval="10ms", grace="50ms", arbiter=1):
    """The file's text: nodes on hosts of their own."""
    lines = ["[cluster]", "name = demo", f"interval = {interval}",
             f"grace = {grace}", "insecure = yes", "min_down_reporters = 2",
             "[arbiter]", f"store = {STATE}/map.db",
             "[local]", f"socket = {STATE}/%n/kardiad.sock",
             f"state_dir = {STATE}/%n"]
    for i in range(1, nodes + 1):
        lines += [f"[node n{i}]", f"id = {i}", f"front = 10.1.0.{i}",
                  f"back = 10.2.0.{i}"]
        if i == arbiter:
            lines.append("arbiter = yes")
    return "\n".join(lines) + "\n"


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Daemons:
    def __init__(self, nodes, **options):
        self.ids = list(range(1, nodes + 1))
        self.processes = {}
        self.logs = os.environ.get("KARDIA_OUT", STATE)
        self.file = f"{STATE}/kardia.conf"
        for i in self.ids:
            os.makedirs(f"{STATE}/n{i}", exist_ok=True)
        with open(self.file, "w") as file:
            file.write(config(nodes, **options))

    def command(self, i):
        return ["ip", "netns", "exec", f"n{i}", f"{BUILD}/kardiad",
                "-c", self.file, "--node", f"n{i}"]

    def start(self, i):
        with open(f"{self.logs}/kardiad-n{i}.log", "a") as log:
            self.processes[i] = subprocess.Popen(
                self.command(i), stdout=log, stderr=log,
                stdin=subprocess.DEVNULL)

    def start_all(self):
        for i in self.ids:
            self.start(i)

    def kill(self, i, number=signal.SIGKILL):
        process = self.processes.pop(i)
        process.send_signal(number)
        process.wait()

    def stop_all(self):
        for i in list(self.processes):
            self.kill(i, signal.SIGTERM)

    def get(self, i, resource):
        connection = _UnixConnection(f"{STATE}/n{i}/kardiad.sock")
        connection.request("GET", resource)
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        return json.loads(body) if reply.status == 200 else None

    def map(self, i=1):
        """The map that is in force on node i; None if it cannot be had."""
        try:
            return self.get(i, "/v1/map")
        except OSError:
            return None

    def state(self, node, at=1):
        found = self.map(at)
        return found and next(n["state"] for n in found["nodes"]
                              if n["id"] == node)

    def epochs(self):
        return {i: (self.map(i) or {}).get("epoch") for i in self.ids}

    def settled(self):
        """One epoch everywhere, every node up in it."""
        maps = [self.map(i) for i in self.ids]
        return all(maps) and len({m["hash"] for m in maps}) == 1 and all(
            n["state"] == "up" for n in maps[0]["nodes"])

    def log(self, i):
        with open(f"{self.logs}/kardiad-n{i}.log") as file:
            return file.read()

    def bring_up(self, timeout_s=20):
        self.start_all()
        if not eventually(self.settled, timeout_s, 0.05):
            raise AssertionError(
                f"no steady state: epochs {self.epochs()}\n" + self.log(1))


def cli(node, *arguments):
    """The command line on a node, as an operator there would run it."""
    return subprocess.run(
        ["ip", "netns", "exec", f"n{node}", f"{BUILD}/kardia",
         f"--socket={STATE}/n{node}/kardiad.sock", *arguments],
        capture_output=True, text=True, check=False)
