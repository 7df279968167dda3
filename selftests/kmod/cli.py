#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: nodes=3
"""
The command line on what the module alone knows: no kardiad runs here. Above
all the monitor's promise: snapshot, then each event once, or LOST.
"""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lib"))
import cluster  # noqa: E402
from daemons import BUILD, STATE, cli  # noqa: E402
from knl import UAPI, node, u64  # noqa: E402
from tap import eventually, note, run, test  # noqa: E402

# Patient: wall time, and the host may be busy.
TIMING = INTERVAL_US, GRACE_US = 50_000, 1_000_000
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
mesh = None


class Monitor:
    """`kardia monitor -j` on node 1; lines() gives what it said."""

    def __init__(self, *wrapper):
        self.path = f"/tmp/monitor-{time.monotonic_ns()}"
        with open(self.path, "w") as out:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", "n1", *wrapper, f"{BUILD}/kardia",
                 f"--socket={STATE}/none", "monitor", "-j"],
                stdout=out, stderr=subprocess.PIPE, text=True)

    def lines(self, action=None):
        with open(self.path) as file:
            found = [json.loads(line) for line in file if line[-1] == "\n"]
        return [x for x in found if action in (None, x["action"])]

    def stop(self):
        self.process.kill()
        self.process.communicate()
        return self.lines()


def set_epochs(first, last):
    """Each is an event."""
    for epoch in range(first, last + 1):
        mesh.genl[1].node_set(*node(1, *TIMING, arbiter=1), u64(
            UAPI["KARDIA_A_NODE_MAP_EPOCH"], epoch))


@test
def an_idle_module_is_told_apart_from_none():
    done = cli(1, "status")
    assert done.returncode == 5, done
    assert "idle" in done.stdout and "kardiad is not running" in done.stderr
    assert "not loaded" not in done.stderr
    done = cli(1, "peer", "list", "-j")
    assert done.returncode == 0 and json.loads(done.stdout)["peers"] == []
    done = cli(1, "monitor", "--duration=50ms")
    assert done.returncode == 0 and "the module is idle" in done.stdout


@test
def what_the_kernel_sees_is_shown_without_daemon():
    global mesh
    mesh = cluster.Mesh(3, *TIMING)
    assert eventually(mesh.all_up)
    done = cli(1, "status")
    assert done.returncode == 5, done
    assert "no verdicts" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines()
            if line.startswith("-")]
    assert [row[1:4] for row in rows] == [
        ["1", "-", "(self)"], ["2", "-", "up"], ["3", "-", "up"]], rows
    status = json.loads(cli(1, "status", "-j").stdout)
    assert status["node_id"] == 1 and status["epoch"] is None
    assert [x["seen"] for x in status["nodes"]] == [None, "up", "up"]
    assert status["kernel"]["stats"]["tx_beats"] > 0


@test
def peers_are_listed_with_both_paths():
    done = cli(2, "peer")
    assert done.returncode == 0 and "kardiad is not running" in done.stderr
    assert len(done.stdout.splitlines()) == 1 + 2 * 2
    for peer in json.loads(cli(2, "peer", "-j").stdout)["peers"]:
        kernel = mesh.genl[2].peers()[peer["node_id"]]
        assert int(peer["incarnation"], 16) == kernel["incarnation"]
        assert peer["interval_us"] == INTERVAL_US, peer
        assert peer["grace_us"] == GRACE_US, peer
        assert [p["path"] for p in peer["paths"]] == ["front", "back"]
        for i, path in enumerate(peer["paths"]):
            assert path["local"] == f"10.{i + 1}.0.2", path
            assert path["rx"] > 0 and path["rtt_ns"] > 0, path


@test
def the_monitor_tells_a_snapshot_and_then_changes():
    monitor = Monitor()
    assert eventually(lambda: monitor.lines("synced"))
    cluster.cut(3)
    assert eventually(lambda: any(
        x["type"] == "report" and x["node_id"] == 2 and
        x["report"]["suspects"] for x in monitor.lines("change")))
    cluster.heal(3)
    assert eventually(lambda: any(
        x["type"] == "peer-up" for x in monitor.lines("change")))
    lines = monitor.stop()
    synced = [x["action"] for x in lines].index("synced")
    assert {x["action"] for x in lines[:synced]} == {"exists"}
    assert {x["action"] for x in lines[synced + 1:]} == {"change"}
    assert [x["node_id"] for x in lines[:synced] if x["peer"]] == [2, 3]
    down = next(x for x in lines if x["type"] == "peer-down")
    assert down["node_id"] == 3 and down["peer"]["state"] == "down"
    assert down["peer"]["cause"] == "silent"
    assert not any(p["alive"] for p in down["peer"]["paths"])
    assert down["time_ns"] >= down["peer"]["deadline_ns"]
    keys = {tuple(x) for x in lines}
    assert len(keys) == 1, "the same keys in each line"
    schemas = {x["schema"] for x in lines}
    assert schemas == {"kardia.event/1"}


@test
def each_event_is_told_once_from_the_snapshot_on():
    """Monitors that start while events are raised all the time."""
    monitors, epoch = [Monitor() for _ in range(3)], 0
    while epoch < 20000 and not all(m.lines("synced") for m in monitors):
        set_epochs(epoch + 1, epoch + 50)
        epoch += 50
    set_epochs(epoch + 1, epoch + 50)
    assert eventually(lambda: all(
        m.lines()[-1]["map_epoch"] == epoch + 50 for m in monitors))
    for monitor in monitors:
        lines = monitor.stop()
        assert not [x for x in lines if x["action"] == "lost"]
        synced = next(x for x in lines if x["action"] == "synced")
        seqs = [x["seq"] for x in lines if x["action"] == "change"]
        note(f"synced at {synced['seq']}, then {len(seqs)} events")
        expected = range(synced["seq"] + 1, synced["seq"] + 1 + len(seqs))
        assert len(seqs) >= 50 and seqs == list(expected), seqs


@test
def what_a_stopped_reader_lost_is_told():
    """Without privileges its buffer holds some hundred events."""
    monitor = Monitor(*NOBODY)
    assert eventually(lambda: monitor.lines("synced"))
    monitor.process.send_signal(signal.SIGSTOP)
    first = mesh.genl[1].node_get()["event_seq"] + 1
    set_epochs(30001, 33000)
    last = mesh.genl[1].node_get()["event_seq"]
    monitor.process.send_signal(signal.SIGCONT)
    assert eventually(lambda: len(monitor.lines("synced")) == 2, 10)
    set_epochs(40000, 40000)
    assert eventually(lambda: monitor.lines()[-1]["map_epoch"] == 40000)
    lines = monitor.stop()
    (lost,) = [x for x in lines if x["action"] == "lost"]
    told = [x["seq"] for x in lines if x["action"] == "change"]
    note(f"of {first}..{last} lost {lost['lost_first_seq']}.."
         f"{lost['lost_last_seq']}")
    assert lost["lost_last_seq"] >= last
    before = range(first, lost["lost_first_seq"])
    after = range(lost["lost_last_seq"] + 1,
                  lost["lost_last_seq"] + 1 + len(told) - len(before))
    assert after and told == [*before, *after], told
    again = lines[lines.index(lost) + 1:]
    assert [x["node_id"] for x in again if x["object"] == "peer"] == [2, 3]


@test
def anybody_may_look():
    done = subprocess.run(
        ["ip", "netns", "exec", "n1", *NOBODY, f"{BUILD}/kardia",
         f"--socket={STATE}/none", "peer", "-j"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0 and json.loads(done.stdout)["peers"], done


@test
def the_monitor_ends_when_its_reader_does():
    process = subprocess.Popen(
        ["ip", "netns", "exec", "n1", f"{BUILD}/kardia",
         f"--socket={STATE}/none", "monitor"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    process.stdout.readline()
    process.stdout.close()
    process.wait(timeout=5)


@test
def an_unloaded_module_ends_the_monitor():
    monitor = Monitor()
    assert eventually(lambda: monitor.lines("synced"))
    for genl in (*mesh.genl.values(), *mesh.events.values()):
        genl.close()
    subprocess.run(["rmmod", "kardia"], check=True)
    _, said = monitor.process.communicate(timeout=10)
    assert monitor.process.returncode == 5, monitor.process.returncode
    assert "kardia.ko is not loaded" in said, said


run()
