"""Finds and runs NVIDIA's PTX assembler, and parses its resource report.

`ptxas` comes with the package `nvidia-cuda-nvcc`. Without that package, `ptxas` is searched on
PATH, then in the toolkit that CUDA_HOME names.
"""

import importlib.util
import os
import re
from dataclasses import dataclass
from pathlib import Path

from tileir_xdsl.targets import assembled_as


class ToolNotFoundError(RuntimeError):
    """A tool of the CUDA toolkit is not installed."""


class AssemblyError(RuntimeError):
    """`ptxas` rejected the PTX; the message is its error output."""


@dataclass(frozen=True)
class KernelResources:
    """The report of `ptxas -v` for one kernel: registers and bytes per thread."""

    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    static_shared: int = 0
    """Bytes of static shared memory of a thread block."""

    @property
    def spills(self) -> int:
        """The bytes of registers that are spilled: stored and loaded again."""
        return self.spill_stores + self.spill_loads


@dataclass(frozen=True)
class Assembly:
    """One assembled PTX module: the cubin, resources by kernel, and the assembler's messages."""

    cubin: bytes
    kernels: dict[str, KernelResources]
    report: str


def find_tool(name: str, package: str) -> Path:
    """The path of an executable, e.g. `ptxas`: in `nvidia/*/bin`, on PATH, or below CUDA_HOME.

    Raises ToolNotFoundError, naming the Python `package` to install, if it is not found.
    """
    spec = importlib.util.find_spec("nvidia")
    folders = () if spec is None else spec.submodule_search_locations or ()
    found = sorted(path for folder in folders for path in Path(folder).glob(f"*/bin/{name}"))
    if found:
        return found[-1]
    # Where the package is installed, nothing else is searched.
    import shutil

    toolkit = os.environ.get("CUDA_HOME")
    elsewhere = shutil.which(name) or (toolkit and shutil.which(name, path=f"{toolkit}/bin"))
    if not elsewhere:
        raise ToolNotFoundError(
            f"{name} not found: install the package {package}, or put {name} on PATH or into the "
            "folder bin of CUDA_HOME"
        )
    return Path(elsewhere)


def ptxas_path() -> Path:
    """The path of `ptxas`; raises ToolNotFoundError when it is not installed."""
    return find_tool("ptxas", "nvidia-cuda-nvcc")


_KERNEL = re.compile(
    r"Function properties for (?P<name>\S+)\n"
    r"\s*(?P<stack>\d+) bytes stack frame, (?P<spill_stores>\d+) bytes spill stores, "
    r"(?P<spill_loads>\d+) bytes spill loads\n"
    r"[^\n]*Used (?P<registers>\d+) registers(?:[^\n]*?, (?P<static_shared>\d+) bytes smem)?"
)


def parse_report(report: str) -> dict[str, KernelResources]:
    """The resources of each kernel in the text that `ptxas -v` prints."""
    return {
        match["name"]: KernelResources(
            registers=int(match["registers"]),
            stack=int(match["stack"]),
            spill_stores=int(match["spill_stores"]),
            spill_loads=int(match["spill_loads"]),
            static_shared=int(match["static_shared"] or 0),
        )
        for match in _KERNEL.finditer(report)
    }


def assemble(ptx: str, gpu: str, *options: str) -> Assembly:
    """Assembles PTX text for `gpu` (e.g. `sm_90a`) with further `ptxas` options.

    A target variant is assembled as its base target.

    Raises AssemblyError with the assembler's message if it rejects the PTX.
    """
    # Most compilations end with PTX.
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "module.ptx"), Path(folder, "module.cubin")
        source.write_text(ptx, encoding="utf-8")
        given = ["-v", f"-arch={assembled_as(gpu)}", *options]
        command = [str(ptxas_path()), *given, "-o", str(cubin), str(source)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        output = (done.stdout + done.stderr).replace(str(source), "module.ptx")
        if done.returncode != 0:
            raise AssemblyError(output.strip())
        return Assembly(cubin.read_bytes(), parse_report(output), output)
