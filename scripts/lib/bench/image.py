"""The start image from an empty cache."""

import os
import resource
import subprocess
import time
from pathlib import Path

from figures import Report, Wrong, mb, say

WITHIN = 240


def measure(report: Report, binary: Path, folder: Path, wheel: Path | None):
    say("a start image from an empty cache (minutes)")
    cache = folder / "image-cache"
    command = [binary, "setup", *(["--wheel", wheel] if wheel else [])]
    began = time.perf_counter()
    done = subprocess.run(
        command, env={**os.environ, "DATAROOM_CACHE": str(cache)}, capture_output=True, text=True, check=False
    )
    taken = time.perf_counter() - began
    images = list(cache.glob("start-*.cwasm"))
    if done.returncode or len(images) != 1:
        raise Wrong(f"setup: {done.stderr}")
    # The biggest child by far: everything else here is small.
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    report.add(
        "start image, empty cache" + ("" if wheel else ", download included"), "4 min",
        f"{taken:.0f} s, {mb(most)} memory", taken <= WITHIN,
    )
    report.numbers["image"] = {"seconds": taken, "memory_kib": most}
