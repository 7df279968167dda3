#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: nodes=5 mode=A timeout=400
"""
The demo, asserted: five nodes with kardiad, one falls silent, returns; then
daemons are killed and restarted, and nothing false happens.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lib"))
from daemons import Daemons  # noqa: E402
from failover import Failover  # noqa: E402
from tap import eventually, note, run, test  # noqa: E402

VERDICT_LATE_NS = 100_000
APPLIED_LATE_NS = 20_000_000
VICTIM, ARBITER = 5, 1

daemons = Daemons(5)
daemons.bring_up()
failover = Failover(daemons, VICTIM)


@test
def steady_state():
    found = daemons.map()
    assert [n["state"] for n in found["nodes"]] == ["up"] * 5
    time.sleep(1)
    assert daemons.map()["epoch"] == found["epoch"]


@test
def a_silent_node_is_found_and_the_map_changes():
    seen = failover.cut()
    for node, event in seen["down"].items():
        assert event, f"n{node} has no verdict"
        late_ns = event["time_ns"] - event["peer"]["deadline_ns"]
        note(f"n{node}: verdict {late_ns} ns after the deadline")
        assert 0 <= late_ns <= VERDICT_LATE_NS
        wire_ns = seen["last_beat_ns"][node]
        apart_ns = event["peer"]["heard_ns"] - wire_ns
        note(f"n{node}: last beat heard {apart_ns} ns after the wire")
        # The wire's stamp is wall time, turned back to within 10 us.
        assert -10_000 <= apart_ns <= 1_000_000
    assert set(seen["reports"]) == {1, 2, 3, 4}
    verdicts = sorted(e["time_ns"] for e in seen["down"].values())
    for node, event in seen["applied"].items():
        assert event, f"n{node} did not apply the map"
    last_ns = max(e["time_ns"] for e in seen["applied"].values())
    note(f"map applied on all {(last_ns - verdicts[1]) / 1e6:.3f} ms after "
         "the verdict that completed the evidence")
    assert last_ns - verdicts[1] <= APPLIED_LATE_NS


@test
def the_decision_names_its_accusers():
    decision = daemons.map()["decision"]
    (change,) = decision["changes"]
    assert change["node_id"] == VICTIM and change["change"] == "down"
    assert change["accusers_total"] >= 2
    for accuser in change["accusers"]:
        assert accuser["reporter_id"] in (1, 2, 3, 4)
        assert accuser["paths"] == ["front", "back"]
        assert accuser["silent_us"] >= 50000
        assert accuser["own_lateness_us"] < 100


@test
def the_survivors_agree():
    assert eventually(lambda: len(
        {daemons.map(i)["hash"] for i in (1, 2, 3, 4)}) == 1)
    assert daemons.state(VICTIM, at=VICTIM) == "up", "the victim heard of it"


@test
def a_healed_node_is_up_everywhere():
    seen = failover.heal()
    assert all(seen["up"].values()) and all(seen["applied"].values())
    assert eventually(daemons.settled)


def nothing_false(action):
    """No peer event anywhere, and every node stays up in every map."""
    before = daemons.map(2)
    failover.quiet(0)
    action()
    assert eventually(daemons.settled, 10), daemons.epochs()
    time.sleep(0.5)
    events = [e for events in failover.events.values() for e in events.read()]
    assert not [e for e in events if e["type"].startswith("peer")], events
    after = daemons.map(2)
    assert after["epoch"] >= before["epoch"]
    lives = {n["id"]: n["incarnation"] for n in before["nodes"]}
    assert lives == {n["id"]: n["incarnation"] for n in after["nodes"]}
    return before, after


@test
def killing_an_agent_changes_nothing():
    def action():
        daemons.kill(2)
        time.sleep(1)
        daemons.start(2)
    before, after = nothing_false(action)
    assert after["epoch"] == before["epoch"]


@test
def killing_the_arbiter_loses_nothing():
    def action():
        daemons.kill(ARBITER)
        time.sleep(1)
        daemons.start(ARBITER)
        assert eventually(lambda: (daemons.map(2) or before).get("epoch") >
                          before["epoch"], 10)
    before = daemons.map(2)
    _, after = nothing_false(action)
    assert after["epoch"] == before["epoch"] + 1, "one take-over, one epoch"
    assert after["prev_hash"] == before["hash"]
    assert after["decision"]["term"] > before["decision"]["term"]


@test
def a_death_while_the_arbiter_is_away_is_found_on_its_return():
    daemons.kill(ARBITER)
    failover.events[2].read()
    from cluster import cut, heal
    cut(VICTIM)
    assert failover.events[2].wait("peer_down", id=VICTIM)
    time.sleep(0.5)
    assert daemons.state(VICTIM, at=2) == "up", "decided without an arbiter"
    daemons.start(ARBITER)
    assert eventually(lambda: daemons.state(VICTIM, at=2) == "down", 10)
    heal(VICTIM)
    assert eventually(daemons.settled, 10)


@test
def every_daemon_killed_at_once():
    def action():
        for node in daemons.ids:
            daemons.kill(node)
        time.sleep(0.5)
        daemons.start_all()
    nothing_false(action)


@test
def orderly_stop_leaves_the_kernel_beating():
    failover.quiet(0)
    daemons.stop_all()
    time.sleep(0.5)
    events = [e for events in failover.events.values() for e in events.read()]
    assert not events, events


run()
