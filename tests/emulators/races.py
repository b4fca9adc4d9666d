"""Serves what two processes race for, and what a bad network is tried on, one region for each.

Prints one JSON line with the endpoints, then answers each line of standard input with one of JSON:

    fleet REGION N        N instances, in two zones, quiet for hours; all that were there are gone
    group REGION N MIN    the same, as members of an Auto Scaling group that wants N and at least MIN
    volume REGION         a volume that nobody uses, forty days old; all that were there are gone
    truth REGION          what there is, read from the server's memory
"""

import json
import sys

import boto3
from moto.autoscaling.models import autoscaling_backends

import serve
from kills import Boxes
from serve import ACCOUNT, NOW, OLD, ec2_backends


class Region(Boxes):
    def __init__(self, moto, cloudwatch, region):
        super().__init__(moto, cloudwatch, region)
        self.asg = boto3.client("autoscaling", endpoint_url=moto, region_name=region)
        self.asg.create_launch_configuration(
            LaunchConfigurationName="lc", ImageId=self.image, InstanceType="m5.xlarge"
        )
        self.groups = 0

    def group(self, count, least):
        self.fleet(0)
        autoscaling_backends[ACCOUNT][self.region].autoscaling_groups.clear()
        self.groups += 1
        name = f"workers-{self.groups}"
        self.asg.create_auto_scaling_group(
            AutoScalingGroupName=name,
            LaunchConfigurationName="lc",
            MinSize=least,
            MaxSize=count,
            DesiredCapacity=count,
            AvailabilityZones=[self.region + "a"],
        )
        members = autoscaling_backends[ACCOUNT][self.region].autoscaling_groups[name].instance_states
        for n, member in enumerate(members):
            self.adopt(f"member-{n}", member.instance.id)
        return self.quiet()

    def volume(self):
        backend = ec2_backends[ACCOUNT][self.region]
        backend.volumes.clear()
        backend.snapshots.clear()
        zone = self.region + "a"
        made = self.ec2.create_volume(AvailabilityZone=zone, Size=20, VolumeType="gp2")["VolumeId"]
        born = NOW.replace(tzinfo=None) - OLD
        backend.get_volume(made).create_time = born
        return {"id": made, "az": zone, "launched_at": born.strftime("%Y-%m-%dT%H:%M:%SZ")}

    def truth(self):
        backend = ec2_backends[ACCOUNT][self.region]
        groups = autoscaling_backends[ACCOUNT][self.region].autoscaling_groups
        return {
            "states": self.states(),
            "wanted": {name: group.desired_capacity for name, group in groups.items()},
            "volumes": list(backend.volumes),
            "snapshots": [[s.volume.id, s.status] for s in backend.snapshots.values()],
        }


def main():
    with serve.emulators() as (moto, cloudwatch):
        regions = {}
        print(json.dumps({"moto": moto, "cloudwatch": cloudwatch}), flush=True)
        for line in sys.stdin:
            what, region, *args = line.split()
            if region not in regions:
                regions[region] = Region(moto, cloudwatch, region)
            print(json.dumps(getattr(regions[region], what)(*map(int, args))), flush=True)


if __name__ == "__main__":
    main()
