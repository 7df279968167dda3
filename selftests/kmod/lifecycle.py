#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: nodes=4 mode=C
"""
Coming and going under traffic, on two CPUs: unloading, namespaces that die,
peers that are added, changed and removed while beats fly. The rig turns any
splat into a failure; here, references and memory are counted.
"""
import os
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lib"))
import cluster  # noqa: E402
import knl  # noqa: E402
from knl import UAPI, u32  # noqa: E402
from tap import eventually, note, run, test  # noqa: E402

ROUNDS = 50
MODULE = os.environ["KARDIA_MODULE"]
FAST = {"interval_us": 1000, "grace_us": 3000}


def load():
    subprocess.run(["insmod", MODULE], check=True)


def unload():
    subprocess.run(["rmmod", "kardia"], check=True)


def slab_objects():
    """Active objects of the caches that peers, reports and namespaces use."""
    with open("/proc/slabinfo") as file:
        rows = [line.split() for line in file][2:]
    return {r[0]: int(r[1]) for r in rows
            if r[0].startswith("kmalloc-") or r[0] == "net_namespace"}


def percpu_kb():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) for line in file
                    if line.startswith("Percpu:"))


def settle():
    time.sleep(0.5)
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")
    time.sleep(0.5)


def leaves_nothing(round_, rounds, per_round, caches):
    """Run the rounds; far fewer objects may stay than each round makes."""
    for _ in range(5):
        round_()
    settle()
    slabs, percpu = slab_objects(), percpu_kb()
    for _ in range(rounds):
        round_()
    settle()
    now = slab_objects()
    for cache in caches:
        grown = now[cache] - slabs[cache]
        note(f"{cache}: {grown:+d} objects after {rounds} rounds")
        assert grown < rounds * per_round / 4, cache
    note(f"per-CPU memory: {percpu_kb() - percpu:+d} kB")
    assert percpu_kb() - percpu < 1024


@test
def unload_under_traffic():
    def round_():
        load()
        mesh = cluster.Mesh(4, **FAST)
        assert eventually(lambda: mesh.genl[1].stats()["rx_beats"] > 20)
        for ident in mesh.ids:
            mesh.genl[ident].close()
            mesh.events[ident].close()
        unload()
    unload()
    leaves_nothing(round_, ROUNDS, 12, ("kmalloc-1k", "kmalloc-2k"))
    load()


@test
def unload_with_subscribers_and_suspects():
    """Reports, refresh and expiry timers are armed; sockets stay open."""
    for _ in range(10):
        mesh = cluster.Mesh(4, **FAST)
        mesh.stop(4)
        assert eventually(lambda m=mesh: {1, 2, 3} <= set(m.genl[1].reports()))
        unload()
        load()


@test
def namespaces_die_under_traffic():
    """Twins on a veth pair of their own; one goes first, then the other."""
    def round_():
        cluster.shell("""
            ip netns add ta; ip netns add tb
            ip link add va netns ta type veth peer name vb netns tb
            ip -n ta addr add 10.1.0.1/24 dev va; ip -n ta link set va up
            ip -n tb addr add 10.1.0.2/24 dev vb; ip -n tb link set vb up""")
        a, b = knl.Genl("ta"), knl.Genl("tb")
        for genl, me, other in ((a, 1, 2), (b, 2, 1)):
            genl.node_set(*knl.node(me, 1000, 3000, arbiter=1))
            genl.peer_set(*knl.peer(me, other, arbiter=1, paths=1))
        assert eventually(lambda: a.stats()["rx_beats"] > 5)
        a.close()
        subprocess.run(["ip", "netns", "del", "ta"], check=True)
        eventually(lambda: b.peers()[1]["state"] == UAPI["KARDIA_PEER_DOWN"])
        b.close()
        subprocess.run(["ip", "netns", "del", "tb"], check=True)
    leaves_nothing(round_, ROUNDS, 2, ("net_namespace",))


@test
def interfaces_go_and_come_under_traffic():
    mesh = cluster.Mesh(4, **FAST)
    assert eventually(mesh.all_up)
    for _ in range(20):
        cluster.run_in(2, "ip", "link", "set", "front", "down")
        cluster.run_in(2, "ip", "addr", "flush", "dev", "back")
        cluster.run_in(2, "ip", "addr", "add", "10.2.0.2/24", "dev", "back")
        cluster.run_in(2, "ip", "link", "set", "front", "up")
    assert eventually(mesh.all_up)
    for ident in mesh.ids:
        mesh.stop(ident)


@test
def peers_come_and_go_under_traffic():
    """Two configuring threads, a dumping one, beats at the shortest interval."""
    mesh = cluster.Mesh(4, interval_us=500, grace_us=1500)
    end = time.monotonic() + 5
    failures = []

    def repeat(action):
        try:
            while time.monotonic() < end:
                action()
        except Exception as error:  # reported by the main thread
            failures.append(error)

    def churn(genl):
        try:
            genl.peer_del(2)
        except knl.NetlinkError:
            pass  # the other thread was first
        genl.peer_set(*knl.peer(1, 2))

    def retune(genl):
        for interval in (500, 1000):
            genl.node_set(u32(UAPI["KARDIA_A_NODE_INTERVAL_US"], interval),
                          u32(UAPI["KARDIA_A_NODE_GRACE_US"], 3 * interval))

    def dump(genl):
        genl.peers()
        genl.reports()

    threads = [threading.Thread(target=repeat, args=(lambda f=f, g=g: f(g),))
               for f, g in ((churn, knl.Genl("n1")), (churn, knl.Genl("n1")),
                            (retune, knl.Genl("n1")), (dump, knl.Genl("n1")))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    mesh.start(1)
    for ident in mesh.ids:
        mesh.genl[ident].node_set(*knl.node(ident, 10000, 2000000))
    assert eventually(mesh.all_up)
    for ident in mesh.ids:
        mesh.stop(ident)


@test
def reconfigure_under_traffic():
    for _ in range(20):
        mesh = cluster.Mesh(4, **FAST)
        for ident in mesh.ids:
            mesh.stop(ident)
            mesh.genl[ident].close()
            mesh.events[ident].close()


@test
def unload_in_mid_dump_is_refused_or_clean():
    """A dump that is not read to its end holds the module, or loses it."""
    genl = knl.Genl("n1")
    genl.node_set(*knl.node(1))
    for ident in range(2, 402):
        genl.peer_set(u32(UAPI["KARDIA_A_PEER_ID"], ident),
                      knl.path(0, "10.1.0.1", "10.1.0.2"))
    genl.send(UAPI["KARDIA_CMD_PEER_GET"], b"", knl.NLM_F_DUMP, genl.family)
    busy = subprocess.run(["rmmod", "kardia"], capture_output=True).returncode
    genl.close()
    note(f"rmmod in mid-dump: {'refused' if busy else 'went through'}")
    if busy:
        unload()
    load()


run()
