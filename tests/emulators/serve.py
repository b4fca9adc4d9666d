"""Serves a small AWS for the tests: moto for EC2, S3, STS and Auto Scaling, ministack for CloudWatch.

Seeds a fleet with one instance for each case that burntop must tell apart, back-dates the launches
(moto's LaunchTime is always now, so this works in process), writes 170 hours of metrics, prints one
JSON line with the endpoints and the instance ids, and serves until standard input closes.
"""

import contextlib
import datetime as dt
import hashlib
import json
import logging
import math
import os
import socket
import subprocess
import sys
import time
import urllib.request

os.environ.update(
    AWS_ACCESS_KEY_ID="testing",
    AWS_SECRET_ACCESS_KEY="testing",
    AWS_DEFAULT_REGION="us-east-1",
    AWS_EC2_METADATA_DISABLED="true",
    # ministack cannot read compressed bodies.
    AWS_DISABLE_REQUEST_COMPRESSION="true",
)

import boto3  # noqa: E402
from moto.batch.models import batch_backends  # noqa: E402
from moto.ec2.models import ec2_backends  # noqa: E402
from moto.elbv2.models import elbv2_backends  # noqa: E402
from moto.sagemaker.models import sagemaker_backends  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402

ACCOUNT = "123456789012"
HOURS = 170
# Where tests stop and terminate, and where a read-only session tries to.
ACTING = ["ca-central-1", "eu-north-1", "eu-west-2"]
# Where a policy is run.
POLICY = "sa-east-1"
# Where volumes are deleted and modified.
STORAGE = "ap-northeast-3"
# Where the GPUs are seen by others than CloudWatch.
WATCHED = "ap-southeast-2"
# Where volumes and snapshots are looked at.
STORED = "ap-south-1"
# Where notebooks, endpoints, addresses, gateways and load balancers are.
THINGS = "us-west-1"
# Where AWS Batch runs jobs.
BATCH = "eu-central-1"
# Where HyperPod has a cluster.
HYPERPOD = "eu-west-3"
# An Amazon Linux image of moto's catalogue: no Platform, so the price is Linux.
NOW = dt.datetime.now(dt.timezone.utc).replace(minute=0, second=0, microsecond=0)
OLD = dt.timedelta(days=40)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start_ministack():
    # Between the choice of a port and its use somebody else may take it.
    for _ in range(3):
        started = try_ministack()
        if started:
            return started
    sys.exit("ministack did not start")


def try_ministack():
    port, mqtt = free_port(), free_port()
    env = dict(os.environ, GATEWAY_PORT=str(port), BIND_HOST="127.0.0.1", IOT_MTLS_PORT=str(mqtt))
    # Athena's session is in UTC; DuckDB's is in the zone of the machine.
    env["TZ"] = "UTC"
    exe = os.path.join(os.path.dirname(sys.executable), "ministack")
    child = subprocess.Popen([exe], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    for _ in range(1200):
        if child.poll() is not None:
            print(f"ministack ended with {child.returncode}", file=sys.stderr)
            return None
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return child, url
        except OSError:
            time.sleep(0.1)
    sys.exit("ministack did not start")


def linux_image(ec2):
    images = ec2.describe_images(Owners=["amazon"])["Images"]
    for image in images:
        if "Platform" not in image and image.get("RootDeviceType") == "ebs":
            return image["ImageId"]
    sys.exit("no Linux image in the emulator")


class Fleet:
    """Collects instances and their metrics."""

    def __init__(self, moto, cloudwatch, region):
        self.region = region
        self.ec2 = boto3.client("ec2", endpoint_url=moto, region_name=region)
        self.cw = boto3.client("cloudwatch", endpoint_url=cloudwatch, region_name=region)
        self.image = linux_image(self.ec2)
        self.ids = {}
        self.data = {}

    def run(self, name, kind, age=OLD, tags=(), **more):
        # Of RunInstances moto takes DisableApiStop alone.
        protected = more.pop("DisableApiTermination", False)
        tags = [{"Key": "Name", "Value": name}] + [{"Key": k, "Value": v} for k, v in tags]
        spec = [{"ResourceType": "instance", "Tags": tags}]
        answer = self.ec2.run_instances(
            ImageId=self.image, InstanceType=kind, MinCount=1, MaxCount=1, TagSpecifications=spec, **more
        )
        self.adopt(name, answer["Instances"][0]["InstanceId"], age)
        if protected:
            attribute = {"DisableApiTermination": {"Value": True}}
            self.ec2.modify_instance_attribute(InstanceId=self.ids[name], **attribute)
        return self.ids[name]

    def adopt(self, name, instance_id, age=OLD):
        self.ids[name] = instance_id
        instance = ec2_backends[ACCOUNT][self.region].get_instance(instance_id)
        born = NOW - age
        instance.launch_time = born.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        for device in instance.block_device_mapping.values():
            device.attach_time = born.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def put(self, namespace, metric, dimensions, hourly):
        """hourly: list of (hours ago, [values within the hour])"""
        data = self.data.setdefault(namespace, [])
        for ago, values in hourly:
            data.append(
                {
                    "MetricName": metric,
                    "Dimensions": [{"Name": n, "Value": v} for n, v in dimensions],
                    "Timestamp": NOW - dt.timedelta(hours=ago) + dt.timedelta(minutes=5),
                    "Values": values,
                    "Counts": [1.0] * len(values),
                }
            )

    def ec2_metrics(self, name, cpu, net=1000.0, ebs=10.0, hours=HOURS):
        """cpu: function of hours ago giving (mean-ish, max) percent"""
        dims = [("InstanceId", self.ids[name])]
        ago = range(1, hours + 1)
        self.put("AWS/EC2", "CPUUtilization", dims, [(h, list(cpu(h))) for h in ago])
        for metric in ("NetworkIn", "NetworkOut"):
            self.put("AWS/EC2", metric, dims, [(h, [net]) for h in ago])
        for metric in ("EBSReadOps", "EBSWriteOps"):
            self.put("AWS/EC2", metric, dims, [(h, [ebs]) for h in ago])

    def gpu_metrics(self, name, kind, model, values, by_host=False, ago=None):
        """values: one function of hours ago per GPU"""
        for index, value in enumerate(values):
            if by_host:
                host = self.ec2.describe_instances(InstanceIds=[self.ids[name]])["Reservations"][0]["Instances"][0]
                dims = [("host", host["PrivateDnsName"])]
            else:
                dims = [("InstanceId", self.ids[name]), ("ImageId", self.image), ("InstanceType", kind)]
            dims += [("index", str(index)), ("name", model), ("arch", "Ampere")]
            hourly = [(h, [value(h)]) for h in (ago or range(1, HOURS + 1))]
            self.put("CWAgent", "nvidia_smi_utilization_gpu", dims, hourly)

    def recent(self, name, kind="", model="", gpus=(), cpu=1.0, net=1000.0):
        """Points of five minutes for the last two hours and for half an hour to come, which a test sees as
        they become past: what is measured anew before an instance is acted on. gpus: one function of
        minutes ago per GPU."""
        now = dt.datetime.now(dt.timezone.utc)
        start = now.replace(minute=now.minute // 5 * 5, second=0, microsecond=0) - dt.timedelta(hours=2)
        times = [start + dt.timedelta(minutes=5 * i) for i in range(31)]
        own = [("InstanceId", self.ids[name])]
        series = [("AWS/EC2", "CPUUtilization", own, lambda ago: cpu)]
        series += [("AWS/EC2", metric, own, lambda ago: net) for metric in ("NetworkIn", "NetworkOut")]
        for index, value in enumerate(gpus):
            dims = own + [("ImageId", self.image), ("InstanceType", kind)]
            dims += [("index", str(index)), ("name", model), ("arch", "Ampere")]
            series.append(("CWAgent", "nvidia_smi_utilization_gpu", dims, value))
        for namespace, metric, dims, value in series:
            self.data.setdefault(namespace, []).extend(
                {
                    "MetricName": metric,
                    "Dimensions": [{"Name": n, "Value": v} for n, v in dims],
                    "Timestamp": time,
                    "Value": value((now - time).total_seconds() / 60),
                }
                for time in times
            )

    def flush(self):
        for namespace, data in self.data.items():
            for i in range(0, len(data), 400):
                self.cw.put_metric_data(Namespace=namespace, MetricData=data[i : i + 400])


def seed(moto, cloudwatch):
    f = Fleet(moto, cloudwatch, "us-east-1")
    quiet = lambda h: (1.0, 2.0)  # noqa: E731
    busy = lambda h: (55.0, 90.0)  # noqa: E731
    zero = lambda h: 0.0  # noqa: E731
    full = lambda h: 92.0 + 5.0 * math.sin(h)  # noqa: E731

    f.run("train-7b-old", "p4d.24xlarge", tags=[("team", "nlp"), ("env", "dev")])
    f.ec2_metrics("train-7b-old", quiet)
    f.gpu_metrics("train-7b-old", "p4d.24xlarge", "NVIDIA A100-SXM4-40GB", [zero] * 8)

    f.run("eval-sweep", "p5.48xlarge", tags=[("team", "vision"), ("env", "prod")])
    f.ec2_metrics("eval-sweep", lambda h: (9.0, 30.0), net=2e8)
    f.gpu_metrics("eval-sweep", "p5.48xlarge", "NVIDIA H100 80GB HBM3", [full] * 3 + [zero] * 5)

    f.run("quiet-host-busy-gpu", "g5.48xlarge", tags=[("team", "nlp")])
    f.ec2_metrics("quiet-host-busy-gpu", lambda h: (2.0, 3.0))
    f.gpu_metrics("quiet-host-busy-gpu", "g5.48xlarge", "NVIDIA A10G", [lambda h: 95.0] * 8, by_host=True)

    f.run("one-core-of-96", "m5.24xlarge", tags=[("team", "data")])
    f.ec2_metrics("one-core-of-96", lambda h: (1.04, 1.05))

    f.run("started-today", "g5.xlarge", age=dt.timedelta(hours=3), tags=[("team", "vision")])
    f.ec2_metrics("started-today", quiet, hours=3)
    f.gpu_metrics("started-today", "g5.xlarge", "NVIDIA A10G", [zero], ago=range(1, 4))

    f.run("agent-died", "g5.12xlarge", tags=[("team", "vision")])
    f.ec2_metrics("agent-died", quiet)
    f.gpu_metrics("agent-died", "g5.12xlarge", "NVIDIA A10G", [zero] * 4, ago=range(145, HOURS + 1))

    f.run("kept-warm", "g5.2xlarge", tags=[("team", "nlp"), ("burntop:exempt", "true")])
    f.ec2_metrics("kept-warm", quiet)
    f.gpu_metrics("kept-warm", "g5.2xlarge", "NVIDIA A10G", [zero])

    f.run("protected", "g5.xlarge", tags=[("team", "nlp")], DisableApiTermination=True)
    f.ec2_metrics("protected", quiet)
    f.gpu_metrics("protected", "g5.xlarge", "NVIDIA A10G", [zero])

    f.run("spot-idle", "g5.4xlarge", tags=[("team", "nlp")], InstanceMarketOptions={"MarketType": "spot"})
    f.ec2_metrics("spot-idle", quiet)
    f.gpu_metrics("spot-idle", "g5.4xlarge", "NVIDIA A10G", [zero])

    f.run("evil\u009b31m\u202ename", "m5.xlarge", tags=[("team", "x\u009b2Jy")])
    f.ids["evil"] = f.ids.pop("evil\u009b31m\u202ename")
    f.ec2_metrics("evil", busy)

    f.run("weekly-batch", "c5.4xlarge", tags=[("team", "data")])
    f.ec2_metrics("weekly-batch", lambda h: (100.0, 100.0) if h == 30 else (1.0, 1.5))

    f.run("forgotten-box", "m5.xlarge", tags=[("team", "data"), ("project", "etl"), ("env", "dev"), ("cost-center", "42")])
    f.ec2_metrics("forgotten-box", quiet)

    f.run("half-asleep", "m5.4xlarge", tags=[("team", "data")])
    f.ec2_metrics("half-asleep", lambda h: (10.0, 25.0), net=5e7)

    f.run("stopped-box", "m5.xlarge")
    f.ec2.stop_instances(InstanceIds=[f.ids["stopped-box"]])

    asg = boto3.client("autoscaling", endpoint_url=moto, region_name=f.region)
    asg.create_launch_configuration(LaunchConfigurationName="lc", ImageId=f.image, InstanceType="g5.xlarge")
    asg.create_auto_scaling_group(
        AutoScalingGroupName="workers",
        LaunchConfigurationName="lc",
        MinSize=1,
        MaxSize=1,
        DesiredCapacity=1,
        AvailabilityZones=["us-east-1a"],
        Tags=[{"Key": "Name", "Value": "asg-member", "PropagateAtLaunch": True}],
    )
    member = asg.describe_auto_scaling_groups()["AutoScalingGroups"][0]["Instances"][0]["InstanceId"]
    f.adopt("asg-member", member)
    f.ec2_metrics("asg-member", quiet)
    f.gpu_metrics("asg-member", "g5.xlarge", "NVIDIA A10G", [zero])
    f.flush()

    europe = Fleet(moto, cloudwatch, "eu-west-1")
    europe.run("europe-idle", "m5.2xlarge", tags=[("team", "nlp")])
    europe.ec2_metrics("europe-idle", quiet)
    europe.flush()
    return {**f.ids, **europe.ids}


def seed_acting(moto, cloudwatch, region):
    """Twelve instances to act on, in a region of their own: what a test stops there nobody else misses.
    Names end with the region."""
    f = Fleet(moto, cloudwatch, region)
    quiet = lambda h: (1.0, 2.0)  # noqa: E731
    zero = lambda x: 0.0  # noqa: E731
    kind, model = "g5.xlarge", "NVIDIA A10G"

    def idle(case, zone, gpu=zero, **more):
        name = f"{case}.{region}"
        tags = [("team", "nlp"), ("env", "dev")]
        f.run(name, kind, tags=tags, Placement={"AvailabilityZone": region + zone}, **more)
        f.ec2_metrics(name, quiet)
        f.gpu_metrics(name, kind, model, [zero])
        return name

    for case, zone in [("idle-one", "a"), ("idle-two", "a"), ("idle-far", "b")]:
        f.recent(idle(case, zone), kind, model, [zero])
    f.recent(idle("guarded", "a", DisableApiTermination=True), kind, model, [zero])
    # Idle for a week, at work for a quarter of an hour.
    f.recent(idle("woken", "a"), kind, model, [lambda ago: 88.0 if ago < 16 else 0.0])
    # Nothing has come in for two hours.
    idle("silent", "a")
    for n in range(6):
        name = f"working-{n}.{region}"
        f.run(name, "m5.xlarge", tags=[("team", "data")])
        f.ec2_metrics(name, lambda h: (55.0, 90.0))
        f.recent(name, cpu=60.0)
    f.flush()
    return f.ids


def seed_volumes(moto, region):
    """Volumes to act on: what is old has been there for forty days."""
    ec2 = boto3.client("ec2", endpoint_url=moto, region_name=region)
    backend = ec2_backends[ACCOUNT][region]
    ids = {}

    def volume(name, kind="gp2", old=True, size=20, **tags):
        pairs = [{"Key": k.replace("_", ":"), "Value": v} for k, v in {"Name": name, **tags}.items()]
        made = ec2.create_volume(
            AvailabilityZone=region + "a",
            Size=size,
            VolumeType=kind,
            TagSpecifications=[{"ResourceType": "volume", "Tags": pairs}],
        )["VolumeId"]
        if old:
            backend.get_volume(made).create_time = NOW.replace(tzinfo=None) - OLD
        ids[f"{name}.{region}"] = made
        return made

    volume("loose")
    volume("young", old=False)
    volume("kept", burntop_exempt="true")
    volume("claimed", **{"kubernetes.io/created-for/pvc/name": "data"})
    attached = volume("attached")
    image = ec2.describe_images()["Images"][0]["ImageId"]
    box = ec2.run_instances(
        ImageId=image,
        MinCount=1,
        MaxCount=1,
        InstanceType="m5.large",
        Placement={"AvailabilityZone": region + "a"},
    )["Instances"][0]["InstanceId"]
    ec2.attach_volume(VolumeId=attached, InstanceId=box, Device="/dev/sdf")
    volume("slow", size=2000)
    return ids


def seed_policy(moto, cloudwatch, region):
    """One instance for each way in which a policy can decide. Names end with the region."""
    f = Fleet(moto, cloudwatch, region)
    zero = lambda x: 0.0  # noqa: E731
    kind, model = "g5.xlarge", "NVIDIA A10G"
    for case, env in [("fresh", "dev"), ("soon", "dev"), ("due", "dev"), ("gold", "prod")]:
        name = f"{case}.{region}"
        f.run(name, kind, tags=[("env", env)])
        f.ec2_metrics(name, lambda h: (1.0, 2.0))
        f.gpu_metrics(name, kind, model, [zero])
        f.recent(name, kind, model, [zero])
    # Nobody can see what its GPU does.
    f.run(f"blind.{region}", kind, tags=[("env", "dev")])
    f.ec2_metrics(f"blind.{region}", lambda h: (1.0, 2.0))
    f.run(f"working.{region}", "m5.xlarge", tags=[("env", "dev")])
    f.ec2_metrics(f"working.{region}", lambda h: (55.0, 90.0))
    f.flush()
    return f.ids


def seed_watched(moto, cloudwatch, region):
    """GPU boxes of which CloudWatch knows the CPU alone, and the names that exporters have for them."""
    f = Fleet(moto, cloudwatch, region)
    for name, kind, team in [
        ("by-name", "p5.48xlarge", "nlp"),
        ("by-address", "p5.48xlarge", "vision"),
        ("unseen", "g5.xlarge", "nlp"),
    ]:
        f.run(name, kind, tags=[("team", team)])
        f.ec2_metrics(name, lambda h: (1.0, 2.0))
    f.flush()
    hosts = {}
    for reservation in f.ec2.describe_instances()["Reservations"]:
        for instance in reservation["Instances"]:
            name = next(tag["Value"] for tag in instance["Tags"] if tag["Key"] == "Name")
            hosts[name] = {"dns": instance["PrivateDnsName"], "ip": instance["PrivateIpAddress"]}
    return f.ids, hosts


def seed_storage(moto, cloudwatch, region):
    """Buckets in two regions; in `region` volumes and snapshots that are looked at, and nothing else."""
    ids = {}
    near = boto3.client("s3", endpoint_url=moto, region_name="us-east-1")
    near.create_bucket(Bucket="ml-checkpoints")
    near.put_bucket_versioning(Bucket="ml-checkpoints", VersioningConfiguration={"Status": "Enabled"})
    near.put_bucket_tagging(Bucket="ml-checkpoints", Tagging={"TagSet": [{"Key": "team", "Value": "nlp"}]})
    near.put_bucket_lifecycle_configuration(
        Bucket="ml-checkpoints",
        LifecycleConfiguration={
            "Rules": [
                {
                    "ID": "aborts",
                    "Filter": {"Prefix": ""},
                    "Status": "Enabled",
                    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
                }
            ]
        },
    )
    near.put_object(Bucket="ml-checkpoints", Key="run-1/checkpoint-500/a b.pt", Body=b"x" * 100)
    near.create_multipart_upload(Bucket="ml-checkpoints", Key="run-1/never-completed")
    far = boto3.client("s3", endpoint_url=moto, region_name="eu-west-1")
    far.create_bucket(Bucket="eu-data", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})

    day = NOW.replace(hour=0)
    data = []
    tib = 1024.0**4
    for ago in range(1, 41):
        at = day - dt.timedelta(days=ago)
        for metric, kind, value in [
            ("BucketSizeBytes", "StandardStorage", 2 * tib - (ago - 1) * 1024.0**3),
            ("BucketSizeBytes", "HolographicStorage", tib),
            ("NumberOfObjects", "AllStorageTypes", 1234.0),
        ]:
            dims = [{"Name": "BucketName", "Value": "ml-checkpoints"}, {"Name": "StorageType", "Value": kind}]
            data.append({"MetricName": metric, "Dimensions": dims, "Timestamp": at, "Value": value})
    cw = boto3.client("cloudwatch", endpoint_url=cloudwatch, region_name="us-east-1")
    cw.put_metric_data(Namespace="AWS/S3", MetricData=data)

    f = Fleet(moto, cloudwatch, region)
    zone = region + "a"
    place = {"Placement": {"AvailabilityZone": zone}}
    ids["volume-free"] = f.ec2.create_volume(AvailabilityZone=zone, Size=500, VolumeType="gp2")["VolumeId"]
    for case, device in [("stopped", "/dev/sdf"), ("running", "/dev/sdg")]:
        box = f.run(f"{case}.{region}", "m5.xlarge", **place)
        volume = f.ec2.create_volume(AvailabilityZone=zone, Size=100, VolumeType="gp3")["VolumeId"]
        f.ec2.attach_volume(VolumeId=volume, InstanceId=box, Device=device)
        ids[f"volume-{case}"] = volume
    f.ec2.stop_instances(InstanceIds=[f.ids[f"stopped.{region}"]])
    gone = f.ec2.create_volume(AvailabilityZone=zone, Size=50, VolumeType="gp3")["VolumeId"]
    ids["snapshot-orphan"] = f.ec2.create_snapshot(VolumeId=gone, Description="before the move")["SnapshotId"]
    f.ec2.delete_volume(VolumeId=gone)
    return ids


def seed_things(moto, cloudwatch, region):
    """What bills and is no instance: one of each kind idle, and one that is not; all 40 days old."""
    f = Fleet(moto, cloudwatch, region)
    at = {"endpoint_url": moto, "region_name": region}
    ec2, sm, elb = f.ec2, boto3.client("sagemaker", **at), boto3.client("elbv2", **at)
    born = (NOW - OLD).replace(tzinfo=None)
    hours = range(1, 338)
    role = f"arn:aws:iam::{ACCOUNT}:role/sagemaker"

    subnets = ec2.describe_subnets()["Subnets"][:2]
    for case in ("nat-idle", "nat-routed", "nat-busy", "nat-covered", "nat-silent"):
        address = ec2.allocate_address(Domain="vpc")["AllocationId"]
        tags = [{"ResourceType": "natgateway", "Tags": [{"Key": "Name", "Value": case}]}]
        gateway = ec2.create_nat_gateway(
            SubnetId=subnets[0]["SubnetId"], AllocationId=address, TagSpecifications=tags
        )["NatGateway"]["NatGatewayId"]
        f.ids[case] = gateway
        ec2_backends[ACCOUNT][region].nat_gateways[gateway]._created_at = born
        if case in ("nat-routed", "nat-busy", "nat-covered"):
            table = ec2.create_route_table(VpcId=subnets[0]["VpcId"])["RouteTable"]["RouteTableId"]
            ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=gateway)
            if case == "nat-busy":
                f.ids["table-open"] = table
                ec2.associate_route_table(RouteTableId=table, SubnetId=subnets[0]["SubnetId"])
            if case == "nat-covered":
                ec2.associate_route_table(RouteTableId=table, SubnetId=subnets[1]["SubnetId"])
                ec2.create_vpc_endpoint(
                    VpcId=subnets[0]["VpcId"], ServiceName=f"com.amazonaws.{region}.s3",
                    VpcEndpointType="Gateway", RouteTableIds=[table],
                )
        if case != "nat-silent":
            busy = 1.0 if case in ("nat-busy", "nat-covered") else 0.0
            dims = [("NatGatewayId", gateway)]
            f.put("AWS/NATGateway", "ActiveConnectionCount", dims, [(h, [busy]) for h in hours])
            f.put("AWS/NATGateway", "BytesOutToDestination", dims, [(h, [busy * 1e6]) for h in hours])
            f.put("AWS/NATGateway", "BytesInFromDestination", dims, [(h, [busy * 9e6]) for h in hours])

    for case in ("address-free", "address-running", "address-stopped"):
        f.ids[case] = ec2.allocate_address(Domain="vpc")["AllocationId"]
    for state in ("running", "stopped"):
        instance = f.run(f"holder-{state}", "m5.large")
        ec2.associate_address(AllocationId=f.ids[f"address-{state}"], InstanceId=instance)
    ec2.stop_instances(InstanceIds=[f.ids["holder-stopped"]])

    for case, published in (("notebook-quiet", True), ("notebook-mute", False)):
        sm.create_notebook_instance(NotebookInstanceName=case, InstanceType="ml.m5.xlarge", RoleArn=role)
        notebook = sagemaker_backends[ACCOUNT][region].notebook_instances[case]
        notebook.creation_time = notebook.last_modified_time = born
        if published:
            dims = [("notebook_instance_name", case), ("host", "ip-10-0-0-9"), ("cpu", "cpu-total")]
            f.put("SageMakerNotebookInstances", "cpu_usage_idle", dims, [(h, [99.0, 97.0]) for h in hours])

    container = {"Image": "image", "ModelDataUrl": "s3://models/m.tar.gz"}
    sm.create_model(ModelName="m", PrimaryContainer=container, ExecutionRoleArn=role)
    for case, asked in (("endpoint-idle", False), ("endpoint-asked", True)):
        variant = {"VariantName": "blue", "ModelName": "m", "InstanceType": "ml.m5.xlarge"}
        variant |= {"InitialInstanceCount": 2, "InitialVariantWeight": 1.0}
        sm.create_endpoint_config(EndpointConfigName=case, ProductionVariants=[variant])
        tags = [{"Key": "team", "Value": "nlp"}]
        sm.create_endpoint(EndpointName=case, EndpointConfigName=case, Tags=tags)
        endpoint = sagemaker_backends[ACCOUNT][region].endpoints[case]
        endpoint.creation_time = endpoint.last_modified_time = born
        dims = [("EndpointName", case), ("VariantName", "blue")]
        # Four vCPUs, of which SageMaker adds up the percentages: 8 of 400 are 2%.
        f.put("/aws/sagemaker/Endpoints", "CPUUtilization", dims, [(h, [8.0]) for h in hours])
        if asked:
            f.put("AWS/SageMaker", "Invocations", dims, [(100, [1.0])])

    arn = elb.create_load_balancer(Name="balancer-empty", Subnets=[s["SubnetId"] for s in subnets])
    arn = arn["LoadBalancers"][0]["LoadBalancerArn"]
    stamp = born.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    elbv2_backends[ACCOUNT][region].load_balancers[arn].created_time = stamp
    f.flush()
    return f.ids


def seed_organization(moto):
    """An organization of four accounts: one with an instance, one for a test to lock, one with a name
    that steers a terminal, one that is closed."""
    org = boto3.client("organizations", endpoint_url=moto, region_name="us-east-1")
    org.create_organization(FeatureSet="ALL")
    ids = {}
    for case in ("org-nlp", "org-locked", "org-evil", "org-closed"):
        name = case.replace("org-evil", "evil\x1b[2J")
        status = org.create_account(Email=f"{case}@example.com", AccountName=name)["CreateAccountStatus"]
        ids[case] = status["AccountId"]
    org.close_account(AccountId=ids["org-closed"])
    sts = boto3.client("sts", endpoint_url=moto, region_name="us-east-1")
    role = f"arn:aws:iam::{ids['org-nlp']}:role/burntop-read"
    keys = sts.assume_role(RoleArn=role, RoleSessionName="seed")["Credentials"]
    ec2 = boto3.client(
        "ec2",
        endpoint_url=moto,
        region_name="us-east-1",
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
        aws_session_token=keys["SessionToken"],
    )
    box = ec2.run_instances(ImageId=linux_image(ec2), InstanceType="m5.large", MinCount=1, MaxCount=1)
    ids["org-box"] = box["Instances"][0]["InstanceId"]
    return ids


def seed_budgets(moto):
    """Budgets of AWS Budgets: one that is over, one that will be, one of a quarter, one of use."""
    client = boto3.client("budgets", endpoint_url=moto, region_name="us-east-1")

    def usd(amount):
        return {"Amount": amount, "Unit": "USD"}

    def budget(name, unit, actual, forecast, kind="COST"):
        client.create_budget(
            AccountId=ACCOUNT,
            Budget={
                "BudgetName": name,
                "BudgetType": kind,
                "TimeUnit": unit,
                "BudgetLimit": usd("1000"),
                "CostFilters": {"Service": ["Amazon SageMaker"]},
                "CalculatedSpend": {"ActualSpend": usd(actual), "ForecastedSpend": usd(forecast)},
            },
        )

    budget("budget-over", "MONTHLY", "1200.5", "1500")
    budget("budget-will", "MONTHLY", "900", "1000.01")
    budget("budget-quarter", "QUARTERLY", "10", "20")
    budget("budget-use", "MONTHLY", "1", "1", kind="USAGE")


def seed_batch(moto, region):
    """Jobs of AWS Batch: one that was tried twice, one whose memory ran out, an array of two, on an instance that ECS knows."""
    at = {"endpoint_url": moto, "region_name": region}
    batch, ec2, ecs = boto3.client("batch", **at), boto3.client("ec2", **at), boto3.client("ecs", **at)
    # Jobs of the emulator end at once, without Docker.
    config = json.dumps({"batch": {"use_docker": False}}).encode()
    asked = urllib.request.Request(f"{moto}/moto-api/config", data=config, method="POST")
    urllib.request.urlopen(asked, timeout=60).read()
    role = boto3.client("iam", **at).create_role(RoleName="batch", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    instance = ec2.run_instances(ImageId=image, InstanceType="g5.xlarge", MinCount=1, MaxCount=1)["Instances"][0]
    ecs.create_cluster(clusterName="gpu_Batch_1")
    document = json.dumps({"instanceId": instance["InstanceId"]})
    host = ecs.register_container_instance(cluster="gpu_Batch_1", instanceIdentityDocument=document)
    host = host["containerInstance"]["containerInstanceArn"]

    environment = batch.create_compute_environment(
        computeEnvironmentName="gpu-environment", type="UNMANAGED", state="ENABLED", serviceRole=role
    )["computeEnvironmentArn"]
    batch.create_job_queue(
        jobQueueName="gpu", state="ENABLED", priority=1,
        computeEnvironmentOrder=[{"order": 1, "computeEnvironment": environment}],
    )
    batch.register_job_definition(
        jobDefinitionName="train", type="container",
        containerProperties={"image": "busybox", "vcpus": 4, "memory": 1024, "command": ["true"]},
    )

    def moment(hours):
        return int((NOW - dt.timedelta(hours=hours)).timestamp() * 1000)

    def plant(job_id, status, attempts, **more):
        """Attempts, each from and to so many hours ago, with what else Batch tells of it, and the GPU that the emulator drops."""
        job = batch_backends[ACCOUNT][region]._jobs[job_id]
        # The emulator takes times without a zone for those of the machine.
        hours = (attempts[0][0] + 0.5, attempts[-1][0], attempts[-1][1])
        created, started, stopped = (dt.datetime.fromtimestamp(moment(of) / 1000) for of in hours)
        job.job_created_at, job.job_started_at, job.job_stopped_at = created, started, stopped
        job.status = status
        told = job.describe

        def describe():
            found = told()
            container = {"containerInstanceArn": host}
            found["attempts"] = [
                {"startedAt": moment(start), "stoppedAt": moment(stop), "container": {**container, **ended},
                 "statusReason": words}
                for start, stop, ended, words in attempts
            ]
            found["container"].update(container)
            found["container"]["resourceRequirements"] = [
                {"type": "GPU", "value": "1"}, {"type": "VCPU", "value": "4"}, {"type": "MEMORY", "value": "1024"}
            ]
            return {**found, **more}

        job.describe = describe

    def submit(name, **more):
        return batch.submit_job(jobName=name, jobQueue="gpu", jobDefinition="train", **more)["jobId"]

    ids = {"batch-host": instance["InstanceId"]}
    ids["batch-retried"] = submit("retried", tags={"Owner": "ana"})
    gone = f"Host EC2 (instance {instance['InstanceId']}) terminated."
    ended = "Essential container in task exited"
    tries = [(9, 7, {}, gone), (6, 3, {"exitCode": 0}, ended)]
    plant(ids["batch-retried"], "SUCCEEDED", tries, timeout={"attemptDurationSeconds": 7 * 86_400})
    ids["batch-oom"] = submit("oom")
    oom = {"exitCode": 137, "reason": "OutOfMemoryError: Container killed due to memory usage"}
    plant(ids["batch-oom"], "FAILED", [(2, 1, oom, ended)])
    ids["batch-array"] = submit("sweep", arrayProperties={"size": 2})
    for index in range(2):
        plant(f"{ids['batch-array']}:{index}", "SUCCEEDED", [(13 - index, 12 - index, {"exitCode": 0}, ended)])
    return ids


def seed_hyperpod(moto, region):
    """A cluster of HyperPod with four nodes on demand and one that is Spot, which were launched a day ago."""
    sm = boto3.client("sagemaker", endpoint_url=moto, region_name=region)
    role = f"arn:aws:iam::{ACCOUNT}:role/sagemaker"
    start = {"SourceS3Uri": "s3://sagemaker-life", "OnCreate": "run.sh"}
    group = {"InstanceType": "ml.p5.48xlarge", "ExecutionRole": role, "LifeCycleConfig": start, "ThreadsPerCore": 1}
    groups = [{**group, "InstanceGroupName": name, "InstanceCount": count} for name, count in [("w", 4), ("s", 1)]]
    sm.create_cluster(ClusterName="pod", InstanceGroups=groups)

    def plant(node, number):
        """What the emulator does not tell: names in the network, capacity, an older launch."""
        node.launch_time = node.launch_time - dt.timedelta(days=1)
        listed, told = node.summary, node.describe
        names = {"PrivateDnsHostname": f"ip-10-9-8-{number}.{region}.compute.internal"}
        capacity = "Spot" if node.instance_group_name == "s" else "OnDemand"
        node.summary = lambda: {**listed(), **names}
        node.describe = lambda: {
            **told(), **names, "PrivatePrimaryIp": f"10.9.8.{number}", "CapacityType": capacity,
        }

    for number, node in enumerate(sagemaker_backends[ACCOUNT][region].clusters["pod"].nodes.values()):
        plant(node, number)


def extra(moto, cloudwatch, count):
    """A plain fleet of `count` quiet and busy boxes in us-west-2, for the scan figures."""
    f = Fleet(moto, cloudwatch, "us-west-2")
    for i in range(count):
        f.run(f"box-{i:04}", "m5.xlarge")
        load = (1.0, 2.0) if i % 3 == 0 else (55.0, 90.0)
        f.ec2_metrics(f"box-{i:04}", lambda h, load=load: load, hours=168)
    f.flush()


@contextlib.contextmanager
def emulators():
    """moto and ministack, for as long as they are needed; their addresses."""
    logging.disable(logging.CRITICAL)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    moto = f"http://{host}:{port}"
    urllib.request.urlopen(f"{moto}/moto-api/", timeout=60).read()
    child, cloudwatch = start_ministack()
    try:
        yield moto, cloudwatch
    finally:
        child.terminate()
        server.stop()


def seed_inventory(ministack):
    """The sample inventory in S3, a bucket for results and a database for Athena."""
    here = os.path.join(os.path.dirname(__file__), "..", "data", "storage", "inventory")
    with open(os.path.join(here, "manifest-parquet.json"), "rb") as f:
        manifest = f.read()
    s3 = boto3.client("s3", endpoint_url=ministack)
    for bucket in ["acme-inventory", "acme-results"]:
        s3.create_bucket(Bucket=bucket)
    folder = "inventory/acme-ml-ckpt/ml/2026-11-20T01-00Z/"
    s3.put_object(Bucket="acme-inventory", Key=folder + "manifest.json", Body=manifest)
    digest = hashlib.md5(manifest).hexdigest().encode()
    s3.put_object(Bucket="acme-inventory", Key=folder + "manifest.checksum", Body=digest)
    for piece in json.loads(manifest)["files"]:
        with open(os.path.join(here, "data", os.path.basename(piece["key"])), "rb") as f:
            s3.put_object(Bucket="acme-inventory", Key=piece["key"], Body=f.read())
    glue = boto3.client("glue", endpoint_url=ministack)
    with contextlib.suppress(glue.exceptions.AlreadyExistsException):
        glue.create_database(DatabaseInput={"Name": "default"})


def main():
    with emulators() as (moto, cloudwatch):
        ids = seed(moto, cloudwatch)
        seed_inventory(cloudwatch)
        for region in ACTING:
            ids.update(seed_acting(moto, cloudwatch, region))
        ids.update(seed_policy(moto, cloudwatch, POLICY))
        ids.update(seed_volumes(moto, STORAGE))
        watched, hosts = seed_watched(moto, cloudwatch, WATCHED)
        ids.update(watched)
        ids.update(seed_storage(moto, cloudwatch, STORED))
        ids.update(seed_things(moto, cloudwatch, THINGS))
        ids.update(seed_organization(moto))
        seed_budgets(moto)
        ids.update(seed_batch(moto, BATCH))
        seed_hyperpod(moto, HYPERPOD)
        if len(sys.argv) > 1:
            extra(moto, cloudwatch, int(sys.argv[1]))
        print(json.dumps({"moto": moto, "cloudwatch": cloudwatch, "ids": ids, "hosts": hosts}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
