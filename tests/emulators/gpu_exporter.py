"""Pages of many GPU nodes in the form of dcgm-exporter: /metrics?node=N has 8 GPUs.

Every fifth node is idle; node 7 can be made to fail by /fail?node=7 and to come back by /heal.
Prints the port it listens on.

An argument is JSON: {"names": {"4": "ip-10-0-0-4.ec2.internal"}} gives nodes other host names, and
{"history": {"file": F, "hours": H, "instances": {"4": "10.0.0.4:9400"}}} first writes what a
Prometheus would have scraped of these nodes in the last hours, as OpenMetrics for promtool: each five
minutes, and each 15 seconds of the last twelve minutes.
"""

import hashlib
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

GPUS = 8
FIELDS = {
    "DCGM_FI_PROF_SM_ACTIVE": lambda busy, g: 0.5 + g / 20 if busy else 0.0,
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda busy, g: 0.9 if busy else 0.0,
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda busy, g: 0.3 if busy else 0.0,
    "DCGM_FI_PROF_DRAM_ACTIVE": lambda busy, g: 0.4 if busy else 0.0,
    "DCGM_FI_DEV_GPU_UTIL": lambda busy, g: 95 if busy else 0,
    "DCGM_FI_DEV_ENC_UTIL": lambda busy, g: 0,
    "DCGM_FI_DEV_DEC_UTIL": lambda busy, g: 0,
    "DCGM_FI_DEV_POWER_USAGE": lambda busy, g: 500 + 10 * g if busy else 71.5,
    "DCGM_FI_DEV_FB_USED": lambda busy, g: 60000 if busy else 0,
    "DCGM_FI_DEV_FB_FREE": lambda busy, g: 21000 if busy else 81000,
    "DCGM_FI_DEV_FB_RESERVED": lambda busy, g: 559,
    "DCGM_FI_DEV_GPU_TEMP": lambda busy, g: 61 if busy else 30,
    "DCGM_FI_DEV_XID_ERRORS": lambda busy, g: 0,
    "DCGM_FI_DEV_SM_CLOCK": lambda busy, g: 1980 if busy else 345,
}
failing = set()
names = {}


def uuid(node, gpu):
    h = hashlib.md5(f"{node}-{gpu}".encode()).hexdigest()
    return f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def is_busy(node):
    return node % 5 != 4


def series(node, gpu, prefix=""):
    """The labels of the series of a GPU; prefix: what Prometheus puts before those of the owner."""
    labels = (
        f'gpu="{gpu}",UUID="{uuid(node, gpu)}",pci_bus_id="00000000:{0x10 + gpu * 8:02X}:00.0",'
        f'device="nvidia{gpu}",modelName="NVIDIA H100 80GB HBM3",'
        f'Hostname="{names.get(node, f"gpu-node-{node:04d}")}"'
    )
    if is_busy(node):
        labels += f',{prefix}container="train",{prefix}namespace="team-{node % 20}",{prefix}pod="llm-{node // 4}-{node % 4}"'
    return labels


def page(node):
    lines = []
    for name, value in FIELDS.items():
        lines.append(f"# TYPE {name} gauge")
        for gpu in range(GPUS):
            lines.append(f"{name}{{{series(node, gpu)}}} {value(is_busy(node), gpu)}")
    return "\n".join(lines).encode() + b"\n"


def write_history(file, hours, instances):
    now = int(time.time())
    # From a full hour on: an hour that was read in two rhythms is not known to be whole.
    dense = (now - 720) // 3600 * 3600
    times = [*range(now - hours * 3600, dense, 300), *range(dense, now, 15)]
    with open(file, "w") as out:
        for name, value in FIELDS.items():
            out.write(f"# TYPE {name} gauge\n")
            for node, instance in instances.items():
                node = int(node)
                target = f'job="dcgm",instance="{instance}",namespace="gpu-operator",pod="nvidia-dcgm-exporter-{node}",container="exporter"'
                for gpu in range(GPUS):
                    labels = f"{series(node, gpu, 'exported_')},{target}"
                    point = f"{name}{{{labels}}} {value(is_busy(node), gpu)}"
                    out.writelines(f"{point} {at}\n" for at in times)
        out.write("# EOF\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlparse(self.path)
        node = int(parse_qs(url.query).get("node", ["0"])[0])
        status, body = 200, b""
        if url.path == "/fail":
            failing.add(node)
        elif url.path == "/heal":
            failing.clear()
        elif node in failing:
            status = 500
        else:
            body = page(node)
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A scraper that ends in the middle of a page is none of ours."""


if __name__ == "__main__":
    wanted = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    names.update((int(node), name) for node, name in wanted.get("names", {}).items())
    if "history" in wanted:
        write_history(**wanted["history"])
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    # Ends with whoever started it.
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
