#!/usr/bin/env python3
"""Holds a release build against benches/limits.toml; ends with 1 where a limit is passed or nothing was measured.

    python3 benches/gate.py BURNTOP [--only FIGURE]      about three minutes; one figure alone: less
    python3 benches/gate.py --self-check                 shows that each limit can be broken; a minute
    python3 benches/gate.py BURNTOP --note [--runs 3]    writes what was measured, the most of the runs, into limits.toml

No figure is a time, so that a busy machine changes none. Every run is `ptybench.py`'s, over the demo, with a HOME of
its own and nothing else of the caller's environment. Limits that name a `test` are held by `cargo test`, and left out
here. Needs Python 3.11 (tomllib) and Linux (/proc).
"""

import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import sqlite3
import statistics
import sys
import tempfile
import tomllib

import jobs
from ptybench import PAGE_DOWN, bare, bench, built_from

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LIMITS = os.path.join(HERE, "limits.toml")
LOCK = os.path.join(ROOT, "Cargo.lock")
GLUTTON = os.path.join(HERE, "glutton.py")


class Pace:
    """How long the runs are. Short ones are for the self-check, whose programs have nothing to settle."""

    def __init__(self, short=False):
        self.first = 5 if short else 45
        self.settle = 1 if short else 12
        # The demo is read every 10 and every 30 s: a minute holds each read, and many windows hold none.
        self.window = 1 if short else 5
        self.live = 6 if short else 60
        self.offline = 6 if short else 30
        self.keys = 4 if short else 30
        self.watch = 6 if short else 20
        self.attempts = 100 if short else 1_000_000


# A run: which demo, from which cache, with what of ptybench's options; and the figures that its result yields.


def demo(size):
    return ["--demo", "--demo-size", str(size)]


def first_start(size, figure):
    def measure(run, pace):
        result = run(*demo(size), "--", "--secs", str(pace.first))
        return {figure: result["max_rss_mib"]}

    return measure


def live(run, pace):
    result = run(*demo(10_000), "--", *at_rest(pace, pace.live))
    return {
        "peak_live_mib": result["max_rss_mib"],
        "idle_live_bytes_per_s": result["steady_bytes_per_s"],
        "idle_live_wakeups_per_s": middle_window(result),
    }


def offline(run, pace):
    result = run(*demo(10_000), "--offline", "--", *at_rest(pace, pace.offline))
    return {
        "peak_offline_mib": result["max_rss_mib"],
        "idle_offline_bytes_per_s": result["steady_bytes_per_s"],
        "idle_offline_wakeups_per_s": middle_window(result),
    }


def keys(figure, typed, key):
    """Offline, so that nothing but the key changes the screen."""

    def measure(run, pace):
        warm = str(min(4, pace.settle))
        asked = ["--type", typed, "--warm", warm, "--probe", key, "--probe-n", str(pace.keys)]
        result = run(*demo(10_000), "--offline", "--", "--secs", "40", *asked)
        return {figure: result["probe"]["bytes_median"] if result["probe"]["n"] == pace.keys else None}

    return measure


def peak(figure, size, *options, key=""):
    """Memory of a warm start, and of what a key opens then."""

    def measure(run, pace):
        result = run(*demo(size), *options, "--", "--secs", str(pace.watch), "--type", key)
        return {figure: result["max_rss_mib"]}

    return measure


def at_rest(pace, seconds):
    return ["--secs", str(pace.settle + seconds + 1.5), "--warm", str(pace.settle), "--window", str(pace.window)]


def middle_window(result):
    """Wake-ups a second of the window in the middle. Reading and judging a fleet on several threads takes hundreds of
    wake-ups on a quiet machine and thousands on a busy one, where a thread loses the processor while it holds a lock: that is
    the machine's mood, and falls into few windows. What wakes the program all the time falls into all of them."""
    windows = [window["wakeups_per_s"] for window in result["windows"]]
    return statistics.median(windows) if windows else None


FIRST = [
    (["peak_first_start_mib"], first_start(10_000, "peak_first_start_mib")),
    (["peak_live_280_mib"], first_start(280, "peak_live_280_mib")),
]
# On copies of the cache that a first start leaves, of 10,000 or of 280. Keys come first: rows that have grown old look
# different.
WARM = [
    (["key_cursor_bytes"], keys("key_cursor_bytes", "3", "j")),
    (["key_scroll_bytes"], keys("key_scroll_bytes", "3" + "j" * 60, "j")),
    (["key_page_bytes"], keys("key_page_bytes", "3", PAGE_DOWN)),
    (["peak_live_mib", "idle_live_bytes_per_s", "idle_live_wakeups_per_s"], live),
    (["peak_offline_mib", "idle_offline_bytes_per_s", "idle_offline_wakeups_per_s"], offline),
    (["peak_refresh_mib"], peak("peak_refresh_mib", 10_000, key="r")),
    (["peak_what_if_mib"], peak("peak_what_if_mib", 10_000, key="7")),
]
WARM_280 = [
    (["peak_offline_280_mib"], peak("peak_offline_280_mib", 280, "--offline")),
    (["peak_what_if_280_mib"], peak("peak_what_if_280_mib", 280, key="7")),
]
# The only run that needs no terminal.
IMPORT = "peak_jobs_import_mib"


class Failed(Exception):
    """A run from which nothing can be said."""


def spent(home):
    """Millionths of a dollar in the ledger of a run; without a ledger nothing is known."""
    found = glob.glob(os.path.join(home, ".cache", "**", "ledger.db"), recursive=True)
    if not found:
        raise Failed("there is no ledger.db")
    total = 0
    for path in found:
        ledger = sqlite3.connect(path)
        try:
            total += ledger.execute("SELECT SUM(micro_usd) FROM entry").fetchone()[0] or 0
        finally:
            ledger.close()
    return total


def crates(lock):
    """Packages in a Cargo.lock; `None` where there is none."""
    if not os.path.exists(lock):
        return None
    with open(lock, encoding="utf-8") as file:
        return len(re.findall(r"^name = ", file.read(), re.MULTILINE))


def measure(program, pace, lock=LOCK, only=""):
    """Every figure by name that a program has, `None` for what could not be measured, and why not."""
    found, why = {}, []
    scratch = tempfile.mkdtemp(prefix="burntop-gate-")

    def one(home, figures, measured):
        def run(*arguments):
            split = arguments.index("--")
            result, _ = bench(bare(home), [program, *arguments[:split]], *arguments[split + 1 :])
            if result["exited_early"]:
                raise Failed(f"{program} ended by itself")
            return result

        try:
            return measured(run, pace) | {"own_micro_usd": spent(home)}
        except Failed as error:
            return {figure: None for figure in [*figures, "own_micro_usd"]} | {"why": f"{figures[0]}: {error}"}

    def together(runs):
        """Runs of one phase, beside each other; the dollars of all of them are summed."""
        with concurrent.futures.ThreadPoolExecutor(len(runs) or 1) as pool:
            for result in [task.result() for task in [pool.submit(one, *run) for run in runs]]:
                if reason := result.pop("why", None):
                    why.append(reason)
                dollars, known = result.pop("own_micro_usd"), found.get("own_micro_usd", 0)
                found.update(result)
                found["own_micro_usd"] = None if dollars is None or known is None else known + dollars

    def wanted(runs):
        return [run for run in runs if only in ("", "own_micro_usd") or only in run[0]]

    try:
        starts = [(os.path.join(scratch, first[0][0]), first, wanted(warm)) for first, warm in zip(FIRST, (WARM, WARM_280))]
        starts = [(home, first, warm) for home, first, warm in starts if warm or wanted([first])]
        for home, _, _ in starts:
            os.mkdir(home)
        together([(home, *first) for home, first, _ in starts])
        for home, _, warm in starts:
            copies = [os.path.join(scratch, figures[0]) for figures, _ in warm]
            for copy in copies:
                shutil.copytree(home, copy)
            together([(copy, *run) for copy, run in zip(copies, warm)])
        if only in ("", IMPORT):
            found[IMPORT] = imported(program, scratch, pace.attempts)
        found["binary_bytes"] = os.path.getsize(program)
        found["crates"] = crates(lock)
    finally:
        shutil.rmtree(scratch)
    return {figure: value for figure, value in found.items() if only in ("", figure)}, why


def imported(program, scratch, attempts):
    """Peak memory, MiB, of the import of a file of attempts; `None` where the program says nothing of it."""
    file = os.path.join(scratch, "sacct.txt")
    jobs.write(file, attempts)
    _, mib, said = jobs.run([program, "jobs", "import", file], bare(scratch))
    return mib if said else None


def verdicts(limits, measured):
    """Each figure with `ok`, `OVER` or what is missing. A limit without a figure, and a figure without a limit, are failures:
    the one holds nothing, the other is held by nothing."""
    said = {}
    for figure in [*limits, *(figure for figure in measured if figure not in limits)]:
        value = measured.get(figure)
        if figure not in limits:
            said[figure] = "NO LIMIT"
        elif value is None:
            said[figure] = "NOT MEASURED"
        else:
            said[figure] = "ok" if value <= limits[figure]["limit"] else "OVER"
    return said


def number(value):
    return "–" if value is None else f"{value:,.1f}".removesuffix(".0")


def hold(program, limits, only):
    """The gate itself. Prints each figure beside its limit; the text of a failure, empty where all is well."""
    measured, why = measure(program, Pace(), only=only)
    said = verdicts({f: limits[f] for f in limits if only in ("", f)}, measured)
    for figure, word in said.items():
        limit = limits.get(figure, {})
        print(f"{figure:28} {number(measured.get(figure)):>14}  limit {number(limit.get('limit')):>14}  {word}", flush=True)
    failure = [f"  {reason}" for reason in why]
    for figure, word in said.items():
        if word == "ok":
            continue
        limit = limits.get(figure)
        text = f"  {figure}: {word}"
        if limit:
            text += f": {limit['what']}: {number(measured.get(figure))} {limit['unit']}, limit {number(limit['limit'])}"
            text += f" (it was {number(limit['measured'])} at {limit['commit']}, {limit['date']})"
        failure.append(f"{text}\n    alone: python3 benches/gate.py {program} --only {figure}")
    return "\n".join(failure)


def held_by_tests(limits):
    """What is wrong with the limits that name a test: each has to be read by that file, by its name."""
    wrong = []
    for figure, limit in limits.items():
        path = os.path.join(ROOT, limit.get("test", "benches/gate.py"))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if f'"{figure}"' not in text or ("test" in limit and "limits::limit" not in text):
            wrong.append(f"  {figure} is held by nothing: {path} does not name it")
    return wrong


def self_check(limits):
    """Holds three programs that are not burntop against the limits: one that wastes everything, one that spends little, one
    that ends at once. What the gate says of them is known."""
    wrong = held_by_tests(limits)
    limits = {figure: limit for figure, limit in limits.items() if "test" not in limit}
    largest = max(limit["limit"] for figure, limit in limits.items() if figure.endswith("_mib"))
    scratch = tempfile.mkdtemp(prefix="burntop-gate-")
    try:
        programs = {"OVER": "wasteful", "ok": "frugal", "NOT MEASURED": "ends at once"}
        for word, kind in programs.items():
            program = os.path.join(scratch, kind.replace(" ", "-"))
            wasteful = f"--mib {int(largest) + 40}" if word == "OVER" else "--frugal"
            script = "exit 0" if word == "NOT MEASURED" else f'exec "{sys.executable}" "{GLUTTON}" {wasteful} "$@"'
            with open(program, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{script}\n")
                if word != "ok":
                    # A hole, which takes no room on the disk.
                    file.truncate(limits["binary_bytes"]["limit"] + 1)
            os.chmod(program, 0o755)
            lock = f"{program}.lock"
            if word != "NOT MEASURED":
                with open(lock, "w", encoding="utf-8") as file:
                    file.write('name = "x"\n' * (limits["crates"]["limit"] + 1 if word == "OVER" else 1))
            measured, _ = measure(program, Pace(short=True), lock)
            for figure, said in verdicts(limits, measured).items():
                expected = "OVER" if word == "NOT MEASURED" and figure == "binary_bytes" else word
                if said != expected:
                    value = number(measured.get(figure))
                    wrong.append(f"  {figure} of a program that is {kind}: {value} is {said}, not {expected}")
    finally:
        shutil.rmtree(scratch)
    if "NO LIMIT" not in verdicts({}, {"unheard_of": 1}).values():
        wrong.append("  a figure without a limit passes")
    return "\n".join(wrong)


def note(program, limits, runs):
    """Writes the most of what some runs measured, with commit and date, and the limits that follow from it."""
    most = {}
    for _ in range(runs):
        measured, why = measure(program, Pace())
        if why:
            return "\n".join(why)
        for figure, value in measured.items():
            most[figure] = max(value, most.get(figure, value))
    commit, date = built_from(program)
    with open(LIMITS, encoding="utf-8") as file:
        head, *tables = re.split(r"^(?=\[)", file.read(), flags=re.MULTILINE)
    for at, table in enumerate(tables):
        figure = re.match(r"\[(\w+)\]", table)[1]
        if figure not in limits:
            continue
        new = {"measured": str(most[figure]), "commit": f'"{commit}"', "date": f'"{date}"'}
        if (margin := limits[figure].get("margin")) is not None:
            new["limit"] = str(int(most[figure] * (1 + margin)))
        for key, value in new.items():
            table = re.sub(rf"^{key} = .*$", f"{key} = {value}", table, flags=re.MULTILINE)
        tables[at] = table
    with open(LIMITS, "w", encoding="utf-8") as file:
        file.write(head + "".join(tables))
    return ""


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("burntop", nargs="?")
    asked.add_argument("--only", default="", metavar="FIGURE", help="a name in limits.toml")
    asked.add_argument("--self-check", action="store_true")
    asked.add_argument("--note", action="store_true")
    asked.add_argument("--runs", type=int, default=3)
    chosen = asked.parse_args()
    with open(LIMITS, "rb") as file:
        limits = tomllib.load(file)
    if chosen.only and chosen.only not in limits:
        asked.error(f"no figure {chosen.only}; there are: {', '.join(limits)}")
    if test := limits.get(chosen.only, {}).get("test"):
        asked.error(f"{chosen.only} is held by cargo test: {test}")
    if chosen.self_check:
        if wrong := self_check(limits):
            sys.exit(f"the gate does not see what it has to:\n{wrong}")
        tests = sum("test" in limit for limit in limits.values())
        print(f"the gate sees each of {len(limits) - tests} limits broken, and passes what keeps them; {tests} are held by tests")
        return
    if not chosen.burntop:
        asked.error("which program?")
    limits = {figure: limit for figure, limit in limits.items() if "test" not in limit}
    program = os.path.abspath(chosen.burntop)
    failure = note(program, limits, chosen.runs) if chosen.note else hold(program, limits, chosen.only)
    if failure:
        sys.exit(f"gate: not held (benches/limits.toml):\n{failure}")


if __name__ == "__main__":
    main()
