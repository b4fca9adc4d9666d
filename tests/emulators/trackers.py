"""A real MLflow and a real Ray on the loopback, with runs and jobs of which the truth is known.

    python3 trackers.py

Prints one line of JSON once all that was planted is told by both servers:

    {"mlflow": URL, "ray": URL, "gpus": GPUs of the cluster, "bulk": number of runs of the experiment `bulk`,
     "odd": {metric: value as MLflow writes it}, "last_words": last line of the job `fails`,
     "held": {job of Ray: {"least", "most", "tasks": GPU-seconds}},
     "group": {"gpus", "asked", "there": seconds since 1970}}

The bounds are what each job wrote of itself: an actor lived at least from its first call to the order to kill it, and at most
from the begin of its constructor until it was known to be dead. So they hold however slow the machine is.

A line `stop-ray` on the standard input ends the cluster; `{}` is printed when it is gone. Ends with its standard input, and
everything that it started ends with it: it adopts what daemons leave behind, and kills all its children.
"""

import concurrent.futures
import ctypes
import json
import os
import random
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request
import uuid
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
# Of a machine that does five other things; a quiet one needs a tenth.
LIMIT_S = 400
GPUS = 16
# More than a page of what burntop asks for.
BULK = 1_100
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
LAST_WORDS = "ValueError: the loss is not finite"

directory = None
started = {}
endings = threading.RLock()


# ---- Processes


def children(of=None):
    """Ids of all that descend from a process, without it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = [of or os.getpid()]
    for one in found:
        found.extend(child for child, parent in parents.items() if parent == one)
    return found[1:]


def kill(which):
    """Kills what `which` lists until it lists nothing: who is killed may leave children to us."""
    for _ in range(400):
        left = which()
        for one in left:
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for one in left:
            try:
                os.waitpid(one, os.WNOHANG)
            except ChildProcessError:
                pass
        if not left:
            return
        time.sleep(0.05)


def rays():
    """Ids of the processes of Ray: all but MLflow's."""
    server = started["mlflow"].pid
    spared = {server, *children(server)}
    return [one for one in children() if one not in spared]


def end(*_, keep=False):
    with endings:
        kill(children)
        if not keep:
            shutil.rmtree(directory, ignore_errors=True)
        os._exit(1 if keep else 0)


def listen():
    for line in sys.stdin:
        if line.strip() == "stop-ray":
            kill(rays)
            print("{}", flush=True)
    end()


def ports(count):
    """Free ports below those that the system gives to whoever asks for any: nobody else takes them in between."""
    found = []
    for port in random.sample(range(20_000, 32_000), 1_000):
        with socket.socket() as one:
            try:
                one.bind(("0.0.0.0", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise SystemExit("no free ports")


def environment(**more):
    bin = Path(sys.executable).parent
    return {
        "PATH": f"{bin}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(directory),
        "LOGNAME": "alice",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        **more,
    }


def start(name, arguments, **more):
    with open(directory / f"{name}.log", "ab") as log:
        started[name] = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=directory, env=environment(**more)
        )
    return started[name]


def until(what, holds, alive=None):
    limit = time.monotonic() + LIMIT_S
    while True:
        found = holds()
        if found:
            return found
        if alive is not None and alive.poll() is not None:
            raise RuntimeError(f"ended with {alive.returncode} before {what}")
        if time.monotonic() > limit:
            raise RuntimeError(f"waited in vain for {what}")
        time.sleep(0.1)


def ask(url, body=None, limit=60):
    """What a server answers to a JSON; `None` where it does not."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    # Whatever proxy is configured, it is not for the loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=limit) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{url}: {error.code} {error.read()[:500]!r}") from error
    except OSError:
        return None


def told(url, body=None):
    answer = ask(url, body)
    if answer is None:
        raise RuntimeError(f"{url} does not answer")
    return json.loads(answer)


# ---- MLflow


def mlflow():
    """Starts a server and plants runs; its address, and what it tells."""
    (port,) = ports(1)
    database = directory / "mlflow.db"
    url = f"http://127.0.0.1:{port}"
    program = str(Path(sys.executable).parent / "mlflow")
    where = ["--host", "127.0.0.1", "--port", str(port), "--workers", "1", "--backend-store-uri", f"sqlite:///{database}"]
    server = start("mlflow", [program, "server", *where], MLFLOW_SERVER_ENABLE_JOB_EXECUTION="false")
    until("MLflow", lambda: ask(f"{url}/version"), server)
    api = f"{url}/api/2.0/mlflow"
    experiment = {}
    for name, tags in [("llm", [{"key": "team", "value": "ml"}]), ("vision", []), ("bulk", [])]:
        experiment[name] = told(f"{api}/experiments/create", {"name": name, "tags": tags})["experiment_id"]
    # What their own client leaves behind, beside what is planted here.
    clients = start("runs", [sys.executable, __file__, "runs"], MLFLOW_TRACKING_URI=url, MLFLOW_EXPERIMENT_NAME="llm")
    now = int(time.time() * 1_000)

    def run(name, begun, ended=None, status="FINISHED", tags=(), of="llm", metric=None):
        """A run that began and ended so many milliseconds ago."""
        tags = [{"key": key, "value": value} for key, value in [("mlflow.user", "alice"), *tags]]
        question = {"experiment_id": experiment[of], "start_time": now - begun, "run_name": name, "tags": tags}
        id = told(f"{api}/runs/create", question)["run"]["info"]["run_id"]
        if metric is not None:
            point = {"run_id": id, "key": "loss", "value": 1.0, "timestamp": now - metric, "step": 1}
            told(f"{api}/runs/log-metric", point)
        if ended is not None:
            told(f"{api}/runs/update", {"run_id": id, "status": status, "end_time": now - ended})
        return id

    gpus = ("num_gpus", "8")
    run("silent", 80 * HOUR, metric=79 * HOUR)
    for rank in range(4):
        run(f"rank-{rank}", 2 * HOUR, HOUR, tags=[("SLURM_JOB_ID", "500"), gpus], of="vision")
    parent = run("sweep", 6 * HOUR, 2 * HOUR, tags=[gpus])
    for child in range(4):
        times = (6 * HOUR - child * HOUR, 5 * HOUR - child * HOUR)
        run(f"sweep-{child}", *times, tags=[("mlflow.parentRunId", parent), gpus])
    # Two hours of work, two days of nothing, and an end today.
    resumed = run("resumed", 50 * HOUR, 48 * HOUR, "FAILED", tags=[gpus])
    told(f"{api}/runs/update", {"run_id": resumed, "status": "RUNNING"})
    told(f"{api}/runs/update", {"run_id": resumed, "status": "FINISHED", "end_time": now - MINUTE})
    told(f"{api}/runs/delete", {"run_id": run("deleted", 3 * HOUR, 2 * HOUR, "FAILED", tags=[gpus])})
    run("of-ray", MINUTE, SECOND, tags=[("RAY_SUBMISSION_ID", "actors")], of="vision")
    # By the database, where a thousand take no time. Hundreds end in the same moment.
    rows = [
        (uuid.uuid4().hex, f"bulk-{at}", now - 3 * HOUR, now - 2 * HOUR - at // 400 * MINUTE, experiment["bulk"])
        for at in range(BULK)
    ]
    with sqlite3.connect(database, timeout=LIMIT_S) as connection:
        connection.executemany(
            "insert into runs (run_uuid, name, source_type, user_id, status, start_time, end_time, lifecycle_stage, experiment_id)"
            " values (?, ?, 'UNKNOWN', 'alice', 'FINISHED', ?, ?, 'active', ?)",
            rows,
        )
    if clients.wait(LIMIT_S) != 0:
        raise RuntimeError("the runs of MLflow's client failed")
    question = {"experiment_ids": [experiment["llm"]], "filter": "attributes.run_name = 'completed'"}
    (completed,) = told(f"{api}/runs/search", question)["runs"]
    odd = {metric["key"]: metric["value"] for metric in completed["data"]["metrics"]}
    return {"mlflow": url, "bulk": BULK, "odd": odd}


def runs():
    """Runs that end in different ways, each in a process of its own, by MLflow's client."""
    import mlflow as client

    def ends(how):
        one = os.fork()
        if one:
            os.waitpid(one, 0)
            return False
        client.start_run(run_name=how)
        client.log_metric("loss", float("nan") if how == "completed" else 1.0)
        client.log_metric("grad", float("inf"))
        return True

    if ends("completed"):
        client.end_run()
        os._exit(0)
    if ends("exception"):
        raise ValueError("out of luck")
    if ends("exit-3"):
        sys.exit(3)
    if ends("killed"):
        os.kill(os.getpid(), signal.SIGKILL)


# ---- Ray


def ray():
    """Starts a cluster and has jobs run in it; its address, and what the jobs wrote of themselves."""
    program = str(Path(sys.executable).parent / "ray")
    for attempt in range(3):
        gcs, board, client, agent = ports(4)
        here = directory / f"r{attempt}"
        arguments = [
            "--head",
            "--node-ip-address=127.0.0.1",
            f"--port={gcs}",
            f"--dashboard-port={board}",
            f"--ray-client-server-port={client}",
            f"--dashboard-agent-listen-port={agent}",
            # Any that are free: those of the usual range may be taken.
            "--min-worker-port=0",
            "--max-worker-port=0",
            "--num-cpus=4",
            f"--num-gpus={GPUS}",
            "--object-store-memory=100000000",
            "--include-log-monitor=false",
            "--disable-usage-stats",
            f"--temp-dir={here}",
        ]
        # Four workers that nobody asked for would be started with the first job.
        cluster = start("ray", [program, "start", *arguments], RAY_TMPDIR=str(here), RAY_prestart_worker_first_driver="0")
        if cluster.wait(LIMIT_S) == 0:
            break
        kill(rays)
    else:
        raise RuntimeError("Ray does not start")
    url = f"http://127.0.0.1:{board}"
    until("the jobs API of Ray", lambda: ask(f"{url}/api/jobs/"))

    asked = {}

    def submit(name, entrypoint, **more):
        asked[name] = time.time()
        # The dashboard may answer before its agent does.
        def taken():
            try:
                return ask(f"{url}/api/jobs/", {"submission_id": name, "entrypoint": entrypoint, **more})
            except RuntimeError as error:
                print(error, file=sys.stderr)
                return None

        until(f"the job {name}", taken)

    def state(name):
        return told(f"{url}/api/jobs/{name}")["status"]

    def over(name, how="SUCCEEDED"):
        def is_over():
            word = state(name)
            if word in ("SUCCEEDED", "FAILED", "STOPPED") and word != how:
                log = told(f"{url}/api/jobs/{name}/logs")["logs"]
                raise RuntimeError(f"{name}: {word}\n{log[-3000:]}")
            return word == how

        until(f"the end of {name}", is_over)
        return time.time()

    def job(name):
        return shlex.join([sys.executable, __file__, name, str(directory / f"{name}.json")])

    def written(name):
        return json.loads((directory / f"{name}.json").read_text())

    of = {"metadata": {"name": "train", "user": "bob", "team": "ml", "project": "llm-7b"}}
    submit("actors", job("actors"), **of)
    submit("removed", job("removed"))
    submit("group", job("group"))
    submit("entry", job("entry"), entrypoint_num_gpus=2)
    submit("fails", f"echo begun; echo; echo {shlex.quote(LAST_WORDS)}; exit 1")
    submit("waits", "true", entrypoint_num_gpus=4 * GPUS)
    over("fails", "FAILED")
    entry_over = over("entry")
    over("actors")
    over("removed")
    until("the placement group", (directory / "group.json").exists)
    held = {name: bounds(written(name)) for name in ["actors", "removed"]}
    # Its supervisor, which holds the GPUs, lives longer than what it runs.
    ran = written("entry")
    held["entry"] = {"least": 2 * (ran["to"] - ran["from"]), "most": 2 * (entry_over - asked["entry"]), "tasks": 0}

    def is_settled():
        tasks = told(f"{url}/api/v0/tasks?detail=1&limit=10000")["data"]["result"]["result"]
        of_functions = [task for task in tasks if task["type"] == "NORMAL_TASK"]
        return len(of_functions) == 4 and all(task["end_time_ms"] for task in of_functions)

    # What tasks did is told a second late.
    until("the list of tasks", is_settled)
    return {"ray": url, "gpus": GPUS, "last_words": LAST_WORDS, "held": held, "group": written("group")}


def bounds(spans):
    """GPU-seconds of what a job wrote of its actors and tasks, and of its tasks alone."""
    most = [one["gpus"] * (one["gone"] - one["asked"]) for one in spans]
    return {
        "least": sum(one["gpus"] * (one["to"] - one["there"]) for one in spans),
        "most": sum(most),
        "tasks": sum(held for held, one in zip(most, spans) if one["gpus"] < 1),
    }


def in_ray(name, file):
    """What runs as a job of Ray: writes what it holds, and from when to when."""
    if name == "entry":
        begun = time.time()
        time.sleep(3)
        write(file, {"from": begun, "to": time.time()})
        return
    import ray
    from ray.util.placement_group import placement_group, remove_placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy
    from ray.util.state import get_actor

    @ray.remote(num_cpus=0, num_gpus=2)
    class Holder:
        def __init__(self):
            self.asked = time.time()

        def there(self):
            return ray.get_runtime_context().get_actor_id(), self.asked, time.time()

    @ray.remote(num_cpus=0, num_gpus=0.5)
    def work():
        begun = time.time()
        time.sleep(1)
        return begun, time.time()

    def hold(**where):
        """Two actors, and two tasks while they live; what each held, from when to when."""
        holders = [Holder.options(**where).remote() for _ in range(2)]
        lives = ray.get([one.there.remote() for one in holders])
        asked = time.time()
        ran = ray.get([work.options(**where).remote() for _ in range(2)])
        # Ray may note that a task has ended after it handed out the result.
        time.sleep(2)
        to = time.time()
        spans = [{"gpus": 0.5, "asked": asked, "there": begun, "to": ended, "gone": to} for begun, ended in ran]
        for holder in holders:
            ray.kill(holder)
        for id, asked, there in lives:
            until(f"the death of {id}", lambda: get_actor(id).state == "DEAD")
            spans.append({"gpus": 2, "asked": asked, "there": there, "to": to, "gone": time.time()})
        return spans

    ray.init(log_to_driver=False)
    if name == "actors":
        write(file, hold())
        return
    asked = time.time()
    group = placement_group([{"GPU": 5}])
    assert group.wait(LIMIT_S)
    there = time.time()
    inside = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=0)
    if name == "removed":
        write(file, hold(scheduling_strategy=inside))
        remove_placement_group(group)
        return
    holders = [Holder.options(scheduling_strategy=inside).remote() for _ in range(2)]
    ray.get([one.there.remote() for one in holders])
    write(file, {"gpus": 5, "asked": asked, "there": there})
    time.sleep(3_600)


def write(file, what):
    """Writes a file that is there as a whole or not at all."""
    Path(f"{file}.new").write_text(json.dumps(what))
    os.rename(f"{file}.new", file)


def main():
    global directory
    # Short, for Ray has sockets below it, whose paths may have 107 bytes.
    directory = Path(tempfile.mkdtemp(prefix="trackers-", dir="/tmp"))
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    threading.Thread(target=listen, daemon=True).start()
    pool = concurrent.futures.ThreadPoolExecutor()
    of_mlflow, of_ray = pool.submit(mlflow), pool.submit(ray)
    # The first failure ends both, and not when the other is done.
    for one in concurrent.futures.as_completed([of_mlflow, of_ray]):
        one.result()
    print(json.dumps({**of_mlflow.result(), **of_ray.result()}), flush=True)
    threading.Event().wait()


if sys.argv[1:] == ["runs"]:
    runs()
elif sys.argv[1:]:
    in_ray(*sys.argv[1:])
else:
    try:
        main()
    except BaseException:  # noqa: BLE001 - whatever it is, nothing may stay behind
        traceback.print_exc()
        print(f"see the logs in {directory}", file=sys.stderr, flush=True)
        end(keep=True)
