#!/usr/bin/env python3
"""Who holds the heap at its peak: bytes by module of burntop, from heaptrack (`apt-get install heaptrack`).

    python3 benches/heap.py BURNTOP [--size 10000] [--key 7] [-- --offline]

The build needs its symbols: `CARGO_PROFILE_RELEASE_STRIP=none cargo build --release`. The demo starts once without heaptrack, so
that the cache is full, and then with it; `--first` leaves that start out, `--key` is typed once the screen has settled. A piece
counts for the innermost module that asked for it, and for `source::demo` wherever that made it: the generator's own state and what
it hands out as a source. With `--offline` the demo makes nothing, and what the product itself keeps is left.
"""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

from ptybench import bare, bench

HEAPTRACK = "/usr/lib/heaptrack"
# Folders whose parts are told apart.
PARTED = {"act", "analyze", "bus", "fleet", "source", "tabs"}
DEMO = "source::demo"


def module(frame):
    """`bus::live` of a function of burntop; `None` of others', and of the nouns, which everybody makes."""
    found = re.search(r"\bburntop(?:\[\w+\])?::(\w+)(?:::([a-z0-9_]+)(?=::))?", frame)
    if not found or found[1] in ("domain", "run", "main"):
        return None
    return f"{found[1]}::{found[2]}" if found[1] in PARTED and found[2] else found[1]


def holder(frames):
    """Who a stack, outermost frame first, counts for."""
    modules = [found for frame in reversed(frames) if (found := module(frame))]
    return DEMO if DEMO in modules else next(iter(modules), "others")


def stacks(env, command, options, scratch):
    """Stacks with the bytes that each held at the peak, and the most memory."""
    raw, read, folded = (os.path.join(scratch, name) for name in ("raw", "read", "folded"))
    preload = ["--env", f"LD_PRELOAD={HEAPTRACK}/libheaptrack_preload.so", "--env", f"DUMP_HEAPTRACK_OUTPUT={raw}"]
    result, _ = bench(env, command, *options, *preload)
    with open(raw, "rb") as source, open(read, "wb") as sink:
        subprocess.run([f"{HEAPTRACK}/libexec/heaptrack_interpret"], stdin=source, stdout=sink, stderr=subprocess.DEVNULL, check=True)
    told = ["heaptrack_print", "-p0", "-a0", "-T0", "-F", folded, "--flamegraph-cost-type", "peak", read]
    subprocess.run(told, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    with open(folded, "rb") as source:
        text = subprocess.run(["c++filt"], stdin=source, capture_output=True, check=True).stdout.decode(errors="replace")
    return [line.rpartition(" ")[::2] for line in text.splitlines()], result["max_rss_mib"]


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("burntop")
    asked.add_argument("--size", type=int, default=10_000)
    asked.add_argument("--secs", type=int, default=45)
    asked.add_argument("--key", default="")
    asked.add_argument("--first", action="store_true")
    # argparse hands what stands behind `--` to the first positional argument that takes none.
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    chosen, options = asked.parse_args(sys.argv[1:at]), sys.argv[at + 1 :]
    scratch = tempfile.mkdtemp(prefix="burntop-heap-")
    env = bare(scratch)
    demo = [os.path.abspath(chosen.burntop), "--demo", "--demo-size", str(chosen.size)]
    try:
        if not chosen.first:
            bench(env, demo, "--secs", str(chosen.secs))
        told, memory = stacks(env, [*demo, *options], ["--secs", str(chosen.secs), "--type", chosen.key], scratch)
    finally:
        shutil.rmtree(scratch)
    held = collections.Counter()
    for stack, cost in told:
        held[holder(stack.split(";"))] += int(cost)
    whole = held.total()
    print(f"| module | MiB at the peak ({whole / 2**20:.1f} in all) | share |\n|---|---|---|")
    for name, cost in held.most_common():
        if cost >= whole / 200:
            print(f"| `{name}` | {cost / 2**20:.1f} | {100 * cost / whole:.0f}% |")
    product = whole - held[DEMO]
    print(f"\nWithout the demo: {product / 2**20:.1f} MiB. Peak memory of this run, heaptrack's own included: {memory} MiB.")


if __name__ == "__main__":
    main()
