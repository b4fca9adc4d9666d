#!/usr/bin/env python3
"""Measures what the cockpit costs, over the demo of 10,000 and of 280 instances, and writes the tables of README.md and docs/figures.md.

    python3 benches/figures.py BURNTOP [--write] [--runs 20] [--size 10000] [--emulators PYTHON]

Without `--write` the tables are only printed; with it they stand between their markers, and no hand edits them. Every row is
one or more runs of `ptybench.py` in a pty of 200 x 50 with a HOME of its own. Needs `pyte` (pip install pyte), which says
when a text is on the screen. The last row is `scan.py`'s, with the Python of the tests' emulators (`target/tmp/emulators`
after `cargo test`). Takes about ten minutes; leave the machine alone meanwhile.
"""

import argparse
import datetime
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib

from ptybench import PAGE_DOWN, bare, bench, built_from

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# Rows of the table in README.md; docs/figures.md has all.
SHORT = ("start", "key", "cursor", "page", "idle offline", "idle live", "warm memory", "memory 280", "first memory", "scan")


class Table:
    """Rows by name, printed as they come."""

    def __init__(self):
        self.rows = {}

    def row(self, name, figure, target, measured, met=None):
        """`met` is `None` where there is no target to be missed."""
        self.rows[name] = f"| {figure} | {target} | {measured}{', **missed**' if met is False else ''} |"
        print(self.rows[name], flush=True)

    def text(self, names):
        return "\n".join(["| figure | target | measured |", "|---|---|---|", *(self.rows[n] for n in names if n in self.rows)])


def start(table, env, live, runs):
    """Memory of a first start, which also fills the cache; then warm starts, which are asked for the instances that the first
    one counted."""
    first, screen = bench(env, live, "--secs", "45", "--warm", "40", "--screen")
    known = re.search(r"[\d,]+ of [\d,]+ running", screen)
    if not known:
        sys.exit(f"no instances on the screen:\n{screen}")
    known = known[0].partition(" of ")[2]
    times = sorted(bench(env, live, "--secs", "1.5", "--until", known)[0]["until_ms"] for _ in range(runs))
    middle = statistics.median(times)
    spread = f"{middle:.1f} ms ({times[0]:.1f} to {times[-1]:.1f})"
    table.row("start", f"warm start to painted rows, median of {runs}", "≤ 15 ms", spread, middle <= 15)
    peak = first["max_rss_mib"]
    table.row("first memory", "peak memory, first start until all is judged", "≤ 120 MiB", f"{peak} MiB", peak <= 120)
    return known


def at_rest(table, env, live):
    peaks = []
    for name, command in (("live", live), ("offline", [*live, "--offline"])):
        result, _ = bench(env, command, "--secs", "75", "--warm", "15")
        sent, spent, woken = (result[f"steady_{what}"] for what in ("bytes_per_s", "cpu_pct", "wakeups_per_s"))
        said = f"{sent:g} B/s, {spent:g}%, {woken:g} wake-ups/s"
        met = sent <= 2000 and spent <= 0.5 and woken <= 5
        table.row(f"idle {name}", f"at rest, {name}, mean of a minute", "≤ 2 kB/s, 0.5% of a core, 5 wake-ups/s", said, met)
        peaks.append(result["max_rss_mib"])
    warm_memory(table, "warm memory", "peak memory, warm start, live / offline", peaks, (80, 50))
    for key, what, most in (("r", "refresh by hand", 120), ("7", "What-if tab", 100)):
        peak = peak_of(env, live, key)
        table.row(f"memory {key}", f"peak memory, {what}", f"≤ {most} MiB", f"{peak} MiB", peak <= most)


def warm_memory(table, name, figure, peaks, most):
    met = all(peak <= limit for peak, limit in zip(peaks, most))
    table.row(name, figure, f"≤ {most[0]} / {most[1]} MiB", f"{peaks[0]} / {peaks[1]} MiB", met)


def peak_of(env, command, key=""):
    return bench(env, command, "--secs", "25", "--type", key)[0]["max_rss_mib"]


def small(table, env, live):
    """Memory of a fleet of 280, in a HOME of its own."""
    bench(env, live, "--secs", "45")
    peaks = [peak_of(env, command) for command in (live, [*live, "--offline"])]
    warm_memory(table, "memory 280", "the same, 280 instances", peaks, (40, 25))
    peak = peak_of(env, live, "7")
    table.row("memory 280 7", "peak memory, What-if tab, 280 instances", "≤ 80 MiB", f"{peak} MiB", peak <= 80)


def keys(table, env, live):
    """Times live, as they are felt; bytes offline, where nothing but the key changes the screen."""
    idle_list = ["--type", "3", "--warm", "4", "--secs", "110"]
    result, _ = bench(env, live, *idle_list, "--probe", "j", "--probe-n", "200")
    probe = result["probe"]
    said = f"{probe['p95_ms']} ms (p50 {probe['p50_ms']}, max {probe['max_ms']})"
    table.row("key", f"key to frame, p95 of {probe['n']} keys", "≤ 15 ms", said, probe["p95_ms"] <= 15)
    down = ["--type", "3" + "j" * 60, *idle_list[2:]]
    for name, figure, target, most, options, key in (
        ("cursor", "bytes of a key that moves the cursor", "≤ 600 B", 600, idle_list, "j"),
        ("scroll", "bytes of a key that scrolls by a line", "≤ 800 B", 800, down, "j"),
        ("page", "bytes of a page down", "≤ 12 kB", 12_000, idle_list, PAGE_DOWN),
    ):
        # Rows that have grown old look different, and cost more: read them anew first.
        bench(env, live, "--secs", "8")
        probe = bench(env, [*live, "--offline"], *options, "--probe", key, "--probe-n", "35")[0]["probe"]
        said = f"{probe['bytes_median']:,} B (max {probe['bytes_max']:,})"
        table.row(name, figure, target, said, probe["bytes_median"] <= most)


def slow_link(table, env, live, known):
    slow = ["--bps", "8000", "--until", known, "--secs", "30"]
    result, _ = bench(env, live, *slow, "--probe", "j", "--probe-n", "20")
    said = f"{result['until_ms']:.0f} ms; {result['probe']['p95_ms']} ms"
    table.row("link", "link of 8 kB/s: rows on screen; key to frame, p95", "usable", said)


def scan(table, env, python, binary):
    if not os.path.exists(python):
        print(f"scan: left out, there is no {python}", flush=True)
        return False
    script = os.path.join(HERE, "scan.py")
    out = subprocess.run([python, script, "300", binary], env=env, capture_output=True, text=True, check=True).stdout
    loop, ours = (re.search(rf"^{name} +(\d+) calls +([\d.]+) s", out, re.MULTILINE).groups() for name in ("classic boto3 loop", "burntop idle"))
    said = f"{ours[0]} calls, {float(ours[1]):.1f} s against {loop[0]} calls, {float(loop[1]):.1f} s"
    table.row("scan", "scan of 300 instances, against the classic boto3 loop", "–", said)
    return True


def limits():
    """What benches/gate.py and tests hold."""

    def by(figure):
        return f", by `{figure['test']}`" if "test" in figure else ""

    with open(os.path.join(HERE, "limits.toml"), "rb") as file:
        held = tomllib.load(file)
    rows = [
        f"| {figure['what']} | {figure['measured']:,} {figure['unit']} | {figure['limit']:,} | {figure['commit']}, {figure['date']}{by(figure)} |"
        for figure in held.values()
    ]
    return "\n".join(["| figure | measured | limit | at |", "|---|---|---|---|", *rows])


def put(path, marker, text):
    """Replaces what stands between `<!-- marker: … -->` and `<!-- end of marker -->`."""
    path = os.path.join(ROOT, path)
    with open(path, encoding="utf-8") as file:
        old = file.read()
    between = re.compile(rf"(<!-- {marker}: [^\n]*-->\n).*?(<!-- end of {marker} -->)", re.DOTALL)
    new, found = between.subn(lambda m: f"{m[1]}\n{text}\n\n{m[2]}", old)
    if found != 1:
        sys.exit(f"{path}: {found} places for {marker}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(new)


def main():
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("burntop", nargs="?", default=os.path.join(target, "release", "burntop"))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--emulators", default=os.path.join(target, "tmp", "emulators", "bin", "python"))
    chosen = parser.parse_args()
    binary = os.path.abspath(chosen.burntop)
    commit, date = built_from(binary) if chosen.write else ("unknown", "unknown")
    home, small_home = (tempfile.mkdtemp(prefix="burntop-figures-") for _ in range(2))
    env = bare(home)
    live = [binary, "--demo", "--demo-size", str(chosen.size)]
    table = Table()
    load = os.getloadavg()[0]
    try:
        known = start(table, env, live, chosen.runs)
        at_rest(table, env, live)
        small(table, bare(small_home), [*live[:-1], "280"])
        keys(table, env, live)
        slow_link(table, env, live, known)
        complete = scan(table, env, chosen.emulators, binary)
    finally:
        shutil.rmtree(home)
        shutil.rmtree(small_home)
    about = (
        f"Commit {commit} of {date}, measured {datetime.date.today()} on {os.cpu_count()} cores (load {load:.1f} before, "
        f"{os.getloadavg()[0]:.1f} after), Linux x86-64, release build of {os.path.getsize(binary) / 1e6:.1f} MB, demo of "
        f"{chosen.size:,} instances, terminal 200×50."
    )
    print(f"\n{about}")
    if chosen.write:
        if not complete:
            sys.exit("nothing written: a row is missing")
        put("docs/figures.md", "figures", f"{about}\n\n{table.text(table.rows)}")
        put("docs/figures.md", "limits", limits())
        put("README.md", "figures", f"{about}\n\n{table.text(SHORT)}")


if __name__ == "__main__":
    main()
