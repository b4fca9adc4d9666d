#!/usr/bin/env python3
"""Writes assets/spot-advisor.csv: how often Spot of a type was taken back, from the Advisor's data as spotinfo keeps it.

    spot_advisor.py SPOTINFO            writes the file
    spot_advisor.py SPOTINFO --check    holds it against the data: exit code 1 where they differ

The argument is a clone of the repository that is named below, at any commit that has the one named there. A row is of one
region and one type with accelerators (those of assets/instance-types.csv and OLDER), Linux; a pair that the data lack has no
row. To take newer data in, name the commit and the day that it says in spot-advisor-manifest.json (`fetched_at`).
"""

import csv
import io
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
# repository, licence, commit, and the day from which its data are
SPOTINFO = ("alexei-led/spotinfo", "Apache-2.0", "5eedf20", "2025-06-28")
# Of a generation that DescribeInstanceTypes no longer lists, and that runs on.
OLDER = {"p2.xlarge", "p2.8xlarge", "p2.16xlarge"}
DATA = "internal/spot/data/spot-advisor-data.json"


def main():
    check = "--check" in sys.argv
    clones = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(clones) != 1:
        sys.exit(__doc__)
    show = ["git", "-C", clones[0], "show", f"{SPOTINFO[2]}:{DATA}"]
    data = json.loads(subprocess.run(show, check=True, capture_output=True).stdout)
    labels = {band["index"]: band["label"] for band in data["ranges"]}
    types = OLDER | {row["type"] for row in csv.DictReader((HERE / "instance-types.csv").open()) if row["kind"]}
    rows = sorted(
        (region, kind, labels[said["r"]])
        for region, by_system in data["spot_advisor"].items()
        for kind, said in by_system.get("Linux", {}).items()
        if kind in types
    )
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["region", "type", "interrupted", "source", "date"])
    table.writerows([*row, SPOTINFO[0].split("/")[1], SPOTINFO[3]] for row in rows)
    have = {kind for _, kind, _ in rows}
    print(f"{len(rows)} rows of {len(have)} types; in none: {', '.join(sorted(types - have))}", file=sys.stderr)
    path = HERE / "spot-advisor.csv"
    if not check:
        path.write_text(out.getvalue())
    elif out.getvalue() != path.read_text():
        sys.exit("assets/spot-advisor.csv is not what the data say")


if __name__ == "__main__":
    main()
