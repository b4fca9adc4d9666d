"""Scans a fleet of N instances on the emulators twice in one run: with the classic boto3 loop
(DescribeInstances, then one GetMetricStatistics per instance) and with burntop. Counts API calls
at a proxy in front of the emulators and takes the wall time of both.

    python benches/scan.py [N] [path to burntop]

Run it with the Python of the tests' venv (`target/tmp/emulators/bin/python` after `cargo test`).
"""

import datetime as dt
import http.client
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
SERVE = os.path.join(HERE, "..", "tests", "emulators", "serve.py")
REGION = "us-west-2"


class Counting(http.server.ThreadingHTTPServer):
    """Forwards to `upstream` and counts by service."""

    daemon_threads = True

    def __init__(self, upstream):
        self.upstream = urllib.parse.urlparse(upstream)
        self.calls = {}
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        scope = self.headers.get("Authorization", "").partition("Credential=")[2].split("/")
        service = scope[3] if len(scope) > 3 else "?"
        with self.server.lock:
            self.server.calls[service] = self.server.calls.get(service, 0) + 1
        up = http.client.HTTPConnection(self.server.upstream.hostname, self.server.upstream.port)
        up.request("POST", self.path, body, dict(self.headers))
        answer = up.getresponse()
        data = answer.read()
        self.send_response(answer.status)
        for key, value in answer.getheaders():
            if key.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        up.close()

    do_GET = do_POST

    def log_message(self, *_):
        pass


def classic(ec2_url, cw_url):
    """The script that everybody starts with: one region, one call per instance, mean CPU only."""
    import boto3

    ec2 = boto3.client("ec2", endpoint_url=ec2_url, region_name=REGION)
    cw = boto3.client("cloudwatch", endpoint_url=cw_url, region_name=REGION)
    end = dt.datetime.now(dt.timezone.utc)
    idle = []
    for page in ec2.get_paginator("describe_instances").paginate():
        for reservation in page["Reservations"]:
            for instance in reservation["Instances"]:
                if instance["State"]["Name"] != "running":
                    continue
                points = cw.get_metric_statistics(
                    Namespace="AWS/EC2",
                    MetricName="CPUUtilization",
                    Dimensions=[{"Name": "InstanceId", "Value": instance["InstanceId"]}],
                    StartTime=end - dt.timedelta(days=7),
                    EndTime=end,
                    Period=3600,
                    Statistics=["Average"],
                )["Datapoints"]
                if points and sum(p["Average"] for p in points) / len(points) < 5:
                    idle.append(instance["InstanceId"])
    return len(idle)


def burntop(binary, ec2_url, cw_url):
    with tempfile.TemporaryDirectory() as home:
        env = dict(
            os.environ,
            HOME=home,
            XDG_CACHE_HOME=home,
            XDG_CONFIG_HOME=home,
            XDG_STATE_HOME=home,
            AWS_ENDPOINT_URL_EC2=ec2_url,
            AWS_ENDPOINT_URL_STS=ec2_url,
            AWS_ENDPOINT_URL_CLOUDWATCH=cw_url,
            AWS_ENDPOINT_URL_PRICING="http://127.0.0.1:9",
        )
        out = subprocess.run(
            [binary, "idle", "--region", REGION, "--format", "json"], env=env, capture_output=True
        )
        rows = json.loads(out.stdout)["rows"]
        return sum(r["verdict"] == "idle" for r in rows), len(rows)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    binary = sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "..", "target", "release", "burntop")
    os.environ.update(AWS_ACCESS_KEY_ID="testing", AWS_SECRET_ACCESS_KEY="testing", AWS_EC2_METADATA_DISABLED="true")
    server = subprocess.Popen(
        [sys.executable, SERVE, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        where = json.loads(server.stdout.readline())
        for name, scan in (("classic boto3 loop", classic), ("burntop idle", lambda e, c: burntop(binary, e, c))):
            ec2, cw = Counting(where["moto"]), Counting(where["cloudwatch"])
            begin = time.monotonic()
            found = scan(ec2.url, cw.url)
            wall = time.monotonic() - begin
            calls = {**ec2.calls, **cw.calls}
            print(f"{name:20} {sum(calls.values()):5} calls {wall:7.2f} s  idle {found}  {calls}")
    finally:
        server.stdin.close()
        server.wait(timeout=20)


if __name__ == "__main__":
    main()
