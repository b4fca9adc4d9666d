"""Serves fresh idle fleets, one after the other, for the tests that kill the program.

Prints one JSON line with the endpoints, then answers each line of standard input with one of JSON:

    fleet N     N instances, in two zones, quiet for hours; all that were there before are gone
    busy ID     one that worked in the last minutes
    protect ID  one with termination and stop protection
    states      id -> state of all, read from the server's memory
"""

import json
import sys
import datetime as dt

import serve
from serve import ACCOUNT, Fleet, ec2_backends

REGION = "us-east-1"


class Boxes(Fleet):
    def fleet(self, count):
        backend = ec2_backends[ACCOUNT][self.region]
        backend.reservations.clear()
        self.ids = {}
        for n in range(count):
            zone = self.region + "ab"[n % 2]
            self.run(f"box-{n}", "m5.xlarge", Placement={"AvailabilityZone": zone})
        return self.quiet()

    def quiet(self):
        """What a plan needs to know of all of them, after a week of quiet hours up to now."""
        out = []
        now = dt.datetime.now(dt.timezone.utc)
        data = []
        for name, i in self.ids.items():
            instance = ec2_backends[ACCOUNT][self.region].get_instance(i)
            born = instance.launch_time.replace(".000Z", "Z")
            out.append({"id": i, "az": instance.placement.zone, "launched_at": born})
            data += self.minutes(i, now, 150, 0.3)
            # What `apply` judges a plan by once more.
            self.ec2_metrics(name, lambda hour: (0.3,))
        self.send(data)
        self.flush()
        self.data = {}
        return out

    def minutes(self, i, now, minutes, cpu):
        """Datapoints of five minutes each, up to now."""
        last = now.replace(second=0, microsecond=0) - dt.timedelta(minutes=now.minute % 5 + 5)
        dims = [{"Name": "InstanceId", "Value": i}]
        out = []
        for name, value in (("CPUUtilization", cpu), ("NetworkIn", 1000.0), ("NetworkOut", 1000.0)):
            for ago in range(0, minutes, 5):
                at = last - dt.timedelta(minutes=ago)
                out.append({"MetricName": name, "Dimensions": dims, "Timestamp": at, "Value": value})
        return out

    def send(self, data):
        for n in range(0, len(data), 400):
            self.cw.put_metric_data(Namespace="AWS/EC2", MetricData=data[n : n + 400])

    def busy(self, i):
        self.send(self.minutes(i, dt.datetime.now(dt.timezone.utc), 20, 97.0))
        return {}

    def protect(self, i):
        self.ec2.modify_instance_attribute(InstanceId=i, DisableApiTermination={"Value": True})
        self.ec2.modify_instance_attribute(InstanceId=i, DisableApiStop={"Value": True})
        return {}

    def states(self):
        backend = ec2_backends[ACCOUNT][self.region]
        instances = [i for r in backend.reservations.values() for i in r.instances]
        return {i.id: i.state for i in instances}


def main():
    with serve.emulators() as (moto, cloudwatch):
        boxes = Boxes(moto, cloudwatch, REGION)
        print(json.dumps({"moto": moto, "cloudwatch": cloudwatch}), flush=True)
        for line in sys.stdin:
            what, *args = line.split()
            args = [int(a) if what == "fleet" else a for a in args]
            print(json.dumps(getattr(boxes, what)(*args)), flush=True)


if __name__ == "__main__":
    main()
