"""Pages of kube-state-metrics: /metrics tells of the pods that are there, whichever copy is asked.

A pod can be deleted by /delete?pod=NAME. Prints the port it listens on.

An argument is JSON: {"node": {"name", "created", "provider", "address", "type"}, "pods": [POD, …]} with pods
{"name", "owner" (kind), "requests" {resource: amount}, "created", "scheduled", "completed", "phase" (once completed), "reason",
"deleted"}, times in Unix s or null. {"history": {"file": F, "from": T, "until": T, "instances": […]}} first writes what a Prometheus
without honor_labels would have scraped each minute, as OpenMetrics for promtool.
"""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

PHASES = ["Pending", "Succeeded", "Failed", "Unknown", "Running"]
TARGET = {"namespace", "pod", "container"}


def samples(world, at):
    """Name, labels and value of every series at a time."""
    out = []
    node = world["node"]
    if at >= node["created"]:
        name = {"node": node["name"]}
        out += [
            ("kube_node_info", name | {"provider_id": node["provider"], "internal_ip": node["address"]}, 1),
            ("kube_node_labels", name | {"label_node_kubernetes_io_instance_type": node["type"],
                                         "label_topology_kubernetes_io_region": "us-east-1"}, 1),
            ("kube_node_created", name, node["created"]),
            ("kube_node_status_capacity", name | {"resource": "nvidia_com_gpu", "unit": "integer"}, 8),
            ("kube_node_status_capacity", name | {"resource": "cpu", "unit": "core"}, 192),
        ]
    for pod in world["pods"]:
        if at < pod["created"] or (pod["deleted"] and at >= pod["deleted"]):
            continue
        scheduled = pod["scheduled"] and at >= pod["scheduled"]
        over = pod["completed"] and at >= pod["completed"]
        phase = pod["phase"] if over else "Running" if scheduled else "Pending"
        of = {"namespace": "ml", "pod": pod["name"], "uid": "uid-" + pod["name"]}
        on = {"node": node["name"] if scheduled else ""}
        owner = {"created_by_kind": pod["owner"], "created_by_name": pod["name"].split("-")[0] if pod["owner"] else ""}
        out.append(("kube_pod_info", of | on | owner | {"host_ip": "", "pod_ip": ""}, 1))
        out.append(("kube_pod_labels", of | {"label_owner": "alice"}, 1))
        out.append(("kube_pod_created", of, pod["created"]))
        if pod["owner"] == "Job":
            job = {"namespace": "ml", "job_name": owner["created_by_name"]}
            out.append(("kube_job_spec_parallelism", job, 1))
        for resource, amount in pod["requests"].items():
            out.append(("kube_pod_container_resource_requests",
                        of | on | {"container": "main", "resource": resource, "unit": "integer"}, amount))
        for known in PHASES:
            out.append(("kube_pod_status_phase", of | {"phase": known}, int(known == phase)))
        if scheduled:
            out.append(("kube_pod_status_scheduled_time", of, pod["scheduled"]))
            out.append(("kube_pod_start_time", of, pod["scheduled"] + 1))
        if over:
            out.append(("kube_pod_completion_time", of, pod["completed"]))
            out.append(("kube_pod_container_status_terminated_reason",
                        of | {"container": "main", "reason": pod["reason"]}, 1))
    return out


def line(name, labels, value, more=""):
    inner = ",".join(f'{key}="{text}"' for key, text in labels.items())
    return f"{name}{{{inner}}} {value}{more}\n"


def page(world, at):
    return "".join(line(*sample) for sample in sorted(samples(world, at), key=lambda s: s[0]))


def history(world, wanted):
    """What was scraped, by metric as promtool wants it."""
    families = {}
    for at in range(int(wanted["from"]), int(wanted["until"]), 60):
        for name, labels, value in samples(world, at):
            renamed = {("exported_" + key if key in TARGET else key): text for key, text in labels.items()}
            for copy, instance in enumerate(wanted["instances"]):
                own = {"instance": instance, "job": "ksm", "namespace": "monitoring", "pod": f"ksm-{copy}"}
                families.setdefault(name, []).append(line(name, renamed | own, value, f" {at}"))
    with open(wanted["file"], "w") as out:
        for name, lines in families.items():
            out.write(f"# TYPE {name} gauge\n")
            out.writelines(lines)
        out.write("# EOF\n")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlparse(self.path)
        if url.path == "/delete":
            name = parse_qs(url.query)["pod"][0]
            for pod in world["pods"]:
                if pod["name"] == name:
                    pod["deleted"] = time.time()
            body = b""
        else:
            body = page(world, time.time()).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


world = json.loads(sys.argv[1])
if "history" in world:
    history(world, world["history"])
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
# Whoever started this holds the other end.
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
server.serve_forever()
