#!/usr/bin/env python3
"""Writes assets/prices.csv: on-demand list prices by type and region, from lists that others took of AWS's price list; and
assets/families.txt: the families of all types that the lists have.

    prices.py KARPENTER PARSEC TSAOL            writes the files
    prices.py KARPENTER PARSEC TSAOL --check    holds them against the lists: exit code 1 where they differ

Each argument is a clone of the repository that is named below, at any commit that has the one named there.

Of each type in assets/instance-types.csv a price is taken in every region that a list has; where more than one list has it,
the newest one's, and they have to agree to the cent. Linux, shared tenancy, USD. Local Zones and Wavelength Zones have
prices of their own and are left out, and so are prices in another currency.
"""

import csv
import io
import json
import pathlib
import re
import subprocess
import sys
from collections import defaultdict

HERE = pathlib.Path(__file__).parent
# repository, licence, commit, files
KARPENTER = ("aws/karpenter-provider-aws", "Apache-2.0", "6fc13b523")
PARSEC = ("rhpds/parsec", "no licence named; figures only, taken from AWS's public price list files", "9f52ad7")
TSAOL = ("tsaol/aws-gpu", "MIT by its README", "77fcd9f")
# No list has them yet: AWS's EKS User Guide and the driver of AWS Neuron name them.
NEWER = {"p6e-gb300", "trn3"}
REGION = re.compile(r"(af|ap|ca|eu|il|me|mx|sa|us|us-gov)-[a-z]+-\d")


def show(clone, commit, path):
    return subprocess.run(["git", "-C", clone, "show", f"{commit}:{path}"], check=True, capture_output=True).stdout.decode()


def karpenter(clone):
    """Go source: a map of regions, each a map of types."""
    prices, dates = {}, set()
    for name in ("zz_generated.pricing_aws.go", "zz_generated.pricing_aws_us_gov.go"):
        text = show(clone, KARPENTER[2], f"pkg/providers/pricing/{name}")
        dates.add(re.search(r"generated at (\d{4}-\d\d-\d\d)T", text)[1])
        region = None
        for line in text.splitlines():
            if head := re.fullmatch(r'\t"([a-z0-9-]+)": \{', line):
                region = head[1]
            for name, usd in re.findall(r'"([a-z0-9-]+\.[a-z0-9-]+)": ([0-9.]+)', line):
                prices[region, name] = float(usd)
    assert len(dates) == 1, dates
    return dates.pop(), prices


def parsec(clone):
    data = json.loads(show(clone, PARSEC[2], "data/ec2_pricing.json"))
    prices = {
        (region, name): by_system["Linux"]
        for name, item in data["instances"].items()
        for region, by_system in item["pricing"].items()
        if "Linux" in by_system
    }
    return data["generated_at"][:10], prices


def tsaol(clone):
    text = show(clone, TSAOL[2], "data/all_gpu_instances.js")
    data = json.loads(text[text.index("[") : text.rindex("]") + 1])
    prices = {
        (region, item["name"]): price["onDemand"]
        for item in data
        for region, price in item["pricing"].items()
        if price.get("onDemand")
    }
    return re.search(r"Last updated: (\d{4}-\d\d-\d\d)", text)[1], prices


def main():
    check = "--check" in sys.argv
    clones = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(clones) != 3:
        sys.exit(__doc__)
    read = (karpenter, parsec, tsaol)
    sources = [
        (name, *how(clone)) for (name, *_), how, clone in zip((KARPENTER, PARSEC, TSAOL), read, clones)
    ]
    sources.sort(key=lambda s: s[1], reverse=True)
    types = [row["type"] for row in csv.DictReader((HERE / "instance-types.csv").open())]

    known, rows, agree, differ = {}, defaultdict(dict), 0, []
    for name, date, prices in sources:
        for (region, kind), usd in sorted(prices.items()):
            if kind not in types or not REGION.fullmatch(region) or not usd > 0:
                continue
            if (region, kind) not in known:
                known[region, kind] = usd
                rows[kind, date, name][region] = usd
            elif abs(known[region, kind] - usd) < 0.005:
                agree += 1
            else:
                differ.append(f"{region} {kind}: {known[region, kind]}, but {usd} in {name} of {date}")

    regions = sorted({region for region, _ in known})
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["type", "source", "date", *regions])
    for (kind, date, name), prices in sorted(rows.items()):
        table.writerow([kind, name, date, *(repr(prices[r]).removesuffix(".0") if r in prices else "" for r in regions)])

    unpriced = sorted(set(types) - {kind for _, kind in known})
    print(f"{len(known)} prices of {len(types) - len(unpriced)} types in {len(regions)} regions", file=sys.stderr)
    print(f"{agree} prices are in two lists and agree, {len(differ)} differ", file=sys.stderr)
    print("in no list:", ", ".join(unpriced), file=sys.stderr)
    for line in differ:
        print("differs:", line, file=sys.stderr)
    families = {kind.split(".")[0] for _, _, prices in sources for _, kind in prices if "." in kind}
    families |= NEWER | {kind.split(".")[0] for kind in types}
    wrong = len(differ)
    for name, text in (("prices.csv", out.getvalue()), ("families.txt", "\n".join(sorted(families)) + "\n")):
        if not check:
            (HERE / name).write_text(text)
        elif text != (HERE / name).read_text():
            wrong += 1
            print(f"assets/{name} is not what the lists say", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
