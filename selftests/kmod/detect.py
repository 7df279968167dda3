#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: nodes=4 mode=A
"""
Detection between four nodes' kernels, in virtual time: a verdict comes within
100 us after its deadline, in each surviving kernel, and reaches the arbiter's.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lib"))
import cluster  # noqa: E402
import knl  # noqa: E402
from knl import UAPI, u32, u64, u8  # noqa: E402
from tap import eventually, note, run, test  # noqa: E402

LATE_NS = 100_000
INTERVAL_NS, GRACE_NS = 10_000_000, 50_000_000
UP, DOWN = UAPI["KARDIA_PEER_UP"], UAPI["KARDIA_PEER_DOWN"]
SILENT = UAPI["KARDIA_CAUSE_SILENT"]
mesh = cluster.Mesh(4)


def peer_of(observer, ident):
    return mesh.genl[observer].peers()[ident]


@test
def all_come_up_within_three_intervals():
    assert eventually(mesh.all_up), mesh.genl[1].peers()
    for observer in mesh.ids:
        for ident, peer in mesh.genl[observer].peers().items():
            assert peer["interval_us"] == 10000, peer
            assert peer["grace_us"] == 50000, peer
            assert peer["incarnation"] == \
                mesh.genl[ident].node_get()["incarnation"]
    for event in mesh.events[4].read():
        assert event["type"] == "peer_up", event


@test
def round_trips_are_measured_on_both_paths():
    time.sleep(0.1)
    for observer in mesh.ids:
        for peer in mesh.genl[observer].peers().values():
            assert len(peer["path"]) == 2
            for path in peer["path"]:
                assert 0 < path["rtt_ns"] < INTERVAL_NS, path


@test
def beats_come_at_the_interval_and_none_is_lost():
    """Two paths each way, so that each direction counts the other's."""
    def counts():
        peer = peer_of(1, 2)
        return [(p["tx"], p["rx"], p["rx_lost"]) for p in peer["path"]]
    before = counts()
    begin = mesh.genl[1].node_get()["time_ns"]
    time.sleep(1)
    after = counts()
    due = (mesh.genl[1].node_get()["time_ns"] - begin) / INTERVAL_NS
    for (tx0, rx0, lost0), (tx1, rx1, lost1) in zip(before, after):
        assert abs(tx1 - tx0 - due) <= 3, (tx1 - tx0, due)
        assert abs(rx1 - rx0 - due) <= 3, (rx1 - rx0, due)
        assert lost0 == lost1 == 0
    stats = mesh.genl[1].stats()
    assert not any(v for k, v in stats.items()
                   if k not in ("tx_beats", "rx_beats")), stats


def check_down(event, victim):
    """The verdict's own stamps."""
    peer = event["peer"]
    late_ns = event["time_ns"] - peer["deadline_ns"]
    note(f"verdict {late_ns / 1000:.1f} us after the deadline")
    assert peer["id"] == victim and peer["state"] == DOWN
    assert peer["cause"] == SILENT
    assert peer["deadline_ns"] == peer["heard_ns"] + GRACE_NS
    assert 0 <= late_ns <= LATE_NS, late_ns
    assert peer["own_lateness_ns"] <= late_ns


@test
def silence_is_found_on_time_by_every_kernel():
    mesh.drain()
    cluster.cut(4)
    for observer in (1, 2, 3):
        event = mesh.events[observer].wait("peer_down", id=4)
        assert event, f"node {observer} saw nothing"
        check_down(event, 4)
    assert not mesh.genl[2].reports(), "a report at a node that is no arbiter"


@test
def the_arbiters_kernel_has_every_report():
    assert eventually(lambda: all(
        mesh.genl[1].reports().get(r, {}).get("suspect")
        for r in (1, 2, 3)))
    life = peer_of(1, 4)["incarnation"]
    for reporter, report in mesh.genl[1].reports().items():
        assert report["watched"] == 3 and report["silent"] == 1, report
        (suspect,) = report["suspect"]
        assert suspect["id"] == 4 and suspect["incarnation"] == life
        assert suspect["paths"] == 3 and suspect["cause"] == SILENT
        assert suspect["grace_us"] == 50000
        # In the arbiter's clock, the reporter's silence began with the cut.
        apart = abs(suspect["silent_since_ns"] - peer_of(1, 4)["heard_ns"])
        assert apart <= INTERVAL_NS + LATE_NS, (reporter, apart)


@test
def reports_are_refreshed_while_they_hold():
    before = {r: v["set_seq"] for r, v in mesh.genl[1].reports().items()}
    time.sleep(1)
    for reporter, report in mesh.genl[1].reports().items():
        assert report["suspect"], "expired in spite of refreshes"
        assert report["set_seq"] >= before[reporter] + 15, report
    assert not [e for e in mesh.events[1].read() if e["type"] == "report"
                and not e["report"]["suspect"]]


@test
def it_returns_within_three_intervals():
    mesh.drain()
    cluster.heal(4)
    first_heard = None
    for observer in (1, 2, 3):
        event = mesh.events[observer].wait("peer_up", id=4)
        assert event, f"node {observer} saw no return"
        first_heard = min(first_heard or event["time_ns"], event["time_ns"])
        assert event["time_ns"] - first_heard <= 3 * INTERVAL_NS
    assert eventually(mesh.all_up)


@test
def accusations_are_withdrawn():
    assert eventually(lambda: not any(
        r["suspect"] for r in mesh.genl[1].reports().values()))
    assert all(not r.get("expired") for r in mesh.genl[1].reports().values()
               if r["reporter"] != 4)


@test
def one_network_down_is_no_peer_down():
    mesh.drain()
    cluster.cut(4, "front")
    time.sleep(0.5)
    cluster.heal(4, "front")
    cluster.cut(4, "back")
    time.sleep(0.5)
    cluster.heal(4, "back")
    for observer in mesh.ids:
        assert not mesh.events[observer].read(), "an event for one path"


@test
def a_deaf_node_accuses_and_is_accused_by_none():
    """One way: node 4 is heard but hears nothing."""
    mesh.drain()
    cluster.cut(4, "both", "in")
    for other in (1, 2, 3):
        assert mesh.events[4].wait("peer_down", id=other)
    assert eventually(
        lambda: len(mesh.genl[1].reports()[4]["suspect"]) == 3)
    assert not mesh.events[1].wait("peer_down", 0.2, id=4)
    cluster.heal(4, "both", "in")
    assert eventually(mesh.all_up)


@test
def a_mute_node_is_down():
    mesh.drain()
    cluster.cut(4, "both", "out")
    event = mesh.events[2].wait("peer_down", id=4)
    check_down(event, 4)
    cluster.heal(4, "both", "out")
    assert eventually(mesh.all_up)


@test
def a_restart_is_accepted_as_a_new_life():
    life = peer_of(1, 4)["incarnation"]
    mesh.drain()
    mesh.stop(4)
    mesh.start(4)
    begin = mesh.genl[4].node_get()["time_ns"]
    event = mesh.events[1].wait("peer_up", id=4)
    assert event["peer"]["incarnation"] != life
    assert event["time_ns"] - begin <= 3 * INTERVAL_NS
    assert eventually(mesh.all_up)
    assert not [e for e in mesh.events[2].read() if e["type"] == "peer_down"]


@test
def the_longer_grace_of_the_two_holds():
    mesh.genl[4].node_set(u32(UAPI["KARDIA_A_NODE_GRACE_US"], 200000))
    assert eventually(lambda: peer_of(1, 4)["grace_us"] == 200000)
    assert peer_of(1, 2)["grace_us"] == 50000
    mesh.drain()
    cluster.cut(4)
    event = mesh.events[1].wait("peer_down", id=4)
    assert event["peer"]["deadline_ns"] == event["peer"]["heard_ns"] + \
        4 * GRACE_NS
    assert event["time_ns"] - event["peer"]["deadline_ns"] <= LATE_NS
    cluster.heal(4)
    mesh.genl[4].node_set(u32(UAPI["KARDIA_A_NODE_GRACE_US"], 50000))
    assert eventually(lambda: peer_of(1, 4)["grace_us"] == 50000)
    assert eventually(mesh.all_up)


@test
def interval_and_grace_change_live_without_a_flap():
    mesh.drain()
    for interval, grace in ((5000, 50000), (10000, 300000), (10000, 50000)):
        for genl in mesh.genl.values():
            genl.node_set(u32(UAPI["KARDIA_A_NODE_INTERVAL_US"], interval),
                          u32(UAPI["KARDIA_A_NODE_GRACE_US"], grace))
        assert eventually(lambda i=interval: all(
            p["interval_us"] == i for g in mesh.genl.values()
            for p in g.peers().values()))
        time.sleep(0.3)
    for observer in mesh.ids:
        assert not mesh.events[observer].read()


@test
def a_shorter_grace_bites_at_once():
    """A silence that is longer than the new grace is no stall of ours."""
    mesh.genl[1].node_set(u32(UAPI["KARDIA_A_NODE_GRACE_US"], 60_000_000))
    mesh.drain()
    cluster.cut(4)
    time.sleep(0.5)
    assert not [e for e in mesh.events[1].read() if e["type"] == "peer_down"]
    before = mesh.genl[1].node_get()["time_ns"]
    mesh.genl[1].node_set(u32(UAPI["KARDIA_A_NODE_GRACE_US"], 50000))
    event = mesh.events[1].wait("peer_down", id=4)
    assert event["time_ns"] - before < INTERVAL_NS, event
    cluster.heal(4)
    assert eventually(mesh.all_up)


@test
def a_peer_that_never_answers_is_down_after_its_first_grace():
    cluster.cut(4)
    mesh.genl[1].peer_del(4)
    mesh.drain()
    mesh.genl[1].peer_set(*knl.peer(1, 4))
    event = mesh.events[1].wait("peer_down", id=4)
    assert event["peer"]["cause"] == UAPI["KARDIA_CAUSE_NEVER_HEARD"], event
    assert event["peer"]["heard_ns"] == event["peer"]["incarnation"] == 0
    assert 0 <= event["time_ns"] - event["peer"]["deadline_ns"] <= LATE_NS
    cluster.heal(4)
    assert eventually(mesh.all_up)


@test
def a_removed_peer_is_gone_and_accused_no_more():
    cluster.cut(4)
    assert eventually(lambda: peer_of(2, 4)["state"] == DOWN)
    assert eventually(lambda: mesh.genl[1].reports()[2]["suspect"])
    mesh.drain()
    mesh.genl[2].peer_del(4)
    assert mesh.events[2].wait("peer_gone", id=4)
    assert eventually(lambda: not mesh.genl[1].reports()[2]["suspect"])
    mesh.genl[2].peer_set(*knl.peer(2, 4))
    cluster.heal(4)
    assert eventually(mesh.all_up)


@test
def addresses_change_live():
    """The back network alone, then both again."""
    for a, b in ((1, 2), (2, 1)):
        mesh.genl[a].peer_set(
            u32(UAPI["KARDIA_A_PEER_ID"], b), u8(UAPI["KARDIA_A_PEER_ARBITER"],
                                                 int(b == 1)),
            knl.path(1, f"10.2.0.{a}", f"10.2.0.{b}"))
    mesh.drain()
    time.sleep(0.3)
    assert len(peer_of(1, 2)["path"]) == 1
    assert not mesh.events[1].read() and not mesh.events[2].read()
    for a, b in ((1, 2), (2, 1)):
        mesh.genl[a].peer_set(*knl.peer(a, b, arbiter=int(b == 1)))
    assert eventually(lambda: all(
        p["rtt_ns"] for p in peer_of(1, 2)["path"]))


@test
def the_map_epoch_travels_and_is_an_event():
    mesh.drain()
    mesh.genl[3].node_set(u64(UAPI["KARDIA_A_NODE_MAP_EPOCH"], 42))
    event = mesh.events[3].wait("map_applied")
    assert event["map_epoch"] == 42
    assert eventually(lambda: peer_of(1, 3)["map_epoch"] == 42)


@test
def event_numbers_have_no_gaps():
    numbers = knl.Events("n1")
    begin = numbers.node_get()["event_seq"]
    for epoch in range(1, 201):
        mesh.genl[1].node_set(u64(UAPI["KARDIA_A_NODE_MAP_EPOCH"], epoch))
    seqs = [e["seq"] for e in numbers.read(0.1)]
    assert seqs == list(range(begin + 1, begin + 201)), seqs
    assert numbers.node_get()["event_seq"] == begin + 200


@test
def a_route_that_is_missing_is_counted():
    before = mesh.genl[3].stats()["tx_no_route"]
    cluster.run_in(3, "ip", "link", "set", "back", "down")
    assert eventually(
        lambda: mesh.genl[3].stats()["tx_no_route"] > before)
    cluster.run_in(3, "ip", "link", "set", "back", "up")
    assert eventually(lambda: peer_of(3, 1)["path"][1]["heard_ns"] >
                      mesh.genl[3].node_get()["time_ns"] - 2 * INTERVAL_NS)


run()
