"""The native side of a case, run by the native Python, which has all libraries.

Arguments: the folder of the inputs, and the seconds that a job may take. Reads
`{"id", "script", "inputs"}` as JSON, a line a job, and writes one line for each. A job
runs in a fork of an interpreter that has imported what the guest's start image has,
and sees what a script in the room sees.
"""

import json
import os
import resource
import signal
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
import pandas as pd
import pyarrow  # noqa: F401
import scipy.stats  # noqa: F401
import sklearn.linear_model  # noqa: F401
import statsmodels.api  # noqa: F401
from tables import canonical, from_frame, with_warnings

MEMORY = 16 << 30


def answer(job, folder):
    """What the room should say of this script."""
    variables = {"__name__": "__main__", "np": np, "pd": pd, "outputs": {}}
    for name in job["inputs"]:
        variables[name] = pd.read_parquet(Path(folder, f"{name}.parquet"))
    try:
        exec(compile(job["script"], "script.py", "exec", dont_inherit=True), variables)
    except Exception as error:
        return {"raises": type(error).__name__, "message": str(error)[:300]}
    outputs = {name: canonical(from_frame(table)) for name, table in variables["outputs"].items()}
    shown = with_warnings(variables["result"]) if "result" in variables else {}
    return {**shown, **({"outputs": outputs} if outputs else {})}


def in_fork(job, folder, seconds):
    # Libraries have started threads, which a fork does not need.
    warnings.simplefilter("ignore")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(seconds)
        # A script that asks for more has gone wrong; the machine must not.
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        with tempfile.TemporaryDirectory() as scratch, open(writing, "w") as pipe:
            os.chdir(scratch)
            json.dump(answer(job, folder), pipe)
        os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if status == 0 else {"broke": f"status {status}"}


def main():
    folder, seconds = sys.argv[1], int(sys.argv[2])
    for line in iter(sys.stdin.readline, ""):
        sys.stdout.write(json.dumps(in_fork(json.loads(line), folder, seconds)) + "\n")
        sys.stdout.flush()


main()
