#!/usr/bin/env python3
"""Writes the telemetry of a fleet into a Prometheus by remote write, past and future.

    prometheus --web.enable-remote-write-receiver ... &
    python benches/backfill.py http://127.0.0.1:9090 --nodes 2000 --behind 15 --ahead 60

Nothing needs to be scraped while something is measured: samples of the next minutes are there
already, and a query of now sees those up to now. Six signals; who holds a GPU stands in the labels
of the first alone. Every fifth node is idle. `--hours N` writes N hours before that as well, one
sample a minute. Needs nothing but Python.
"""

import argparse
import http.client
import random
import struct
import sys
import time
import urllib.parse

GPUS = 8
# Name, and from an activity of 0-1 to a value in the unit of DCGM.
SIGNALS = [
    ("DCGM_FI_PROF_SM_ACTIVE", lambda a: round(a, 6)),
    ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", lambda a: round(a * 0.6, 6)),
    ("DCGM_FI_PROF_DRAM_ACTIVE", lambda a: round(a * 0.4, 6)),
    ("DCGM_FI_DEV_POWER_USAGE", lambda a: round(70 + 560 * a, 3)),
    ("DCGM_FI_DEV_FB_USED", lambda a: 0.0 if a == 0 else 61_440.0 + round(a * 8) * 256),
    ("DCGM_FI_DEV_ENC_UTIL", lambda a: 0.0),
]
# Different courses of activity; the GPUs share them.
COURSES = 257
AT_ONCE = 2_000


def varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, payload):
    """A length-delimited field of a protocol buffer."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def label(name, value):
    return field(1, field(1, name.encode()) + field(2, value.encode()))


def series(name, node, gpu, owned):
    host = f"gpu-node-{node:04d}"
    labels = {
        "__name__": name,
        "Hostname": host,
        "UUID": f"GPU-{node:08x}-0000-4000-8000-{node * GPUS + gpu:012x}",
        "gpu": str(gpu),
        "device": f"nvidia{gpu}",
        "instance": f"{host}:9400",
        "job": "dcgm",
        "modelName": "NVIDIA H100 80GB HBM3",
    }
    if owned:
        labels |= {"namespace": f"team-{node % 20}", "pod": f"llm-{node // 4}-{node % 4}", "container": "main"}
    return b"".join(label(key, labels[key]) for key in sorted(labels))


def courses(count, value):
    """`COURSES` encoded runs of samples at `count` moments, and one of a GPU at rest."""
    def run(activities):
        return [struct.pack("<d", value(a)) for a in activities]

    out = [run([0.0] * count)]
    for course in range(COURSES):
        rng = random.Random(course)
        level = 0.3 + 0.6 * rng.random()
        out.append(run([min(1.0, max(0.06, level + rng.uniform(-0.08, 0.08))) for _ in range(count)]))
    return out


def encoded(values, times):
    """Samples of the remote write protocol: value (1) and milliseconds (2)."""
    return b"".join(field(2, b"\x09" + value + time) for value, time in zip(values, times))


class Receiver:
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)
        self.path = parts.path.rstrip("/") + "/api/v1/write"

    def write(self, request):
        # Snappy, as one literal: its length, the tag of a literal with a length of four bytes.
        body = varint(len(request)) + b"\xfc" + struct.pack("<I", len(request) - 1) + request
        headers = {
            "Content-Encoding": "snappy",
            "Content-Type": "application/x-protobuf",
            "X-Prometheus-Remote-Write-Version": "0.1.0",
        }
        self.connection.request("POST", self.path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit(f"{answer.status} {text.decode(errors='replace')}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--nodes", type=int, default=2_000)
    parser.add_argument("--behind", type=int, default=15, help="minutes before now")
    parser.add_argument("--ahead", type=int, default=60, help="minutes after now")
    parser.add_argument("--step", type=int, default=15, help="seconds between two samples")
    parser.add_argument("--hours", type=int, default=0, help="hours before that, a sample a minute")
    chosen = parser.parse_args()
    receiver = Receiver(chosen.url)
    now = int(time.time()) // 60 * 60
    near = now - chosen.behind * 60
    windows = [(near - h * 3600, near - (h - 1) * 3600, 60) for h in range(chosen.hours, 0, -1)]
    # Half an hour at a time: within one request the series come one after the other.
    end = now + chosen.ahead * 60
    windows += [(start, min(start + 1800, end), chosen.step) for start in range(near, end, 1800)]
    labels = [
        [(node, gpu, series(name, node, gpu, at == 0)) for node in range(chosen.nodes) for gpu in range(GPUS)]
        for at, (name, _) in enumerate(SIGNALS)
    ]
    began, written = time.time(), 0
    for start, stop, step in windows:
        moments = range(start, stop, step)
        times = [b"\x10" + varint(t * 1000) for t in moments]
        for (_, value), named in zip(SIGNALS, labels):
            pool = [encoded(values, times) for values in courses(len(moments), value)]
            for first in range(0, len(named), AT_ONCE):
                request = bytearray()
                for node, gpu, text in named[first : first + AT_ONCE]:
                    course = 0 if node % 5 == 4 else 1 + (node * GPUS + gpu) % COURSES
                    request += field(1, text + pool[course])
                receiver.write(bytes(request))
                written += len(moments) * len(named[first : first + AT_ONCE])
    print(f"{len(labels) * chosen.nodes * GPUS} series, {written} samples in {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
