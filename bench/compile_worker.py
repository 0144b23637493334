"""Compiles what it is asked to, in one process that stays: `python bench/compile_worker.py`.

Each line of the standard input is a GPU and the path of a bytecode file; the answer is a line with
the processor seconds from the bytes to PTX, and the path of the PTX, or `refused` and why.
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


def main() -> None:
    """Answers requests until there are no more."""
    context = new_context()
    for line in sys.stdin:
        gpu, path = line.split(maxsplit=1)
        source = Path(path.strip())
        data = source.read_bytes()
        gc.collect()
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
        print(seconds, target, flush=True)


if __name__ == "__main__":
    main()
