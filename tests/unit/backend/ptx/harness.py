"""Small kernels around a few ops: print them, assemble them with ptxas, run them."""

import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from ml_dtypes import bfloat16
from numpy.typing import NDArray

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing.tools import parse, ptxas_path

Array = NDArray[Any]

GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")

DTYPES: dict[str, Any] = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
"""The array type for a type of the `llvm` dialect."""


def kernel(
    body: str, arguments: str = "", attributes: str = "nvvm.reqntid = array<i32: 64>"
) -> str:
    """The text of a module with the kernel `@k`; `body` ends with a terminator."""
    return f"""
llvm.func @k({arguments}) attributes {{nvvm.kernel, {attributes}}} {{
{body}
}}"""


def elementwise(ops: str, inputs: Sequence[str], output: str) -> str:
    """A kernel that applies `ops` to element tid of each input; they define `%result`.

    The inputs are `%x0`, `%x1`, ... of the given types.
    """
    arguments = [f"%p{n}: !llvm.ptr<1>" for n in range(len(inputs))] + ["%out: !llvm.ptr<1>"]
    lines = ["%tid = nvvm.read.ptx.sreg.tid.x : i32"]
    for n, type in enumerate(inputs):
        lines += [
            f"%q{n} = llvm.getelementptr %p{n}[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {type}",
            f"%x{n} = llvm.load %q{n} : !llvm.ptr<1> -> {type}",
        ]
    lines += [
        ops,
        f"%to = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {output}",
        f"llvm.store %result, %to : {output}, !llvm.ptr<1>",
        "llvm.return",
    ]
    return kernel("\n".join(lines), ", ".join(arguments))


def ptx(text: str, gpu: str = "sm_90a") -> str:
    """The PTX text of a module."""
    return emit(parse(text), gpu)


def assemble(text: str, gpu: str) -> str:
    """Assembles PTX with ptxas; gives what ptxas says. Fails where it rejects the text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ptx"
        path.write_text(text)
        command = [ptxas_path(), "-v", f"-arch={gpu}", str(path), "-o", "/dev/null"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{result.stdout}{result.stderr}\n{text}"
    return result.stderr


def together(texts: Iterable[str]) -> Iterator[str]:
    """Modules of a kernel `k` as few modules of many: of all that say the same before it."""
    kernels: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        head, entry, body = text.partition(".visible .entry ")
        name = f"k{len(kernels[head])}"
        kernels[head].append(entry + re.sub(r"\bk(?=\(|_param_)", name, body))
    for head, bodies in kernels.items():
        yield head + "\n".join(bodies)


def run(text: str, arguments: Sequence[Any], gpu: str = "sm_90a") -> None:
    """Runs the kernel of a module on one block in the emulator; arrays are updated in place."""
    emulator.load(ptx(text, gpu)).launch(None, (1, 1, 1), arguments)


def evaluate(
    ops: str, inputs: Sequence[tuple[str, Array]], output: str, gpu: str = "sm_90a"
) -> Array:
    """The result of `ops` (see `elementwise`) for up to 64 elements of the inputs."""
    count = len(inputs[0][1])
    padded = [np.resize(array.astype(DTYPES[type]), 64) for type, array in inputs]
    result = np.zeros(64, DTYPES[output])
    run(elementwise(ops, [type for type, _ in inputs], output), [*padded, result], gpu)
    return result[:count]
