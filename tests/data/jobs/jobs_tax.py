#!/usr/bin/env python3
"""GPU-seconds by Slurm's own state, of `sacct -X -D` text: the constants of `src/analyze/jobs/tests/captures.rs`.

Usage: jobs_tax.py FILE. Written apart from burntop's code: Slurm's words, whole seconds, no states of ours.
"""
import collections
import re
import sys

sep = "\x1f"
with open(sys.argv[1], encoding="utf-8", errors="replace", newline="\n") as f:
    head, *rows = f.read().rstrip("\n").split("\n")
names = head.split(sep) if sep in head else head.split("|")
held = collections.Counter()
count = collections.Counter()
for row in rows:
    fields = dict(zip(names, row.split(sep) if sep in head else row.split("|")))
    if "." in fields["JobID"]:
        continue
    state = fields["State"].split()[0]
    if state == "COMPLETED" and fields["DerivedExitCode"] != "0:0":
        state = "COMPLETED*"
    count[state] += 1
    gpus = re.search(r"gres/gpu=(\d+)", fields["AllocTRES"])
    if not gpus or not fields["Start"].isdigit():
        continue
    if fields["End"].isdigit():
        seconds = int(fields["End"]) - int(fields["Start"])
    else:
        h, m, s = map(int, fields["Suspended"].split(":"))
        seconds = int(fields["ElapsedRaw"]) + 3600 * h + 60 * m + s
    held[state] += seconds * int(gpus[1])
for state in sorted(count):
    print(f"{state:14} {count[state]:3} rows {held[state]:6} GPU-seconds")
print(f"{'all':14} {sum(count.values()):3} rows {sum(held.values()):6} GPU-seconds")
