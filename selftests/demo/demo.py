#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# guest: nodes=5 mode=A timeout=400
"""The demo: a live cluster loses a node, and gets it back."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lib"))
from daemons import Daemons, cli  # noqa: E402
from failover import Failover  # noqa: E402
from tap import eventually  # noqa: E402

VICTIM, ARBITER = 5, 1


def say(text=""):
    print(text, flush=True)


def title(text):
    say()
    say(f"== {text}")


def show(node, *arguments):
    say(f"n{node}$ kardia {' '.join(arguments)}")
    out = cli(node, *arguments)
    for line in (out.stdout + out.stderr).splitlines():
        say(f"   {line}")
    return out


def timeline(zero_ns, steps):
    """Steps are (time, text); each is shown with the time since the last."""
    say(f"   {'time':>12}  {'since last':>12}")
    last_ns = zero_ns
    for at_ns, text in sorted(steps):
        say(f"   {(at_ns - zero_ns) / 1e6:9.3f} ms  "
            f"{(at_ns - last_ns) / 1e6:9.3f} ms  {text}")
        last_ns = at_ns


def need(what, ok):
    """A demo that shows something wrong has failed."""
    if not ok:
        say(f"FAILED: {what}")
        sys.exit(1)


def cut(failover):
    seen = failover.cut()
    need("a verdict in every surviving kernel", all(seen["down"].values()))
    need("a new map on every survivor", all(seen["applied"].values()))
    found = seen["map"]
    steps = [(ns, f"last beat of n{VICTIM} on the wire to n{i}")
             for i, ns in seen["last_beat_ns"].items()]
    for i, event in seen["down"].items():
        late = (event["time_ns"] - event["peer"]["deadline_ns"]) / 1e3
        steps.append((event["time_ns"],
                      f"n{i}'s kernel: n{VICTIM} is down, "
                      f"{late:.1f} us after its deadline"))
    steps += [(e["time_ns"], f"n{ARBITER}'s kernel has the report of n{i}")
              for i, e in seen["reports"].items()]
    steps.append((found["decision"]["decided_mono_us"] * 1000,
                  f"kardiad on n{ARBITER} decides: {found['decision']['reason']}"))
    steps += [(e["time_ns"], f"map epoch {found['epoch']} in force on n{i}")
              for i, e in seen["applied"].items()]
    timeline(min(seen["last_beat_ns"].values()), steps)

    verdicts = sorted(e["time_ns"] for e in seen["down"].values())
    applied = max(e["time_ns"] for e in seen["applied"].values())
    late = max(e["time_ns"] - e["peer"]["deadline_ns"]
               for e in seen["down"].values())
    say()
    say(f"   deadline -> verdict, the latest kernel:     {late / 1e3:8.1f} us")
    say("   second verdict -> map in force everywhere:  "
        f"{(applied - verdicts[1]) / 1e6:8.3f} ms")
    say("   last beat (latest) -> map in force:          "
        f"{(applied - max(seen['last_beat_ns'].values())) / 1e6:8.3f} ms")


def heal(failover):
    seen = failover.heal()
    need("up again in every kernel", all(seen["up"].values()))
    need("up again in every map", all(seen["applied"].values()))
    found = seen["map"]
    steps = [(e["time_ns"], f"n{i}'s kernel: n{VICTIM} is up, heard both ways")
             for i, e in seen["up"].items()]
    steps.append((found["decision"]["decided_mono_us"] * 1000,
                  f"kardiad on n{ARBITER} decides: {found['decision']['reason']}"))
    steps += [(e["time_ns"], f"map epoch {found['epoch']} in force on n{i}")
              for i, e in seen["applied"].items()]
    timeline(seen["begin_ns"], steps)


def restart(daemons, failover, node):
    before = daemons.map(2)
    failover.quiet(0)
    say(f"   kill -9 of kardiad on n{node}; one second later it is started")
    daemons.kill(node)
    time.sleep(1)
    daemons.start(node)
    # An arbiter that starts takes over with an epoch of its own.
    epoch = before["epoch"] + (node == ARBITER)
    need("all nodes up in every map",
         eventually(lambda: daemons.settled() and
                    daemons.map(2)["epoch"] >= epoch, 10))
    time.sleep(0.5)
    events = [e for events in failover.events.values() for e in events.read()]
    false = [e for e in events if e["type"].startswith("peer")]
    after = daemons.map(2)
    say(f"   peers declared down or up meanwhile: {len(false)}")
    say(f"   map epoch before {before['epoch']}, after {after['epoch']}: "
        f"{after['decision']['reason']}")
    need("nothing false", not false)
    need("nothing lost", after["epoch"] >= before["epoch"])


def main():
    title("Five nodes, each with kardia.ko and kardiad, on two networks")
    daemons = Daemons(5)
    daemons.bring_up()
    say("   interval 10 ms, grace 50 ms, two reporters needed; "
        f"n{ARBITER} is the arbiter")
    failover = Failover(daemons, VICTIM)
    events = failover.quiet(1)
    need("one second without an event", not events)
    show(1, "status")
    show(1, "peer", "list")

    title(f"Both networks of n{VICTIM} are cut at the bridge; "
          "its links stay up, nobody is told")
    cut(failover)
    show(2, "status")
    show(2, "map")

    title(f"The networks of n{VICTIM} are healed")
    heal(failover)
    need("settled", eventually(daemons.settled, 10))
    show(2, "status")

    title("A daemon dies: the kernels go on beating")
    restart(daemons, failover, 3)
    title("The arbiter's daemon dies: nothing is forgotten")
    restart(daemons, failover, ARBITER)
    daemons.stop_all()
    say()
    say("The demo is over; everything went as it should.")


if __name__ == "__main__":
    main()
