"""Runs a command and prints its exit code, peak memory and CPU time; a process of its own for that.

The peak that the system reports for a child is never below that of the process that started it,
so a small process has to start what is measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys


def main() -> None:
    """Runs the command in the arguments; its standard input is passed on."""
    with subprocess.Popen(
        sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    result = {
        "exit_code": process.returncode,
        "megabytes": usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10),
        "seconds": usage.ru_utime + usage.ru_stime,  # not of others who share the processors
        "output": output.decode("utf-8", "replace"),
    }
    print(json.dumps(result))  # noqa: T201


if __name__ == "__main__":
    main()
