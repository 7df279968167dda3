#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: nodes=4
"""
The command line with kardiad: verdicts beside sightings, the map and its
accusers, and what is shown while the daemon hangs or is gone.
"""
import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lib"))
import cluster  # noqa: E402
from daemons import Daemons, cli  # noqa: E402
from tap import eventually, note, run, test  # noqa: E402

# Patient: wall time, and the host may be busy.
daemons = Daemons(4, interval="50ms", grace="500ms")
daemons.bring_up()
keys_when_up = None


def rows(done):
    """The table of a status: {node: [ID, VERDICT, SEEN, ...]}."""
    table = done.stdout.split("\n\n", 1)[1].splitlines()
    return {line.split()[0]: line.split()[1:] for line in table[1:]}


def keys(value, path=""):
    """Every path of keys in a document; what is null has none below it."""
    if isinstance(value, dict):
        return {path}.union(*(keys(v, f"{path}.{k}")
                              for k, v in value.items()))
    if isinstance(value, list):
        return {path}.union(*(keys(v, f"{path}[]") for v in value))
    return {path}


@test
def a_healthy_cluster_on_one_screen():
    global keys_when_up
    begin = time.monotonic()
    done = cli(2)
    note(done.stdout)
    note(f"{time.monotonic() - begin:.3f} s")
    assert done.returncode == 0 and not done.stderr, done
    assert "demo" in done.stdout and "4 up, 0 down" in done.stdout
    assert rows(done)["n2"][:3] == ["2", "up", "(self)"]
    for name in ("n1", "n3", "n4"):
        assert rows(done)[name][1:3] == ["up", "up"], done.stdout
        assert rows(done)[name][4] == "2/2", done.stdout
    keys_when_up = keys(json.loads(cli(2, "status", "-j").stdout))


@test
def names_are_shown_with_peers():
    done = cli(1, "peer")
    assert done.returncode == 0 and not done.stderr, done
    assert {line.split()[0] for line in done.stdout.splitlines()[1:]} == \
        {"n2", "n3", "n4"}


@test
def a_dead_node_is_down_in_both_columns():
    cluster.cut(4)
    assert eventually(lambda: daemons.state(4, at=2) == "down", 20)
    done = cli(2)
    assert done.returncode == 0 and not done.stderr, done
    assert "3 up, 1 down" in done.stdout
    assert rows(done)["n4"][1:3] == ["down", "down"], done.stdout
    assert rows(done)["n4"][4] == "0/2", done.stdout
    assert keys(json.loads(cli(2, "status", "-j").stdout)) == keys_when_up


@test
def verdict_and_sighting_may_differ():
    """The dead node sees all others silent, and knows the old map only."""
    done = cli(4)
    assert done.returncode == 0, done
    for name in ("n1", "n2", "n3"):
        assert rows(done)[name][1:3] == ["up", "down"], done.stdout


@test
def the_map_names_who_accused():
    done = cli(3, "map")
    note(done.stdout)
    assert done.returncode == 0 and not done.stderr, done
    assert "n4 down (silent), accused by" in done.stdout
    assert "on front and back" in done.stdout
    document = json.loads(cli(3, "map", "-j").stdout)
    assert document == daemons.map(3)
    cluster.heal(4)
    assert eventually(daemons.settled, 20)


@test
def a_hanging_daemon_does_not_hide_what_the_kernel_sees():
    daemons.processes[2].send_signal(signal.SIGSTOP)
    begin = time.monotonic()
    done = cli(2, "status", "--timeout=500ms")
    took_s = time.monotonic() - begin
    daemons.processes[2].send_signal(signal.SIGCONT)
    assert done.returncode == 6 and "did not answer" in done.stderr, done
    assert done.stdout.count(" up ") == 3, done.stdout
    note(f"{took_s:.3f} s")
    assert took_s < 5, "that is the default limit"


@test
def a_missing_daemon_is_told():
    daemons.kill(2)
    done = cli(2)
    assert done.returncode == 5, done
    assert "no verdicts: kardiad is not running" in done.stderr
    assert done.stdout.count(" up ") == 3, done.stdout
    assert cli(2, "map").returncode == 5
    daemons.start(2)
    assert eventually(lambda: cli(2).returncode == 0, 20)


run()
