"""Compiles what it is asked to, in one process that stays: `python bench/compile_worker.py`.

Each line of the standard input is a GPU and the path of a bytecode file; the answer is a line with
the processor seconds from the bytes to PTX, the most memory that the process held meanwhile in MB,
and the path of the PTX, or `refused` and why.
`bench.compile_time` starts one worker for each checkout that it compares, with `PYTHONPATH` set to
that, so that nothing here but the package is imported.
"""

import gc
import sys
import time
from pathlib import Path

from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.reader import new_context, read_bytecode


def peak_megabytes() -> float:
    """The most memory that this process has held since `forget_peak`, with all that it imported.

    `getrusage` would count that of its parent.
    """
    status = Path("/proc/self/status").read_text("utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def forget_peak() -> None:
    """Begins anew with `peak_megabytes`: see proc(5) on `clear_refs`."""
    Path("/proc/self/clear_refs").write_text("5", "utf-8")


def main() -> None:
    """Answers requests until there are no more."""
    context = new_context()
    for line in sys.stdin:
        gpu, path = line.split(maxsplit=1)
        source = Path(path.strip())
        data = source.read_bytes()
        gc.collect()
        forget_peak()
        start = time.process_time()
        try:
            module = read_bytecode(data, source.name)
            ptx = lower(context, module, "ptx", gpu=gpu, file=source.name).ptx
        except InputError as error:
            print("refused", " ".join(str(error).split()), flush=True)
            continue
        seconds = time.process_time() - start
        target = source.with_suffix(".ptx")
        target.write_text(ptx or "", encoding="utf-8")
        print(seconds, peak_megabytes(), target, flush=True)


if __name__ == "__main__":
    main()
