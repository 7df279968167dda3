# SPDX-License-Identifier: GPL-2.0-or-later
"""
Generic netlink by hand, so that tests can also say what no library would.
Names and numbers are read from the uapi header: the two cannot drift apart.
"""
import contextlib
import ctypes
import errno
import ipaddress
import os
import re
import socket
import struct
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))

NLM_F_REQUEST, NLM_F_MULTI, NLM_F_ACK, NLM_F_DUMP = 1, 2, 4, 0x300
NLM_F_DUMP_INTR, NLM_F_CAPPED, NLM_F_ACK_TLVS = 0x10, 0x100, 0x200
NLMSG_ERROR, NLMSG_DONE = 2, 3
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 0x10, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME, CTRL_ATTR_MCAST_GROUPS = 1, 2, 7
SOL_NETLINK, NETLINK_ADD_MEMBERSHIP = 270, 1
NETLINK_CAP_ACK, NETLINK_EXT_ACK = 10, 11
SO_RCVBUFFORCE = 33
NLA_F_NESTED, NLA_TYPE_MASK = 0x8000, 0x3fff


def _read_uapi():
    text = open(os.path.join(TOP, "uapi/linux/kardia.h")).read()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = {}
    for body in re.findall(r"enum \w+ \{(.*?)\}", text, flags=re.S):
        for value, name in enumerate(re.findall(r"\w+", body)):
            names[name] = value
    for name, value in re.findall(r"#define (KARDIA_\w+) (\d+)\s", text):
        names[name] = int(value)
    return names


UAPI = _read_uapi()
globals().update(UAPI)

_ATTRS = {}  # set -> {number: name}
for _name, _value in UAPI.items():
    _m = re.match(r"KARDIA_A_([A-Z]+)_(\w+)$", _name)
    if _m:
        _ATTRS.setdefault(_m[1], {})[_value] = _m[2].lower()

_NESTS = {
    ("NODE", "stats"): "STATS", ("PEER", "path"): "PATH",
    ("REPORT", "suspect"): "SUSPECT", ("EVENT", "peer"): "PEER",
    ("EVENT", "report"): "REPORT",
}
_LISTS = {("PEER", "path"), ("REPORT", "suspect")}
_ADDRESSES = {("PATH", "local"), ("PATH", "remote")}


class NetlinkError(OSError):
    """The kernel's refusal: errno, its own words, the attribute's offset."""

    def __init__(self, number, message, offset):
        super().__init__(number, f"{errno.errorcode[number]}: {message}")
        self.message = message
        self.offset = offset


def attr(kind, payload=b"", nested=False):
    kind |= NLA_F_NESTED if nested else 0
    data = struct.pack("=HH", 4 + len(payload), kind) + payload
    return data + bytes(-len(data) % 4)


def u8(kind, value):
    return attr(kind, struct.pack("=B", value))


def u32(kind, value):
    return attr(kind, struct.pack("=I", value))


def u64(kind, value):
    return attr(kind, struct.pack("=Q", value))


def flag(kind):
    return attr(kind)


def address(kind, text):
    return attr(kind, ipaddress.IPv4Address(text).packed)


def nest(kind, *attrs):
    return attr(kind, b"".join(attrs), nested=True)


def raw_attrs(data):
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        yield kind & NLA_TYPE_MASK, data[4:length]
        data = data[(length + 3) & ~3:]


def _scalar(kind, name, data):
    if (kind, name) in _ADDRESSES:
        return str(ipaddress.IPv4Address(data))
    if (kind, name) == ("NODE", "version"):
        return data.rstrip(b"\0").decode()
    return int.from_bytes(data, "little") if data else True


def decode(kind, data):
    """Attributes of a set as a dictionary of lower-case names."""
    out = {name: [] for set_name, name in _LISTS if set_name == kind}
    for number, payload in raw_attrs(data):
        name = _ATTRS[kind][number]
        if name == "pad":
            continue
        inner = _NESTS.get((kind, name))
        value = decode(inner, payload) if inner else _scalar(kind, name,
                                                             payload)
        if (kind, name) in _LISTS:
            out[name].append(value)
        else:
            out[name] = value
    return out


@contextlib.contextmanager
def namespace(name):
    """Run the block in a network namespace; None: stay."""
    if name is None:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{name}", os.O_RDONLY)
    try:
        if libc.setns(there, 0x40000000):
            raise OSError(ctypes.get_errno(), "setns")
        yield
    finally:
        libc.setns(home, 0x40000000)
        os.close(there)
        os.close(home)


class Genl:
    """A generic netlink socket in a namespace."""

    def __init__(self, netns=None):
        with namespace(netns):
            self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
        self.sock.bind((0, 0))
        self.sock.settimeout(20)
        self.seq = 0
        self._resolve()

    def close(self):
        self.sock.close()

    def _resolve(self):
        name = attr(CTRL_ATTR_FAMILY_NAME, b"kardia\0")
        reply = self.ask(CTRL_CMD_GETFAMILY, name, family=GENL_ID_CTRL)[0]
        for kind, data in raw_attrs(reply):
            if kind == CTRL_ATTR_FAMILY_ID:
                self.family = struct.unpack("=H", data)[0]
            elif kind == CTRL_ATTR_MCAST_GROUPS:
                group = dict(raw_attrs(next(raw_attrs(data))[1]))
                self.group = struct.unpack("=I", group[2])[0]

    def send(self, cmd, payload, flags, family):
        self.seq += 1
        body = struct.pack("=BBH", cmd, 1, 0) + payload
        header = struct.pack("=IHHII", 16 + len(body), family,
                             NLM_F_REQUEST | flags, self.seq, 0)
        self.sock.send(header + body)

    def ask(self, cmd, payload=b"", dump=False, family=None):
        """The payloads of the answer; NetlinkError when refused."""
        flags = NLM_F_DUMP if dump else NLM_F_ACK
        self.send(cmd, payload, flags, family or self.family)
        replies = []
        while True:
            for kind, flags, body in self._messages():
                if kind == NLMSG_ERROR:
                    self._check(flags, body)
                    return replies
                if kind == NLMSG_DONE:
                    return replies
                replies.append(body[4:])

    def _messages(self):
        data = self.sock.recv(1 << 17)
        while len(data) >= 16:
            length, kind, flags = struct.unpack_from("=IHH", data)
            yield kind, flags, data[16:length]
            data = data[(length + 3) & ~3:]

    @staticmethod
    def _check(flags, body):
        error = -struct.unpack_from("=i", body)[0]
        if not error:
            return
        message, offset = "", None
        if flags & NLM_F_ACK_TLVS:
            for kind, data in raw_attrs(body[20:]):
                if kind == 1:
                    message = data.rstrip(b"\0").decode()
                elif kind == 2:
                    offset = struct.unpack("=I", data)[0]
        raise NetlinkError(error, message, offset)

    # What the tests say again and again.

    def node_set(self, *attrs):
        self.ask(UAPI["KARDIA_CMD_NODE_SET"], b"".join(attrs))

    def node_get(self):
        return decode("NODE", self.ask(UAPI["KARDIA_CMD_NODE_GET"])[0])

    def node_del(self):
        self.ask(UAPI["KARDIA_CMD_NODE_DEL"])

    def peer_set(self, *attrs):
        self.ask(UAPI["KARDIA_CMD_PEER_SET"], b"".join(attrs))

    def peer_del(self, ident):
        self.ask(UAPI["KARDIA_CMD_PEER_DEL"],
                 u32(UAPI["KARDIA_A_PEER_ID"], ident))

    def peers(self):
        replies = self.ask(UAPI["KARDIA_CMD_PEER_GET"], dump=True)
        return {p["id"]: p for p in (decode("PEER", r) for r in replies)}

    def reports(self):
        replies = self.ask(UAPI["KARDIA_CMD_REPORT_GET"], dump=True)
        return {r["reporter"]: r
                for r in (decode("REPORT", x) for x in replies)}

    def stats(self):
        return self.node_get()["stats"]


class Events(Genl):
    """A subscriber; events are dictionaries, type in lower case."""

    TYPES = {value: name[13:].lower() for name, value in UAPI.items()
             if re.match(r"KARDIA_EVENT_[A-Z]", name)
             and not name.endswith("MAX")}

    def __init__(self, netns=None):
        super().__init__(netns)
        self.queue = []
        with contextlib.suppress(PermissionError):
            self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, self.group)

    def read(self, timeout_s=0.0):
        """All events not yet taken, and those that come within the time."""
        events, self.queue = self.queue + self._receive(timeout_s), []
        return events

    def _receive(self, timeout_s):
        events, end = [], time.monotonic() + timeout_s
        while True:
            self.sock.settimeout(max(end - time.monotonic(), 0.0001))
            try:
                messages = list(self._messages())
            except (TimeoutError, BlockingIOError):
                return events
            for _, _, body in messages:
                event = decode("EVENT", body[4:])
                event["type"] = self.TYPES[event["type"]]
                events.append(event)

    def wait(self, kind, timeout_s=5.0, **fields):
        """Take the first event of that type whose object has those fields."""
        def wanted(event):
            subject = event.get("peer") or event.get("report") or event
            return event["type"] == kind and all(
                subject.get(k) == v for k, v in fields.items())

        end = time.monotonic() + timeout_s
        while True:
            for event in filter(wanted, self.queue):
                self.queue.remove(event)
                return event
            if time.monotonic() >= end:
                return None
            self.queue += self._receive(0.02)


def node(ident, interval_us=10000, grace_us=50000, arbiter=0, cluster=1):
    return (u32(UAPI["KARDIA_A_NODE_ID"], ident),
            u32(UAPI["KARDIA_A_NODE_CLUSTER"], cluster),
            u32(UAPI["KARDIA_A_NODE_INTERVAL_US"], interval_us),
            u32(UAPI["KARDIA_A_NODE_GRACE_US"], grace_us),
            u8(UAPI["KARDIA_A_NODE_ARBITER"], arbiter),
            flag(UAPI["KARDIA_A_NODE_INSECURE"]))


def path(index, local, remote):
    return nest(UAPI["KARDIA_A_PEER_PATH"],
                u8(UAPI["KARDIA_A_PATH_INDEX"], index),
                address(UAPI["KARDIA_A_PATH_LOCAL"], local),
                address(UAPI["KARDIA_A_PATH_REMOTE"], remote))


def peer(me, ident, arbiter=0, paths=2):
    """A peer on the networks that cluster.sh lays."""
    return (u32(UAPI["KARDIA_A_PEER_ID"], ident),
            u8(UAPI["KARDIA_A_PEER_ARBITER"], arbiter),
            *(path(i, f"10.{i + 1}.0.{me}", f"10.{i + 1}.0.{ident}")
              for i in range(paths)))
