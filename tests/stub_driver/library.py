"""Compiles the stub, and runs functions of tests in processes whose driver it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent / "libcuda.c"
REPOSITORY = Path(__file__).parents[2]


def compiler() -> list[str]:
    """The machine's C compiler, or else the one from PyPI."""
    found = shutil.which("cc")
    return [found] if found else [sys.executable, "-m", "ziglang", "cc"]


def build(folder: Path, command: list[str]) -> None:
    """Compiles `libcuda.so.1` into a folder."""
    options = ["-O1", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"]
    target = str(folder / "libcuda.so.1")
    subprocess.run([*command, *options, "-o", target, str(SOURCE), "-ldl"], check=True)


def image_of(*kernels: str) -> bytes:
    """What the stub takes for machine code: an ELF header, and the names of sections."""
    head = bytearray(64)
    head[:4] = b"\x7fELF"
    names = "".join(f"\0.text.{kernel}" for kernel in kernels).encode() + b"\0"
    # Where the file ends, as the place of a table of no entries.
    head[0x28:0x30] = (len(head) + len(names)).to_bytes(8, "little")
    return bytes(head) + names


def kernel_lines(image: bytes, kernels: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What the stub has to know of the kernels of an image, as the manifest of a pack has them."""
    return [_line(zlib.crc32(image), name, known) for name, known in kernels.items()]


def _line(crc: int, name: str, known: Mapping[str, Any]) -> str:
    shape = (*(known["block"] or (0, 0, 0)), *(known["cluster"] or (0, 0, 0)))
    numbers = (known["static_shared"], *shape, int(known["grid_counts_clusters"]))
    sizes = [f"{offset}:{size}" for offset, size in known["parameters"]]
    return " ".join([f"{crc:x}", name, *map(str, numbers), *sizes])


@dataclass(frozen=True)
class Stub:
    """The compiled stub in its folder."""

    folder: Path

    def environment(self, settings: Mapping[str, str], first: Path) -> dict[str, str]:
        """That of a process whose driver is the stub, and whose modules are in `first` if anywhere."""
        path = [str(first), *filter(None, [os.environ.get("PYTHONPATH")])]
        given = {f"STUB_{name.upper()}": value for name, value in settings.items()}
        return {
            **os.environ,
            "LD_LIBRARY_PATH": str(self.folder),
            "PYTHONPATH": os.pathsep.join(path),
            **given,
        }

    def run(self, body: Callable[..., None], *arguments: Any, **settings: str) -> list[str]:
        """Runs a function of a test file in a process of its own; the calls that the stub got.

        Its arguments are written into the text of a program.
        """
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            log.touch()
            code = f"from {body.__module__} import {body.__name__} as body; body(*{arguments!r})"
            done = subprocess.run(
                [sys.executable, "-c", code],
                env=self.environment({**settings, "log": str(log)}, REPOSITORY),
                cwd=REPOSITORY,
                capture_output=True,
                text=True,
                check=False,
            )
            calls = log.read_text()
            assert done.returncode == 0, done.stdout + done.stderr + calls[-2000:]
            return calls.splitlines()
