#!/usr/bin/env python3
"""Measures what the cockpit costs, over the demo of 10,000 instances, and prints a table.

    python benches/figures.py [path to burntop] [--runs 20] [--size 10000]

Every row is one or more runs of `ptybench.py` in a pty of 200 x 50 with a HOME of its own. Needs
`pyte` (pip install pyte), which says when a text is on the screen. htop and btop are measured in
the same way where they are installed. Takes about ten minutes; leave the machine alone meanwhile.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PTYBENCH = os.path.join(HERE, "ptybench.py")
PAGE_DOWN = r"\x06"


def bench(env, command, *options):
    """Runs ptybench; its result, and the last screen where `--screen` is among the options."""
    run = [sys.executable, PTYBENCH, *options, "--", *command]
    out = subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout
    first, _, screen = out.partition("\n")
    return json.loads(first), screen


def row(figure, target, measured):
    print(f"| {figure} | {target} | {measured} |", flush=True)


def idle(result):
    return (
        f"{result['steady_bytes_per_s']} B/s, {result['steady_cpu_pct']} %, "
        f"{result['steady_wakeups_per_s']} wake-ups/s"
    )


def neighbour(env, name, runs):
    starts = [bench(env, [name], "--secs", "2")[0]["first_paint_ms"] for _ in range(runs)]
    result, _ = bench(env, [name], "--secs", "40", "--warm", "10")
    start = statistics.median(s for s in starts if s is not None)
    row(f"{name}: first paint; idle; peak memory", "–", f"{start:.0f} ms; {idle(result)}; {result['max_rss_mib']} MiB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("burntop", nargs="?", default=os.path.join(HERE, "..", "target", "release", "burntop"))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--size", type=int, default=10_000)
    chosen = parser.parse_args()
    home = tempfile.mkdtemp(prefix="burntop-figures-")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "BURNTOP_"))}
    env["HOME"] = home
    live = [os.path.abspath(chosen.burntop), "--demo", "--demo-size", str(chosen.size)]
    offline = [*live, "--offline"]
    try:
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
        print("| figure | target | measured |\n|---|---|---|")

        cold, screen = bench(env, live, "--secs", "30", "--warm", "25", "--screen")
        row("peak memory, first start, all judged", "≤ 100 MiB", f"{cold['max_rss_mib']} MiB")
        known = re.search(r"IDLE\s+(\S+)", screen)
        if not known:
            sys.exit(f"no finding on the screen:\n{screen}")

        starts = [bench(env, live, "--secs", "1.5", "--until", known[1])[0] for _ in range(chosen.runs)]
        times = sorted(s["until_ms"] for s in starts)
        row(
            f"start to painted rows, warm, median of {chosen.runs}",
            "≤ 60 ms",
            f"{statistics.median(times):.1f} ms ({times[0]:.1f} to {times[-1]:.1f})",
        )

        for name, command in (("live", live), ("offline", offline)):
            result, _ = bench(env, command, "--secs", "70", "--warm", "10")
            row(f"idle, {name}", "≤ 2 kB/s, ≤ 0.5 %, ≤ 5 wake-ups/s", idle(result))
            row(f"peak memory, warm start, {name}", "≤ 60 MiB", f"{result['max_rss_mib']} MiB")
        result, _ = bench(env, live, "--secs", "25", "--probe", "r", "--probe-n", "1")
        row("peak memory, refresh by hand", "≤ 100 MiB", f"{result['max_rss_mib']} MiB")

        table = ["--type", "3", "--warm", "4"]
        result, _ = bench(env, live, "--secs", "110", *table, "--probe", "j", "--probe-n", "200")
        probe = result["probe"]
        row(
            f"key to frame, p95 of {probe['n']} keys",
            "≤ 15 ms",
            f"{probe['p95_ms']} ms (p50 {probe['p50_ms']}, max {probe['max_ms']})",
        )
        row(
            "a key that scrolls by a line",
            "–",
            f"{result['bytes_per_frame_median']} B (max {result['bytes_per_frame_max']})",
        )
        result, _ = bench(env, live, "--secs", "22", *table, "--probe", "j", "--probe-n", "40")
        row(
            "a key within the page",
            "≤ 4 kB",
            f"{result['bytes_per_frame_median']} B (max {result['bytes_per_frame_max']})",
        )
        result, _ = bench(env, live, "--secs", "22", *table, "--probe", PAGE_DOWN, "--probe-n", "40")
        row(
            "a page down",
            "≤ 12 kB",
            f"{result['bytes_per_frame_median']} B (max {result['bytes_per_frame_max']}), p95 {result['probe']['p95_ms']} ms",
        )

        slow = ["--bps", "8000", "--until", known[1]]
        result, _ = bench(env, live, "--secs", "30", *slow, "--probe", "j", "--probe-n", "20")
        row(
            "link of 8 kB/s: rows on screen; key to frame p95",
            "usable",
            f"{result['until_ms']:.0f} ms; {result['probe']['p95_ms']} ms",
        )
        for name in ("htop", "btop"):
            if shutil.which(name):
                neighbour(env, name, 5)
        print(f"\nload {os.getloadavg()[0]:.1f}")
    finally:
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
