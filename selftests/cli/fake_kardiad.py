#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
fake_kardiad.py SOCKET MODE: answers like kardiad, or like something hostile
that listens in its place. Prints "ready" once it listens.
"""
import hashlib
import os
import socket
import sys

NODE = ('{"id":%d,"name":"%s","host":"%s","front":"10.1.0.%d",'
        '"back":"10.2.0.%d","arbiter":%s,"state":"%s","cause":"%s",'
        '"incarnation":"%016x","since_epoch":%d}')
ACCUSER = ('{"reporter":"n1","reporter_id":1,"incarnation":"%016x",'
           '"silent_us":51200,"paths":["front","back"],"cause":"silent",'
           '"grace_us":50000,"own_lateness_us":12}')
CHANGE = ('{"change":"down","node":"n3","node_id":3,"cause":"silent",'
          '"incarnation":"%016x","accusers_total":2,"accusers":[%s]}')
MAP = ('{"schema":"kardia.map/1","cluster":"demo","epoch":%d,'
       '"settings":{"interval_us":10000,"grace_us":50000,'
       '"min_down_reporters":2},"nodes":[%s],"decision":{"arbiter":"n1",'
       '"arbiter_id":1,"term":1,"reason":"%s",'
       '"decided_at":"2026-01-02T03:04:05.000006Z",'
       '"decided_at_us":1767323045000006,"decided_mono_us":4000000,'
       '"changes":[%s]},"prev_hash":"%s"}')
STATUS = ('{"schema":"kardia.status/1","node":"n2","node_id":2,'
          '"cluster":"demo","epoch":7,"applied_epoch":7,"arbiter":"n1",'
          '"arbiter_reachable":%s,"kernel":{"ok":true,"error":null},'
          '"deciding":null}')
NO_MAP = ('{"schema":"kardia.error/1","error":{"code":"no-map",'
          '"message":"there is no map here yet"}}')


def sealed(text):
    digest = hashlib.sha256(text.encode()).hexdigest()
    return text[:-1] + ',"hash":"' + digest + '"}'


def cluster_map(down, reason="all are up"):
    nodes = [NODE % (1, "n1", "host-a", 1, 1, "true", "up", "none", 0x11, 1),
             NODE % (2, "n2", "host-b", 2, 2, "false", "up", "none", 0x22, 1)]
    if down:
        nodes.append(NODE % (3, "n3", "host-b", 3, 3, "false", "down",
                             "silent", 0x33, 7))
        changes = CHANGE % (0x33, ACCUSER % 0x33)
    else:
        nodes.append(NODE % (3, "n3", "host-b", 3, 3, "false", "up", "none",
                             0x33, 1))
        changes = ""
    return sealed(MAP % (7, ",".join(nodes), reason, changes, "0" * 64))


def answers(mode):
    """What to say to a map's and a status's request: status line, body."""
    good = ("200 OK", cluster_map(False)), ("200 OK", STATUS % "true")
    return {
        "up": good,
        "down": (("200 OK", cluster_map(True, "2 hosts accuse n3")),
                 ("200 OK", STATUS % "false")),
        "no-map": (("503 Service Unavailable", NO_MAP), good[1]),
        "steering": (("200 OK", cluster_map(True, "x\u009b31m \u202ey")),
                     good[1]),
        "bad-hash": (("200 OK", good[0][1].replace("n2", "nX")), good[1]),
        "garbage": (("200 OK", "\x1b[31mnonsense"), ("200 OK", "[")),
        "empty": (("200 OK", ""), ("200 OK", "")),
        "deep": (("200 OK", "[" * 100000), ("200 OK", "[" * 30000)),
        "bad-error": (("500 Oops", '{"error":{"message":"\\u001b[31m"}}'),
                      good[1]),
        "huge": (("200 OK", " " * (9 << 20)), good[1]),
        "hang": None,
    }[mode]


def serve(connection, replies):
    data = b""
    while True:
        while b"\r\n\r\n" not in data:
            chunk = connection.recv(65536)
            if not chunk:
                return
            data += chunk
        request, data = data.split(b"\r\n\r\n", 1)
        status, body = replies[request.startswith(b"GET /v1/status ")]
        body = body.encode()
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)


def main():
    path, mode = sys.argv[1:]
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(8)
    print("ready", flush=True)
    waiting = []
    while True:
        connection, _ = listener.accept()
        replies = answers(mode)
        if replies is None:
            waiting.append(connection)
            continue
        try:
            serve(connection, replies)
        except OSError:
            pass
        connection.close()


main()
