#!/usr/bin/env python3
"""Processor time of reading 10,000 instances: EC2's own answers in ten pages from a local server, for one or more builds of
burntop in one run. What it tells apart is how the service clients were compiled (docs/building.md).

    python benches/scan_pages.py BURNTOP [BURNTOP ...]

CloudWatch and the price list answer nothing, so that the time is that of listing. The best of seven runs counts.
"""

import http.server
import os
import resource
import subprocess
import sys
import tempfile
import threading
import urllib.parse

PAGES, ROWS = 10, 1000
NAMESPACE = 'xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"'


def instance(n):
    tags = "".join(f"<item><key>{k}</key><value>{v}</value></item>" for k, v in (
        ("Name", f"train-{n}"), ("team", f"team-{n % 17}"), ("project", f"p-{n % 40}"), ("env", "prod"),
        ("kubernetes.io/cluster/ml", "owned"), ("cost-center", str(n % 9))))
    return f"""<item><reservationId>r-{n:017x}</reservationId><ownerId>123456789012</ownerId><groupSet/><instancesSet><item>
<instanceId>i-{n:017x}</instanceId><imageId>ami-1</imageId><instanceState><code>16</code><name>running</name></instanceState>
<privateDnsName>ip-10-0-{n // 250}-{n % 250}.ec2.internal</privateDnsName><dnsName/><reason/><keyName>k</keyName>
<amiLaunchIndex>0</amiLaunchIndex><productCodes/><instanceType>g5.xlarge</instanceType>
<launchTime>2026-03-01T10:00:00.000Z</launchTime><placement><availabilityZone>us-west-2a</availabilityZone><groupName/>
<tenancy>default</tenancy></placement><monitoring><state>disabled</state></monitoring><subnetId>subnet-1</subnetId>
<vpcId>vpc-1</vpcId><privateIpAddress>10.0.{n // 250}.{n % 250}</privateIpAddress><sourceDestCheck>true</sourceDestCheck>
<groupSet><item><groupId>sg-1</groupId><groupName>g</groupName></item></groupSet><architecture>x86_64</architecture>
<rootDeviceType>ebs</rootDeviceType><rootDeviceName>/dev/xvda</rootDeviceName><blockDeviceMapping><item>
<deviceName>/dev/xvda</deviceName><ebs><volumeId>vol-{n:017x}</volumeId><status>attached</status>
<attachTime>2026-03-01T10:00:00.000Z</attachTime><deleteOnTermination>true</deleteOnTermination></ebs></item>
</blockDeviceMapping><virtualizationType>hvm</virtualizationType><tagSet>{tags}</tagSet><hypervisor>xen</hypervisor>
<networkInterfaceSet><item><networkInterfaceId>eni-{n}</networkInterfaceId><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId>
<status>in-use</status><macAddress>02:00:00:00:00:00</macAddress></item></networkInterfaceSet><ebsOptimized>true</ebsOptimized>
</item></instancesSet></item>"""


def page(k):
    rows = "".join(instance(n) for n in range(k * ROWS, (k + 1) * ROWS))
    more = f"<nextToken>{k + 1}</nextToken>" if k + 1 < PAGES else ""
    return f"<DescribeInstancesResponse {NAMESPACE}><requestId>r</requestId><reservationSet>{rows}</reservationSet>{more}</DescribeInstancesResponse>".encode()


ANSWERS = [page(k) for k in range(PAGES)]
IDENTITY = b"""<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
<Arn>arn:aws:iam::123456789012:user/kim</Arn><UserId>U</UserId><Account>123456789012</Account></GetCallerIdentityResult>
</GetCallerIdentityResponse>"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("latin-1")
        asked = dict(urllib.parse.parse_qsl(body))
        action, status = asked.get("Action"), 200
        if action == "DescribeInstances":
            answer = ANSWERS[int(asked.get("NextToken", 0))]
        elif action == "GetCallerIdentity":
            answer = IDENTITY
        else:
            answer, status = b"<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no</Message></Error></Errors></Response>", 403
        self.send_response(status)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def seconds(binary, url):
    with tempfile.TemporaryDirectory() as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "BURNTOP_", "AWS_"))}
        env.update(HOME=home, AWS_ACCESS_KEY_ID="testing", AWS_SECRET_ACCESS_KEY="testing", AWS_EC2_METADATA_DISABLED="true",
                   AWS_ENDPOINT_URL=url, AWS_ENDPOINT_URL_PRICING="http://127.0.0.1:9")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = subprocess.run([binary, "idle", "--region", "us-west-2", "--format", "csv"], env=env, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        rows = out.stdout.count(b"\n") - 1
        if rows != PAGES * ROWS:
            sys.exit(f"{binary}: {rows} rows\n{out.stderr.decode()}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    times = {binary: [] for binary in sys.argv[1:]}
    for _ in range(7):
        for binary, taken in times.items():
            taken.append(seconds(binary, url))
    for binary, taken in times.items():
        print(f"{min(taken):.2f} s of processor (up to {max(taken):.2f})  {binary}")


if __name__ == "__main__":
    main()
