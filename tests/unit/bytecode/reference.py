"""NVIDIA's tools on bytecode in memory, and the sections of what they produce."""

import struct
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tileir_xdsl.testing import tools


def disassemble(data: bytes, *, debug_info: bool = False) -> str:
    """The text `tileirdisasm` prints; raises CalledProcessError if it rejects `data`."""
    options = ["-g"] if debug_info else []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernels.tileirbc"
        file.write_bytes(data)
        command = [tools.tileirdisasm_path(), *options, str(file)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compile_to_cubin(data: bytes, gpu: str) -> bytes:
    """The cubin `tileiras -O3` makes; raises CalledProcessError if it rejects `data`."""
    with tempfile.TemporaryDirectory() as folder:
        file, cubin = Path(folder) / "kernels.tileirbc", Path(folder) / "kernels.cubin"
        file.write_bytes(data)
        command = [tools.tileiras_path(), "--gpu-name", gpu, "-O3", str(file), "-o", str(cubin)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return cubin.read_bytes()


_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
"""Of a 64-bit ELF file: name, type, flags, address, offset, size, link, info, alignment, entry."""
_NO_BITS = 8


def elf_sections(data: bytes) -> Mapping[str, bytes]:
    """The sections of a 64-bit little-endian ELF file by name."""
    assert data.startswith(b"\x7fELF\x02\x01")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    headers = [_SECTION_HEADER.unpack_from(data, table + 64 * i) for i in range(count)]
    sections: dict[str, bytes] = {}
    for name, kind, _, _, offset, size, *_ in headers:
        start = headers[names][4] + name
        title = data[start : data.index(b"\0", start)].decode()
        sections[title] = b"" if kind == _NO_BITS else data[offset : offset + size]
    return sections
