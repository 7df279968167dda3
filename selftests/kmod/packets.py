#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: nodes=2
"""
Hostile packets. Node 1 runs the module; the test plays node 2 with a raw
socket. Each bad packet is counted under its reason and changes nothing else.
"""
import os
import random
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lib"))
import knl  # noqa: E402
from knl import UAPI  # noqa: E402
from tap import eventually, run, test  # noqa: E402

PROTOCOL = UAPI["KARDIA_IPPROTO"]
LIFE = 0x1111
HEADER, BEAT, REPORT = ">HBBBBHIIIIQQQQ", ">QQQQIIII", ">QIIIHH"

genl = knl.Genl("n1")
events = knl.Events("n1")
genl.node_set(*knl.node(1, 100000, 500000, arbiter=1))
genl.peer_set(*knl.peer(1, 2))
me = genl.node_get()["incarnation"]
with knl.namespace("n2"):
    wire = socket.socket(socket.AF_INET, socket.SOCK_RAW, PROTOCOL)
wire.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 255)
sequence = 0


def header(own_kind, own_size, **over):
    global sequence
    sequence += 1
    field = dict(magic=0x6b61, version=1, kind=own_kind, path=0,
                 size=56 + own_size,
                 cluster=1, source=2, destination=1, life=LIFE, known=me,
                 sequence=sequence, sent=time.monotonic_ns())
    field.update(over)
    f = field
    return struct.pack(HEADER, f["magic"], f["version"], f["kind"], f["path"],
                       0, f["size"], f["cluster"], f["source"],
                       f["destination"], 0, f["life"], f["known"],
                       f["sequence"], f["sent"])


def beat(echo=(0, 0, 0), interval_us=100000, grace_us=500000, **over):
    body = struct.pack(BEAT, *echo, 0, interval_us, grace_us, 0, 0)
    return header(1, len(body), **over) + body


def report(nodes, set_sequence=1, valid_us=2000000, watched=5, count=None,
           cause=1, paths=3, **over):
    count = len(nodes) if count is None else count
    body = struct.pack(REPORT, set_sequence, valid_us, watched, count, count, 0)
    for ident in nodes:
        body += struct.pack(">IBBHQQII", ident, paths, cause, 0, 77, 1000000,
                            500000, 0)
    return header(2, len(body), **over) + body


def send(packet, to="10.1.0.1"):
    wire.sendto(packet, (to, 0))


def state():
    peer = genl.peers()[2]
    return ([(p["heard_ns"], p["rx"]) for p in peer["path"]], peer["state"],
            peer["incarnation"], peer["deadline_ns"], peer["grace_us"],
            genl.reports())


def counted(reason, packets, to="10.1.0.1"):
    """Each packet raises that counter by one and touches nothing."""
    packets = list(packets)
    before, stats = state(), genl.stats()
    for packet in packets:
        send(packet, to)
    assert eventually(lambda: genl.stats()[reason] ==
                      stats[reason] + len(packets)), \
        (reason, stats[reason], genl.stats()[reason], len(packets))
    after = genl.stats()
    moved = {k for k in after if after[k] != stats[k] and k[:2] == "rx"}
    assert moved == {reason}, moved
    assert state() == before, (before, state())


def hello():
    """A good beat, so that there is a state to be left alone."""
    before = genl.stats()["rx_beats"]
    send(beat())
    assert eventually(lambda: genl.stats()["rx_beats"] == before + 1), \
        genl.stats()


@test
def a_good_beat_is_taken():
    hello()
    peer = genl.peers()[2]
    assert peer["incarnation"] == LIFE and peer["path"][0]["rx"] == 1
    assert peer["state"] == UAPI["KARDIA_PEER_NEW"], "no echo, yet up"


@test
def every_truncation_is_length():
    whole = beat()
    counted("rx_length", (whole[:n] for n in range(56, len(whole))))
    counted("rx_length", (whole[:n] for n in range(1, 56)))


@test
def an_empty_packet_is_length():
    counted("rx_length", [b""])


@test
def oversized_is_length():
    counted("rx_length", (beat() + bytes(n) for n in range(1, 1300, 7)))


@test
def fragments_of_an_oversized_packet_are_length():
    counted("rx_length", [beat() + bytes(n) for n in (1500, 9000, 60000)])


@test
def magic_version_type():
    counted("rx_magic", [beat(magic=0x616b), beat(magic=0), bytes(104)])
    counted("rx_version", [beat(version=v) for v in (0, 2, 255)])
    counted("rx_type", [beat(kind=k) for k in (0, 3, 255)])


@test
def the_length_field_must_agree():
    counted("rx_length", [beat(size=s) for s in (0, 103, 105, 0xffff)])


@test
def opposite_endian_is_no_frame():
    good = beat()
    swapped = struct.pack("<" + HEADER[1:],
                          *struct.unpack(HEADER, good[:56])) + good[56:]
    counted("rx_magic", [swapped])


@test
def fields_out_of_range():
    counted("rx_field", [
        beat(path=2), beat(path=255), beat(source=0), beat(destination=0),
        beat(life=0), beat(sequence=0), beat(interval_us=0),
        beat(interval_us=499), beat(interval_us=60000001, grace_us=600000000),
        beat(grace_us=299999), beat(grace_us=0xffffffff)])


@test
def not_for_us():
    counted("rx_cluster", [beat(cluster=2), beat(cluster=0)])
    counted("rx_destination", [beat(destination=3)])
    counted("rx_unknown_peer", [beat(source=3), beat(source=0xffffffff)])


@test
def own_frames_reflected():
    counted("rx_destination", [beat(source=1, destination=2)])
    counted("rx_unknown_peer", [beat(source=1, destination=1)])


@test
def wrong_address():
    counted("rx_address", [beat(path=1)])
    counted("rx_address", [beat(path=0)], to="10.2.0.1")


@test
def came_through_a_router():
    wire.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 254)
    counted("rx_ttl", [beat(), b"", bytes(2000)])
    wire.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 255)


@test
def replays_are_sequence():
    last = beat()
    send(last)
    counted("rx_sequence", [last, beat(sequence=1), last])


@test
def other_lives():
    counted("rx_incarnation", [beat(known=me ^ 1), beat(known=1)])
    send(beat(life=LIFE + 1))
    assert eventually(lambda: genl.peers()[2]["incarnation"] == LIFE + 1)
    counted("rx_incarnation", [beat(life=LIFE), beat(life=LIFE)])
    globals().update(LIFE=LIFE + 1)


@test
def false_echoes_bring_nobody_up():
    now = time.monotonic_ns()
    tx = genl.peers()[2]["path"][0]["tx"]
    for echo in ((0, now, 0), (tx + 1000, now, 0), (1, now + 10**12, 0),
                 (1, now - 10**9, 0), (1 << 63, now, 0)):
        send(beat(echo=echo))
    send(beat(echo=(1, now, 0), known=0))
    time.sleep(0.05)
    assert genl.peers()[2]["state"] == UAPI["KARDIA_PEER_NEW"]


@test
def malformed_reports():
    counted("rx_length", [report([5], count=n) for n in (0, 2, 33, 0xffff)])
    counted("rx_length", [report(range(1, 34), watched=99)])
    counted("rx_field", [
        report([5], set_sequence=0), report([5], watched=0), report([0]),
        report([5], cause=0), report([5], cause=9), report([5], paths=0),
        report([5], paths=4)])
    assert genl.reports() == {}


@test
def a_good_report_is_kept_and_replaced():
    events.read()
    send(report([5, 6], set_sequence=10))
    event = events.wait("report", reporter=2)
    assert [s["id"] for s in event["report"]["suspect"]] == [5, 6]
    kept = genl.reports()[2]
    assert kept["set_seq"] == 10 and len(kept["suspect"]) == 2
    assert kept["event_seq"] == event["seq"]

    send(report([7], set_sequence=9))
    time.sleep(0.05)
    assert genl.reports()[2] == kept, "an older set won"

    send(report([6], set_sequence=11))
    event = events.wait("report", reporter=2)
    assert [s["id"] for s in event["report"]["suspect"]] == [6]

    send(report([6], set_sequence=12))
    assert eventually(lambda: genl.reports()[2]["set_seq"] == 12)
    assert not [e for e in events.read(0.05) if e["type"] == "report"], \
        "a refresh raised an event"


@test
def a_report_without_refresh_expires():
    send(report([6, 7], set_sequence=13, valid_us=150000))
    event = events.wait("report", reporter=2)
    expires_ns = event["report"]["expires_ns"]
    event = events.wait("report", reporter=2)
    assert event["report"]["expired"] and not event["report"]["suspect"]
    late_ns = event["time_ns"] - expires_ns
    assert 0 <= late_ns < 10**9, late_ns
    assert not genl.reports()[2]["suspect"]


@test
def reports_only_at_arbiters():
    genl.node_set(knl.u8(UAPI["KARDIA_A_NODE_ARBITER"], 0))
    before = genl.stats()["rx_not_arbiter"]
    kept = genl.reports()
    send(report([5], set_sequence=50))
    assert eventually(lambda: genl.stats()["rx_not_arbiter"] == before + 1)
    assert genl.reports() == kept
    genl.node_set(knl.u8(UAPI["KARDIA_A_NODE_ARBITER"], 1))


def flips(whole, bytes_):
    for byte in bytes_:
        for bit in range(8):
            bad = bytearray(whole)
            bad[byte] ^= 1 << bit
            yield bytes(bad)


def send_all(packets):
    """Send and wait until each one has been counted somewhere."""
    before = genl.stats()
    packets = list(packets)
    for number, packet in enumerate(packets):
        send(packet)
        if number % 100 == 99:  # let the receiver keep up
            time.sleep(0.01)

    def moved():
        now = genl.stats()
        return {k: now[k] - before[k] for k in now
                if k[:2] == "rx" and k != "rx_overflow" and now[k] > before[k]}
    assert eventually(lambda: sum(moved().values()) == len(packets)), moved()
    return moved()


@test
def any_flipped_bit_of_the_addressing_is_refused():
    """Magic, version, type, length, cluster, source, destination."""
    for whole in (beat(), report([5, 6], set_sequence=60)):
        moved = send_all(flips(whole, [*range(0, 4), *range(6, 20)]))
        assert not {"rx_beats", "rx_reports"} & set(moved), moved


@test
def no_flipped_bit_does_harm():
    """Some pass, being well-formed; none may upset the kernel."""
    for whole in (beat(), report([5, 6], set_sequence=61)):
        send_all(flips(whole, range(len(whole))))
    assert genl.node_get()["id"] == 1


@test
def random_junk_is_survived():
    random.seed(8)
    before = genl.stats()["rx_beats"]
    for round_ in range(3000):
        send(random.randbytes(random.randrange(0, 1400)))
        if round_ % 100 == 0:
            time.sleep(0.01)
    assert genl.stats()["rx_beats"] == before
    assert genl.node_get()["id"] == 1


run()
