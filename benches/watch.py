#!/usr/bin/env python3
"""What holding many rules against a large fleet costs, and what a watch costs while it waits.

    python3 benches/watch.py BURNTOP [--rules 200] [--size 10000]

Two runs of `burntop watch --demo --once` over the same cache, with one rule and with many: the time of holding them against
the lists (from the log) and the peak memory of both, whose difference is what the rules cost. Then a watch that goes on: its
processor time and its wake-ups in a minute without a round. Times are of this machine and its mood; the rest is not.
Linux alone (/proc).
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

from ptybench import bare, built_from

# Filters of every kind over the lists that are longest. Each ends with a condition that no row meets: what is measured is
# holding rules against rows, whatever they find.
FILTERS = [
    "gpus state=held_idle and waste>${n}/h", "gpus act<{n} and idle>2h", "gpus team=nlp and mem>{n}%",
    "idle verdict=idle and wasted>${n}", "idle env=dev and cpu<{n}%", "idle type=p4d.24xlarge and $>{n}/h",
    "idle gpu<{n}% and team=vision", "ebs age>{n}d and save>$5", "resources waste>${n}/h", "buckets bytes>{n}TB",
]


def rules(path, count):
    text = 'sinks_by_default = ["file"]\n[[sinks]]\nname = "file"\ntype = "file"\npath = "%s.alerts"\n' % path
    for n in range(count):
        when = FILTERS[n % len(FILTERS)].replace("{n}", str(90 + n)) + " and account=none"
        text += f'[[rules]]\nname = "r{n}"\nwhen = "{when}"\nfor = "1h"\n'
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def memory(pid, name):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(rf"^{name}:\s+(\d+)", file.read(), re.MULTILINE)[1]) / 1024


def once(program, home, path, size):
    """Milliseconds of holding the rules, and the peak memory in MiB."""
    env = bare(home) | {"BURNTOP_LOG": "debug"}
    for log in glob.glob(f"{home}/.local/state/burntop/burntop.log*"):
        os.remove(log)
    command = [program, "watch", "--demo", "--demo-size", str(size), "--once", "--rules", path, "--format", "csv"]
    run = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    peak = 0.0
    while run.poll() is None:
        try:
            peak = max(peak, memory(run.pid, "VmHWM"))
        except (FileNotFoundError, ProcessLookupError, TypeError):
            break
        time.sleep(0.005)
    said = run.communicate()[1]
    if run.returncode not in (0, 3):
        sys.exit(said)
    log = "".join(open(log, encoding="utf-8").read() for log in glob.glob(f"{home}/.local/state/burntop/burntop.log*"))
    found = re.findall(r"rules held against the lists.*?ms=([\d.]+)|ms=([\d.]+).*?rules held", log)
    if not found:
        sys.exit("the log has no time: " + log[-400:])
    return float("".join(found[-1])), peak


def waiting(program, home, path, size):
    """Processor seconds and wake-ups of a minute between two rounds."""
    command = [program, "watch", "--demo", "--demo-size", str(size), "--rules", path]
    run = subprocess.Popen(command, env=bare(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(60)
        before = usage(run.pid)
        time.sleep(60)
        return [b - a for a, b in zip(before, usage(run.pid))]
    finally:
        run.kill()
        run.wait()


def usage(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    wakeups = 0
    for status in glob.glob(f"/proc/{pid}/task/*/status"):
        with open(status, encoding="utf-8") as file:
            wakeups += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.MULTILINE)[1])
    return cpu, wakeups


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("burntop")
    asked.add_argument("--rules", type=int, default=200)
    asked.add_argument("--size", type=int, default=10_000)
    args = asked.parse_args()
    program = os.path.abspath(args.burntop)
    commit, date = built_from(program)
    with tempfile.TemporaryDirectory(prefix="burntop-watch-") as home:
        one, many = os.path.join(home, "one.toml"), os.path.join(home, "many.toml")
        # The first one has a rule over each list, so that both runs read the same.
        rules(one, len(FILTERS))
        rules(many, args.rules)
        once(program, home, one, args.size)
        least = [once(program, home, one, args.size) for _ in range(3)]
        most = [once(program, home, many, args.size) for _ in range(3)]
        print(f"burntop {commit} {date}, {args.size:,} instances")
        print(f"{len(FILTERS):>4} rules: {min(ms for ms, _ in least):8.1f} ms, peak {min(mib for _, mib in least):7.1f} MiB")
        print(f"{args.rules:>4} rules: {min(ms for ms, _ in most):8.1f} ms, peak {min(mib for _, mib in most):7.1f} MiB")
        cpu, wakeups = waiting(program, home, many, args.size)
        print(f"waiting: {cpu / 60:.2%} of a core, {wakeups / 60:.2f} wake-ups a second")


if __name__ == "__main__":
    main()
