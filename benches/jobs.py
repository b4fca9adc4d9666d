"""A million attempts: import and tax of burntop beside DuckDB on the same file; and one refresh of 5,000 running jobs.

python jobs.py BURNTOP [--rows N] [--python PYTHON_WITH_DUCKDB] [--write]

Prints seconds and peak memory of each; with --write puts them into docs/jobs.md, with the commit and the date. The refresh is a whole
run of `burntop jobs tax` where the cluster was read before: Slurm's programs are asked, what they say is kept, costed and summed.
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = (
    "Cluster,JobIDRaw,JobID,JobName,User,Account,Partition,State,ExitCode,DerivedExitCode,Submit,Start,End,ElapsedRaw,Suspended,"
    "TimelimitRaw,AllocTRES,ReqTRES,NNodes,NodeList,Comment,WCKey"
)
STATES = [("COMPLETED", "0:0", 58), ("FAILED", "1:0", 17), ("OUT_OF_MEMORY", "0:125", 6), ("CANCELLED by 1000", "0:0", 9),
          ("TIMEOUT", "0:0", 4), ("PREEMPTED", "0:0", 4), ("NODE_FAIL", "1:0", 2)]
RUNNING = 5_000
BEGIN, END = "<!-- figures of benches/jobs.py -->", "<!-- end -->"


def write(path, rows):
    """Text of sacct, invented: 512 nodes, 400 scripts, 97 users."""
    draw = random.Random(7)
    states = [(word, code) for word, code, weight in STATES for _ in range(weight)]
    with open(path, "w") as file:
        file.write("\x1f".join(COLUMNS.split(",")) + "\n")
        for i in range(rows):
            word, code = draw.choice(states)
            submit = 1764000000 + i * 20 + draw.randrange(60)
            start = submit + draw.randrange(3600)
            long, gpus = draw.randrange(60, 20000), draw.choice([1, 2, 4, 8])
            file.write("\x1f".join([
                "c1", str(i + 1), str(i + 1), f"train-{i % 400}", f"u{i % 97}", f"team{i % 11}", "p5", word, code, "0:0",
                str(submit), str(start), str(start + long), str(long), "0", "1440",
                f"billing={gpus * 12},cpu={gpus * 12},gres/gpu={gpus},mem={gpus * 100}G,node=1",
                f"cpu={gpus * 12},gres/gpu={gpus}", "1", f"p5-{draw.randrange(512)}", "", ""]) + "\n")


def cluster(place, jobs):
    """Programs that print what Slurm's would: `jobs` jobs that run with a GPU each, eight on a node. Returns their directory."""
    now = int(time.time())
    columns = COLUMNS.split(",")
    rows, held, nodes = ["\x1f".join(columns)], [], []
    for i in range(jobs):
        node, gpu, start = f"p5-{i // 8}", i % 8, now - 3600 - i
        tres = "billing=12,cpu=12,gres/gpu=1,mem=200G,node=1"
        row = ["c1", str(i + 1), str(i + 1), f"train-{i % 400}", f"u{i % 97}", f"team{i % 11}", "p5", "RUNNING", "0:0", "0:0",
               str(start), str(start), "Unknown", str(now - start), "0", "1440", tres, tres, "1", node, "", ""]
        rows.append("\x1f".join(row))
        held.append(f"JobId={i + 1} JobName=train-{i % 400}\n   UserId=u{i % 97}({i % 97})\n"
                    f"   JobState=RUNNING Reason=None\n     Nodes={node} CPU_IDs={gpu} Mem=100 GRES=gpu:h100:1(IDX:{gpu})\n")
    for i in range((jobs + 7) // 8):
        nodes.append(f"NodeName=p5-{i} Arch=x86_64\n   Gres=gpu:h100:8\n   GresUsed=gpu:h100:8(IDX:0-7)\n   NodeAddr=10.0.{i // 250}.{i % 250}"
                     f"\n   State=MIXED\n   InstanceId=i-{i:017x} InstanceType=p5.48xlarge\n")
    bin = pathlib.Path(place, "bin")
    bin.mkdir()
    texts = {"rows": "\n".join(rows), "held": "\n".join(held), "nodes": "\n".join(nodes),
             "ids": "\n".join(str(i + 1) for i in range(jobs)),
             "config": f"Configuration data as of {now}\nClusterName = c1\nAccountingStorageTRES = cpu,gres/gpu\n"}
    for name, text in texts.items():
        pathlib.Path(bin, name).write_text(text + "\n")
    scripts = {"sacct": f'*helpformat*) echo "{" ".join(columns)}" ;; *) cat {bin}/rows',
               "scontrol": f"*config*) cat {bin}/config ;; *node*) cat {bin}/nodes ;; *) cat {bin}/held",
               "squeue": f"*) cat {bin}/ids"}
    for name, cases in scripts.items():
        script = pathlib.Path(bin, name)
        script.write_text(f'#!/bin/sh\ncase "$*" in {cases} ;; esac\n')
        script.chmod(0o755)
    return bin


def refresh(burntop, jobs):
    """Seconds (the middle one of five) and peak MiB of a run that reads a cluster which was read before."""
    with tempfile.TemporaryDirectory() as place:
        config = pathlib.Path(place, "config.toml")
        config.write_text(f'[[jobs.slurm]]\nname = "c1"\nbin = "{cluster(place, jobs)}"\n')
        env = {**os.environ, "XDG_CACHE_HOME": f"{place}/cache", "XDG_STATE_HOME": f"{place}/state",
               "XDG_CONFIG_HOME": f"{place}/config"}
        command = [burntop, "--config", str(config), "jobs", "tax", "--format", "json"]
        took = [run(command, env) for _ in range(6)][1:]
        rows = json.loads(took[0][2])["total"]["attempts"]
        if rows != jobs:
            raise SystemExit(f"{rows} jobs of {jobs} were read")
        seconds = sorted(seconds for seconds, _, _ in took)
        return seconds[2], max(mib for _, mib, _ in took)


def run(command, env=None):
    """Seconds, peak MiB and output of a command."""
    start = time.perf_counter()
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command} failed with {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss // 1024, out


def main():
    args = argparse.ArgumentParser()
    args.add_argument("burntop")
    args.add_argument("--rows", type=int, default=1_000_000)
    args.add_argument("--python", default="python3")
    args.add_argument("--write", action="store_true")
    args = args.parse_args()
    with tempfile.TemporaryDirectory() as place:
        file = f"{place}/sacct.txt"
        write(file, args.rows)
        env = {**os.environ, "XDG_CACHE_HOME": f"{place}/cache", "XDG_STATE_HOME": f"{place}/state",
               "XDG_CONFIG_HOME": f"{place}/config"}
        lines = []
        for what in (["import", file], ["tax", "--format", "json"]):
            seconds, mib, out = run([args.burntop, "jobs", *what], env)
            lines.append(f"burntop jobs {what[0]}: {seconds:.1f} s, {mib} MiB")
        total = json.loads(out)["total"]
        lines.append(f"{total['attempts']} attempts, {total['gpu_hours']} GPU-hours")
        _, mib, out = run([args.python, str(ROOT / "benches/jobs_duckdb.py"), file])
        took = [line for line in out.splitlines() if ":" in line][:2]
        lines.append("DuckDB " + "; ".join(took))
    seconds, mib = refresh(args.burntop, RUNNING)
    lines.append(f"one refresh of {RUNNING:,} running jobs: {seconds:.2f} s, {mib} MiB")
    print("\n".join(lines))
    if args.write:
        commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True).strip()
        text = f"{args.rows:,} attempts, commit {commit}, {datetime.date.today()}:\n\n```\n" + "\n".join(lines) + "\n```"
        page = ROOT / "docs/jobs.md"
        head, _, rest = page.read_text().partition(BEGIN)
        tail = rest.partition(END)[2]
        page.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}")


if __name__ == "__main__":
    main()
