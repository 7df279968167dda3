# SPDX-License-Identifier: GPL-2.0-or-later
"""TAP for test scripts: mark functions with @test, then call run()."""
import sys
import time
import traceback

_tests = []


class Skip(Exception):
    """Raised by a test that cannot run here; the text says why."""


def test(function):
    _tests.append(function)
    return function


def note(text):
    for line in str(text).splitlines():
        print(f"# {line}", flush=True)


def eventually(condition, timeout_s=5.0, step_s=0.01):
    """Poll until condition() is true; its last value is returned."""
    end = time.monotonic() + timeout_s
    while True:
        value = condition()
        if value or time.monotonic() >= end:
            return value
        time.sleep(step_s)


def _run_one(number, function):
    name = function.__name__
    try:
        function()
    except Skip as skip:
        print(f"ok {number} - {name} # SKIP {skip}", flush=True)
    except Exception:  # every failure of a test is its result
        note(traceback.format_exc())
        print(f"not ok {number} - {name}", flush=True)
        return False
    else:
        print(f"ok {number} - {name}", flush=True)
    return True


def run():
    print("TAP version 13")
    print(f"1..{len(_tests)}", flush=True)
    results = [_run_one(i + 1, t) for i, t in enumerate(_tests)]
    sys.exit(0 if all(results) else 1)
