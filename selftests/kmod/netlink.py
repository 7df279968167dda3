#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: nodes=2
"""Requests: what is refused, with which words, and that nothing changed."""
import errno
import os
import socket
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lib"))
import knl  # noqa: E402
from knl import UAPI, flag, nest, u8, u32, u64  # noqa: E402
from tap import eventually, run, test  # noqa: E402

A = {k[9:]: v for k, v in UAPI.items() if k.startswith("KARDIA_A_")}
genl = knl.Genl("n1")


def refused(call, number, *words):
    try:
        call()
    except knl.NetlinkError as error:
        assert error.errno == number, error
        for word in words:
            assert word in error.message, error
        return
    raise AssertionError(f"accepted, {errno.errorcode[number]} expected")


def idle():
    try:
        genl.node_get()
    except knl.NetlinkError as error:
        return error.errno == errno.ENODEV
    return False


def protocol_is_owned():
    text = subprocess.run(["ip", "netns", "exec", "n1", "cat", "/proc/net/raw"],
                          capture_output=True, text=True, check=True).stdout
    return f":{UAPI['KARDIA_IPPROTO']:04X} " in text


def configured(function):
    """Run the test with node 1 configured, then forget it."""
    def wrapped():
        genl.node_set(*knl.node(1))
        try:
            function()
        finally:
            genl.node_del()
    wrapped.__name__ = function.__name__
    return wrapped


@test
def idle_until_configured():
    assert idle()
    assert not protocol_is_owned()
    refused(genl.node_del, errno.ENODEV)
    refused(lambda: genl.peer_set(*knl.peer(1, 2)), errno.ENODEV)
    refused(lambda: genl.peer_del(2), errno.ENODEV)
    assert genl.peers() == {} and genl.reports() == {}


@test
def first_node_set_needs_its_attributes():
    whole = {"NODE_ID": u32(A["NODE_ID"], 1),
             "NODE_CLUSTER": u32(A["NODE_CLUSTER"], 1),
             "NODE_INSECURE": flag(A["NODE_INSECURE"])}
    for missing in whole:
        rest = [v for k, v in whole.items() if k != missing]
        refused(lambda r=rest: genl.node_set(*r), errno.EINVAL, missing)
        assert idle()


@test
def node_attributes_out_of_range():
    good = knl.node(1)
    bad = {
        "NODE_ID": u32(A["NODE_ID"], 0),
        "NODE_INTERVAL_US": u32(A["NODE_INTERVAL_US"], 499),
        "NODE_GRACE_US": u32(A["NODE_GRACE_US"], 600000001),
        "NODE_ARBITER": u8(A["NODE_ARBITER"], 2),
    }
    for name, attribute in bad.items():
        refused(lambda a=attribute: genl.node_set(*good, a), errno.EINVAL, name)
        assert idle()
    refused(lambda: genl.node_set(*knl.node(1, interval_us=60000001,
                                            grace_us=200000000)),
            errno.EINVAL, "NODE_INTERVAL_US")
    refused(lambda: genl.node_set(*knl.node(1, 10000, 29999)), errno.EINVAL,
            "NODE_GRACE_US")
    assert idle()


@test
def every_node_attribute_mistyped():
    good = knl.node(1)
    settable = ("NODE_ID", "NODE_CLUSTER", "NODE_INTERVAL_US",
                "NODE_GRACE_US", "NODE_ARBITER", "NODE_INSECURE",
                "NODE_MAP_EPOCH")
    sizes = {"NODE_ARBITER": 1, "NODE_INSECURE": 0, "NODE_MAP_EPOCH": 8}
    for name in settable:
        for size in set(range(10)) - {sizes.get(name, 4)}:
            wrong = knl.attr(A[name], b"\1" * size)
            refused(lambda w=wrong: genl.node_set(*good, w), errno.EINVAL,
                    name)
            assert idle()


@test
def get_only_and_unknown_attributes():
    good = knl.node(1)
    for number in (A["NODE_INCARNATION"], A["NODE_STATS"], A["NODE_PAD"],
                   UAPI["__KARDIA_A_NODE_MAX"], 999):
        refused(lambda n=number: genl.node_set(*good, u64(n, 5)),
                errno.EINVAL, "not one to be set")
        assert idle()


@test
def every_peer_attribute_mistyped():
    genl.node_set(*knl.node(1))
    try:
        sizes = {"PEER_ID": 4, "PEER_ARBITER": 1}
        for name, right in sizes.items():
            for size in set(range(10)) - {right}:
                wrong = knl.attr(A[name], b"\1" * size)
                refused(lambda w=wrong: genl.peer_set(*knl.peer(1, 2), w),
                        errno.EINVAL, name)
        sizes = {"PATH_INDEX": 1, "PATH_LOCAL": 4, "PATH_REMOTE": 4}
        for name, right in sizes.items():
            for size in set(range(10)) - {right}:
                parts = {
                    "PATH_INDEX": u8(A["PATH_INDEX"], 0),
                    "PATH_LOCAL": knl.address(A["PATH_LOCAL"], "10.1.0.1"),
                    "PATH_REMOTE": knl.address(A["PATH_REMOTE"], "10.1.0.2"),
                }
                parts[name] = knl.attr(A[name], b"\1" * size)
                request = (u32(A["PEER_ID"], 2),
                           nest(A["PEER_PATH"], *parts.values()))
                refused(lambda r=request: genl.peer_set(*r), errno.EINVAL,
                        name)
        assert genl.peers() == {}
    finally:
        genl.node_del()


@test
@configured
def peer_needs_its_attributes():
    path = knl.path(0, "10.1.0.1", "10.1.0.2")
    refused(lambda: genl.peer_set(path), errno.EINVAL, "PEER_ID")
    refused(lambda: genl.peer_set(u32(A["PEER_ID"], 2)), errno.EINVAL,
            "PEER_PATH")
    inner = {"PATH_INDEX": u8(A["PATH_INDEX"], 0),
             "PATH_LOCAL": knl.address(A["PATH_LOCAL"], "10.1.0.1"),
             "PATH_REMOTE": knl.address(A["PATH_REMOTE"], "10.1.0.2")}
    for missing in inner:
        rest = [v for k, v in inner.items() if k != missing]
        refused(lambda r=rest: genl.peer_set(u32(A["PEER_ID"], 2),
                                             nest(A["PEER_PATH"], *r)),
                errno.EINVAL, missing)
    assert genl.peers() == {}


@test
@configured
def peer_attributes_out_of_range():
    def peer(ident=2, index=0, local="10.1.0.1", remote="10.1.0.2", more=()):
        return genl.peer_set(u32(A["PEER_ID"], ident),
                             knl.path(index, local, remote), *more)

    refused(lambda: peer(ident=0), errno.EINVAL, "PEER_ID")
    refused(lambda: peer(ident=1), errno.EINVAL, "PEER_ID")
    refused(lambda: peer(index=2), errno.EINVAL, "PATH_INDEX")
    for wrong in ("0.0.0.0", "224.0.0.1", "255.255.255.255"):
        refused(lambda w=wrong: peer(local=w), errno.EINVAL, "PATH_LOCAL")
        refused(lambda w=wrong: peer(remote=w), errno.EINVAL, "PATH_REMOTE")
    twice = (knl.path(0, "10.1.0.1", "10.1.0.2"),)
    refused(lambda: peer(more=twice), errno.EINVAL, "PATH_INDEX")
    refused(lambda: peer(more=(u8(A["PEER_ARBITER"], 2),)), errno.EINVAL,
            "PEER_ARBITER")
    assert genl.peers() == {}


@test
@configured
def a_refused_change_changes_nothing():
    genl.peer_set(*knl.peer(1, 2))
    before = genl.node_get(), genl.peers()
    refused(lambda: genl.node_set(u32(A["NODE_GRACE_US"], 70000),
                                  u32(A["NODE_INTERVAL_US"], 1)),
            errno.EINVAL, "NODE_INTERVAL_US")
    refused(lambda: genl.node_set(u32(A["NODE_INTERVAL_US"], 20000)),
            errno.EINVAL, "NODE_GRACE_US")
    refused(lambda: genl.node_set(u32(A["NODE_ID"], 9)), errno.EBUSY,
            "NODE_ID")
    refused(lambda: genl.node_set(u32(A["NODE_CLUSTER"], 9)), errno.EBUSY,
            "NODE_CLUSTER")
    refused(lambda: genl.peer_set(u32(A["PEER_ID"], 2),
                                  knl.path(0, "10.1.0.1", "10.9.0.2"),
                                  knl.path(1, "0.0.0.0", "10.9.0.2")),
            errno.EINVAL, "PATH_LOCAL")
    after = genl.node_get(), genl.peers()
    for key in ("id", "cluster", "interval_us", "grace_us", "incarnation"):
        assert before[0][key] == after[0][key], key
    assert [p["remote"] for p in before[1][2]["path"]] == \
        [p["remote"] for p in after[1][2]["path"]]


@test
@configured
def commands_without_attributes_take_none():
    junk = u32(A["NODE_ID"], 1)
    for cmd in ("NODE_GET", "NODE_DEL"):
        refused(lambda c=cmd: genl.ask(UAPI[f"KARDIA_CMD_{c}"], junk),
                errno.EINVAL, "no attributes")
    assert genl.node_get()["id"] == 1


@test
@configured
def unknown_peers_are_enoent():
    refused(lambda: genl.peer_del(7), errno.ENOENT)
    refused(lambda: genl.ask(UAPI["KARDIA_CMD_PEER_GET"],
                             u32(A["PEER_ID"], 7)), errno.ENOENT)


@test
@configured
def one_peer_can_be_asked_for():
    genl.peer_set(*knl.peer(1, 2))
    reply = genl.ask(UAPI["KARDIA_CMD_PEER_GET"], u32(A["PEER_ID"], 2))
    assert knl.decode("PEER", reply[0])["id"] == 2


@test
@configured
def partial_changes_keep_the_rest():
    genl.node_set(u32(A["NODE_GRACE_US"], 80000))
    node = genl.node_get()
    assert (node["interval_us"], node["grace_us"]) == (10000, 80000)
    genl.node_set(u64(A["NODE_MAP_EPOCH"], 1 << 40), u8(A["NODE_ARBITER"], 1))
    node = genl.node_get()
    assert node["map_epoch"] == 1 << 40 and node["arbiter"] == 1
    assert node["grace_us"] == 80000


@test
@configured
def a_large_dump_is_whole():
    for ident in range(2, 302):
        genl.peer_set(u32(A["PEER_ID"], ident),
                      knl.path(0, "10.1.0.1", "10.1.0.2"))
    assert sorted(genl.peers()) == list(range(2, 302))


@test
def every_life_has_its_own_incarnation():
    seen = set()
    for _ in range(20):
        genl.node_set(*knl.node(1))
        seen.add(genl.node_get()["incarnation"])
        genl.node_del()
    assert len(seen) == 20 and 0 not in seen


@test
def garbage_messages_are_refused():
    """Truncated headers and attributes that lie about their length."""
    sock = genl.sock
    for body in (b"", b"\1", b"\1\1\0\0" + b"\xff" * 3,
                 b"\1\1\0\0" + struct.pack("=HH", 200, 2) + b"abcd",
                 b"\1\1\0\0" + struct.pack("=HH", 3, 2)):
        header = struct.pack("=IHHII", 16 + len(body), genl.family, 5, 1, 0)
        sock.send(header + body)
        reply = sock.recv(4096)
        assert struct.unpack_from("=H", reply, 4)[0] == knl.NLMSG_ERROR
        assert struct.unpack_from("=i", reply, 16)[0] == -errno.EINVAL
    assert idle()


@test
def setters_need_the_capability():
    """As nobody: every setter refused, getters and events open."""
    genl.node_set(*knl.node(1))
    child = os.fork()
    if not child:
        status = 1
        try:
            with knl.namespace("n1"):
                os.setgid(65534)
                os.setuid(65534)
                mine = knl.Events()
                for call in (lambda: mine.node_set(*knl.node(1)),
                             mine.node_del,
                             lambda: mine.peer_set(*knl.peer(1, 2)),
                             lambda: mine.peer_del(2)):
                    refused(call, errno.EPERM)
                assert mine.node_get()["id"] == 1
                assert mine.peers() == {}
                status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    genl.node_del()


@test
def protocol_is_owned_while_configured():
    genl.node_set(*knl.node(1))
    assert protocol_is_owned()
    genl.node_del()
    assert not protocol_is_owned() and idle()


@test
def namespaces_are_apart():
    other = knl.Genl("n2")
    genl.node_set(*knl.node(1))
    refused(other.node_get, errno.ENODEV)
    other.node_set(*knl.node(2, 20000, 90000))
    assert genl.node_get()["id"] == 1 and other.node_get()["id"] == 2
    genl.node_del()
    assert other.node_get()["grace_us"] == 90000
    other.node_del()


def sysfs(name, value=None):
    path = f"/sys/kernel/kardia/{name}"
    if value is None:
        with open(path) as file:
            return int(file.read())
    with open(path, "w") as file:
        file.write(str(value))
    return None


@test
def sysfs_defaults_apply_to_new_nodes():
    bare = (u32(A["NODE_ID"], 1), u32(A["NODE_CLUSTER"], 1),
            flag(A["NODE_INSECURE"]))
    interval_us, grace_us = sysfs("interval_us"), sysfs("grace_us")
    assert (interval_us, grace_us) == (100000, 500000)
    sysfs("interval_us", 20000)
    sysfs("grace_us", 120000)
    try:
        genl.node_set(*bare)
        node = genl.node_get()
        assert (node["interval_us"], node["grace_us"]) == (20000, 120000)
        sysfs("grace_us", 130000)
        assert genl.node_get()["grace_us"] == 120000
        genl.node_del()
    finally:
        sysfs("grace_us", grace_us)
        sysfs("interval_us", interval_us)


@test
def sysfs_refuses_what_makes_no_sense():
    for name, value in (("interval_us", 499), ("interval_us", "x"),
                        ("interval_us", ""), ("interval_us", 400000),
                        ("interval_us", -1), ("interval_us", 1 << 40),
                        ("grace_us", 200000), ("grace_us", 600000001),
                        ("grace_us", "1 2")):
        before = sysfs(name)
        try:
            sysfs(name, f"{value}\n")
        except OSError as error:
            assert error.errno in (errno.EINVAL, errno.ERANGE), error
        else:
            raise AssertionError(f"{name} took {value!r}")
        assert sysfs(name) == before


assert eventually(idle), "the module is not idle at the start"
run()
