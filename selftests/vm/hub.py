#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The networks between virtual machines: hub.py FOLDER NETWORK...

Per network one datagram socket, FOLDER/NETWORK; machine I has its own at
FOLDER/NETWORK-I. A frame from one goes to all others, unless the file
FOLDER/NETWORK-I.out (of the sender) or FOLDER/NETWORK-I.in (of the receiver)
says that it is lost. What a machine does not take is lost as well.
"""
import glob
import os
import selectors
import socket
import sys


def forward(hub, path):
    frame, sender = hub.recvfrom(65536)
    if os.path.exists(f"{sender}.out"):
        return
    for receiver in glob.glob(f"{path}-*[0-9]"):
        if receiver == sender or os.path.exists(f"{receiver}.in"):
            continue
        try:
            hub.sendto(frame, socket.MSG_DONTWAIT, receiver)
        except OSError:
            pass


def main(folder, networks):
    ready = selectors.DefaultSelector()
    for network in networks:
        path = os.path.join(folder, network)
        hub = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        hub.bind(path)
        ready.register(hub, selectors.EVENT_READ, path)
    while True:
        for key, _ in ready.select():
            forward(key.fileobj, key.data)


main(sys.argv[1], sys.argv[2:])
