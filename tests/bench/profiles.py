# SPDX-License-Identifier: MIT
"""Simulated volumes to measure on: coldvol's keys, and the limit that follows from them."""

MIB = 1 << 20
GRANULE = 512 << 10

# `throughput` in MiB/s; `iops` counts a read of 256 KiB or less as one. Each volume's first touches are spread as coldvol's default.
PROFILES = {
    "gp3, 125 MiB/s": {"throughput": 125, "iops": 3000, "first_touch_median": "30ms", "fetch_slots": 256},
    "gp3, 500 MiB/s": {"throughput": 500, "iops": 6000, "first_touch_median": "30ms", "fetch_slots": 256},
    "gp3, 1,000 MiB/s": {"throughput": 1000, "iops": 16000, "first_touch_median": "30ms", "fetch_slots": 256},
    "gp2, 100 GiB, credits spent": {"throughput": 75, "iops": 300, "first_touch_median": "30ms", "fetch_slots": 256},
    "io2, slow fetches": {"throughput": 1000, "iops": 64000, "first_touch_median": "100ms", "fetch_slots": 512},
    "fetches bound at 135 MiB/s": {"throughput": 1000, "iops": 16000, "first_touch_median": "30ms", "fetch_slots": 64, "fetch_rate": 135},
    "few fetches at a time, heavy tail": {"throughput": 500, "iops": 6000, "first_touch_median": "40ms", "fetch_slots": 32,
                                          "tail_probability": 0.01, "tail_latency": "400ms"},
}


def mean_fetch_sec(keys):
    """coldvol's fetches are lognormal with sigma 0.6: mean = median × exp(sigma² / 2)."""
    median = float(keys["first_touch_median"].removesuffix("ms")) / 1000
    tail = keys.get("tail_probability", 0)
    tail_sec = float(keys.get("tail_latency", "0ms").removesuffix("ms")) / 1000
    return (1 - tail) * median * 1.197217 + tail * tail_sec


def limit(keys):
    """(MiB/s that no reader can exceed, what sets it)."""
    bounds = {
        "volume throughput": keys["throughput"],
        "volume IOPS, 256 KiB each": keys["iops"] / 4,
        "fetches at a time": keys["fetch_slots"] * GRANULE / MIB / mean_fetch_sec(keys),
    }
    if "fetch_rate" in keys:
        bounds["fetch rate"] = keys["fetch_rate"]
    what = min(bounds, key=bounds.get)
    return bounds[what], what


def size_bytes(keys, seconds):
    """A volume that takes about so long at its limit, in whole 64 MiB."""
    return max(1, round(limit(keys)[0] * seconds / 64)) * 64 * MIB
