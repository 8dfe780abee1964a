# SPDX-License-Identifier: MIT
"""What the figures were taken on."""

import contextlib
import datetime
import os
import pathlib
import platform
import struct
import subprocess

from running import Failed

LATENCY_DEVICE = pathlib.Path("/dev/cpu_dma_latency")
NO_LATENCY_LIMIT = 2_000_000_000
SERVER_PACKAGES = ("jackd2", "jackd1", "libjack-jackd2-0", "libjack0")


def _first_line(*command):
    try:
        result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    lines = (result.stdout or result.stderr).splitlines()
    return lines[0].strip() if result.returncode == 0 and lines else "unknown"


def _processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _system():
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.split("=", 1)[1].strip('"')
    return platform.system()


def _governor():
    path = pathlib.Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return path.read_text().strip() if path.exists() else "none"


@contextlib.contextmanager
def kept_ready(microseconds):
    """Meanwhile no processor sleeps so deeply that it takes longer to wake; None leaves them as they are."""
    if microseconds is None:
        yield
        return
    try:
        device = open(LATENCY_DEVICE, "wb", buffering=0)
        device.write(struct.pack("=i", microseconds))
    except OSError as error:
        raise Failed(f"--cpu-dma-latency: {LATENCY_DEVICE}: {error.strerror}") from None
    with device:
        yield


def _latency_limit():
    """How long a processor may take to wake, in microseconds; None where nobody limits that, or it is not told."""
    try:
        limit, = struct.unpack("=i", LATENCY_DEVICE.read_bytes()[:4])
    except (OSError, struct.error):
        return None
    return limit if 0 <= limit < NO_LATENCY_LIMIT else None


def _stolen_ticks():
    """Processor time that the machine's host gave to others, and all there was, since the start."""
    numbers = [int(word) for word in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return numbers[7], sum(numbers[:8])


def _versions(packages):
    found = {}
    for package in packages:
        version = _first_line("dpkg-query", "-W", "-f=${Version}\n", package)
        if version not in ("unknown", ""):
            found[package] = version
    return found


def facts(program, subjects):
    stolen, ticks = _stolen_ticks()
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="minutes"),
        "system": _system(),
        "kernel": f"{platform.release()} {platform.version()}",
        "processor": _processor(),
        "processors": os.cpu_count(),
        "governor": _governor(),
        "cpu_dma_latency_us": _latency_limit(),
        "memory_kb": int(pathlib.Path("/proc/meminfo").read_text().split()[1]),
        "load_before": os.getloadavg(),
        "stolen_before": stolen,
        "ticks_before": ticks,
        "drawbar": _first_line(program, "--version"),
        "commit": _first_line("git", "-C", str(pathlib.Path(__file__).parent), "describe", "--always", "--dirty"),
        "packages": _versions([*SERVER_PACKAGES, *(name for subject in subjects for name in subject.packages)]),
    }


def later_facts(before):
    stolen, ticks = _stolen_ticks()
    share = (stolen - before.pop("stolen_before")) / max(1, ticks - before.pop("ticks_before"))
    return {"load_after": os.getloadavg(), "stolen_share": round(share, 4)}
