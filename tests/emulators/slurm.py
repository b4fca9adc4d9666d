"""A real Slurm on the loopback: accounting in MariaDB, two nodes with GPUs that are none, slurmrestd with JWT.

    python3 slurm.py DIR

Prints one line of JSON once both nodes are idle: {"conf", "restd", "token"}. Ends with its standard input, and everything that it started
ends with it: it adopts what its daemons leave behind (slurmstepd), and kills all its children.

Needs root and Debian's packages slurm-wlm, slurmdbd, slurm-wlm-mysql-plugin, slurm-wlm-jwt-plugin, slurmrestd, munge and
mariadb-server; nothing of the system's own configuration is used or changed.
"""

import ctypes
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
LIMIT_S = 60
NODES = ["queue1-dy-p5-1", "queue1-dy-p5-2"]
CLUSTER = "burn"
# Whom slurmrestd runs as: neither root nor SlurmUser, or it refuses to start.
REST_USER = "nobody"

started = []


def ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    numbers = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return numbers


def start(directory, name, arguments, **more):
    log = open(directory / "log" / name, "wb")
    process = subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=directory, **more
    )
    started.append((name, process))
    return process


def until(what, holds):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if holds():
            return
        for name, process in started:
            if process.poll() is not None:
                raise SystemExit(f"{name} ended with {process.returncode} before {what}")
        time.sleep(0.05)
    raise SystemExit(f"waited in vain for {what}")


def children():
    """Ids of all that descend from this process."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = [os.getpid()]
    for one in found:
        found.extend(child for child, parent in parents.items() if parent == one)
    return found[1:]


def end(*_):
    # Whoever is killed may leave children to us, so more than once.
    for _ in range(20):
        all_of_them = children()
        if not all_of_them:
            break
        for one in all_of_them:
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            break
        time.sleep(0.05)
    os._exit(0)


def main():
    directory = Path(sys.argv[1]).resolve()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    for name in ["log", "state", "spool", "database", "home"]:
        (directory / name).mkdir()
    directory.chmod(0o755)
    (directory / "home").chmod(0o777)
    ctld, dbd, node1, node2, database, restd = ports(6)
    version = subprocess.run(["slurmctld", "-V"], capture_output=True, text=True).stdout
    is_old = int(version.split()[-1].partition(".")[0]) < 24
    # Newer sacctmgr knows the usual socket alone.
    socket_of_munge = directory / "munge.socket" if is_old else Path("/run/munge/munge.socket.2")
    socket_of_munge.parent.mkdir(exist_ok=True)
    host = socket.gethostname().split(".")[0]

    secret = directory / "munge.key"
    secret.write_bytes(os.urandom(1024))
    secret.chmod(0o400)
    jwt = directory / "jwt.key"
    jwt.write_bytes(os.urandom(32))
    jwt.chmod(0o400)
    common = f"""
AuthType=auth/munge
AuthInfo=socket={socket_of_munge}
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key={jwt}
SlurmUser=root
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
"""
    conf = directory / "slurm.conf"
    node = "CPUs=16 Sockets=1 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=2000 Gres=gpu:h100:8 State=UNKNOWN"
    conf.write_text(
        f"""{common}
ClusterName={CLUSTER}
SlurmctldHost={host}(127.0.0.1)
SlurmdUser=root
SlurmctldPort={ctld}
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool/%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd}
AccountingStoragePass={socket_of_munge}
AccountingStorageTRES=gres/gpu,gres/gpu:h100
AccountingStoreFlags=job_comment
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=sched_interval=1,bf_interval=1
KillWait=1
MinJobAge=600
UnkillableStepTimeout=20
SlurmdParameters=config_overrides
MailProg=/bin/true
PropagateResourceLimits=NONE
NodeName={NODES[0]} NodeHostname={host} NodeAddr=127.0.0.1 Port={node1} {node}
NodeName={NODES[1]} NodeHostname={host} NodeAddr=127.0.0.1 Port={node2} {node}
PartitionName=queue1 Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
    )
    (directory / "gres.conf").write_text(
        f"NodeName={','.join(NODES)} Name=gpu Type=h100 File=/dev/tty[0-7]\n"
        if Path("/dev/tty7").exists()
        else f"NodeName={','.join(NODES)} Name=gpu Type=h100 Count=8\n"
    )
    (directory / "cgroup.conf").write_text("CgroupAutomount=no\nCgroupPlugin=cgroup/v1\n")
    dbd_conf = directory / "slurmdbd.conf"
    dbd_conf.write_text(
        f"""{common}
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={dbd}
PidFile={directory}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
"""
    )
    dbd_conf.chmod(0o600)
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "SLURM_CONF": str(conf),
        "HOME": str(directory),
        "LC_ALL": "C",
    }

    def quiet(*arguments):
        done = subprocess.run(arguments, env=environment, capture_output=True, timeout=LIMIT_S)
        return done.stdout.decode(errors="replace") if done.returncode == 0 else None

    data = directory / "database"
    mysql = pwd.getpwnam("mysql")
    os.chown(data, mysql.pw_uid, mysql.pw_gid)
    subprocess.run(
        [
            "mariadb-install-db",
            "--no-defaults",
            "--user=mysql",
            f"--datadir={data}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # What the first start runs: cheaper than a client of the database.
    rights = directory / "rights.sql"
    rights.write_text(
        "create user 'slurm'@'localhost' identified by 'slurm';\n"
        "create user 'slurm'@'127.0.0.1' identified by 'slurm';\n"
        "grant all on slurm.* to 'slurm'@'localhost';\n"
        "grant all on slurm.* to 'slurm'@'127.0.0.1';\n"
    )
    start(
        directory,
        "mariadbd",
        [
            shutil.which("mariadbd", path=environment["PATH"]),
            "--no-defaults",
            "--user=mysql",
            f"--datadir={data}",
            "--bind-address=127.0.0.1",
            f"--port={database}",
            f"--socket={data}/socket",
            f"--pid-file={data}/pid",
            "--innodb-buffer-pool-size=64M",
            "--innodb-flush-log-at-trx-commit=0",
            "--skip-log-bin",
            f"--init-file={rights}",
        ],
    )
    start(
        directory,
        "munged",
        [
            "munged",
            "--foreground",
            "--force",
            f"--key-file={secret}",
            f"--socket={socket_of_munge}",
            f"--pid-file={directory}/munge.pid",
            f"--log-file={directory}/log/munge",
            f"--seed-file={directory}/munge.seed",
        ],
        env=environment,
    )

    def answers(port):
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    until("the database", lambda: answers(database) and socket_of_munge.exists())
    start(directory, "slurmdbd", ["slurmdbd", "-D"], env=environment)
    until("slurmdbd", lambda: quiet("sacctmgr", "-n", "show", "cluster") is not None)
    quiet("sacctmgr", "-i", "add", "cluster", CLUSTER)
    quiet("sacctmgr", "-i", "add", "account", "ml", f"cluster={CLUSTER}")
    quiet("sacctmgr", "-i", "add", "user", "root", "account=ml", f"cluster={CLUSTER}")
    start(directory, "slurmctld", ["slurmctld", "-D", "-c"], env=environment)
    until("slurmctld", lambda: answers(ctld))
    for name in NODES:
        start(directory, name, ["slurmd", "-D", "-N", name], env=environment)
    until("idle nodes", lambda: quiet("sinfo", "-h", "-o", "%T") == "idle\n")
    rest = {**environment, "SLURM_JWT": "daemon"}
    who = pwd.getpwnam(REST_USER)
    start(
        directory,
        "slurmrestd",
        ["slurmrestd", "-a", "rest_auth/jwt", f"127.0.0.1:{restd}"],
        env=rest,
        user=who.pw_uid,
        group=who.pw_gid,
        extra_groups=[],
    )
    token = quiet("scontrol", "token", "username=root", "lifespan=3600") or ""
    until("slurmrestd", lambda: answers(restd))
    told = {"conf": str(conf), "restd": restd, "token": token.strip().partition("=")[2]}
    print(json.dumps(told), flush=True)
    sys.stdin.read()


try:
    main()
except BaseException as error:  # noqa: BLE001 - whatever it is, nothing may stay behind
    print(error, file=sys.stderr, flush=True)
finally:
    end()
