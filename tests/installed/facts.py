"""What cuTile, `tileiras` and `ptxas` say they have: names, and what each is compared by."""

from __future__ import annotations

import inspect
import pkgutil
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

from tileir_xdsl.testing import tools

Facts = Mapping[str, object]
"""Names of what there is, each with what our tables are searched for."""

FIRST_VERSION = "13.1"
"""Of what names no version that it came with."""

_ENCODER = re.compile(r"encode_(\w+Op)")
_OPCODE = re.compile(r"# Opcode\s+encode_varint\((\d+), ")
_SINCE = re.compile(r"# (?:since )?(\S+)")
_PARAMETER = re.compile(r"^    (\w+): (.*?),(?:\s+# (?:since )?(\S+))?$", re.MULTILINE)

_WORDS = {"index": "indices", "operands": "values", "from": "source"}
"""Members that cuTile calls otherwise than the specification of Tile IR."""


@cache
def _bytecode_modules() -> tuple[Mapping[str, Any], ...]:
    package = import_module("cuda.tile._bytecode")
    names = (found.name for found in pkgutil.iter_modules(package.__path__, "cuda.tile._bytecode."))
    return tuple(vars(import_module(name)) for name in names)


def _encoders() -> Iterator[tuple[str, str, int, str]]:
    """Operations that cuTile writes: name, parameters as text, opcode, and the first version."""
    for name, function in vars(import_module("cuda.tile._bytecode.encodings")).items():
        if (named := _ENCODER.fullmatch(name)) is None:
            continue
        head, _, body = inspect.getsource(function).partition(") ->")
        opcode = _OPCODE.search(body)
        assert opcode is not None, f"{name} writes no opcode"
        first, _, parameters = head.partition("\n")
        since = _SINCE.search(first)
        yield named[1], parameters, int(opcode[1]), since[1] if since else FIRST_VERSION


def snake_case(name: str) -> str:
    """`lower_bound` of `lowerBound`, and `global` of `global_`."""
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower().strip("_")


def cutile_operations() -> Facts:
    """Opcodes, operands and attributes with their first versions: `AddFOp`, `AddFOp.lhs`."""
    found: dict[str, object] = {}
    for operation, parameters, opcode, since in _encoders():
        found[operation] = (opcode, since)
        for name, type_, own in _PARAMETER.findall(parameters):
            if name != "code_builder" and "TypeId" not in type_:
                words = snake_case(name)
                member = (opcode, _WORDS.get(words, words), own or since)
                found[f"{operation}.{name}"] = member
    return found


def cutile_enumerations() -> Facts:
    """Members of every enumeration of bytecode, tags of types included: `SimpleType.F32`."""
    return {
        f"{enum.__name__}.{member.name}": (enum.__name__, _number(member.value))
        for module in _bytecode_modules()
        for enum in module.values()
        if inspect.isclass(enum) and issubclass(enum, Enum)
        for member in enum
        if member.value != b""
    }


def _number(value: bytes | int) -> int:
    """The number of a member, which bytes hold by seven bits, the lowest first."""
    if isinstance(value, int):
        return value
    return sum((byte & 0x7F) << 7 * place for place, byte in enumerate(value))


@cache
def _said_by(path: Callable[[], str], flag: str) -> str:
    done = subprocess.run([path(), flag], capture_output=True, text=True, check=True)
    return done.stdout


def tileiras_versions() -> Facts:
    """Versions of bytecode that `tileiras` reads."""
    return {line: line for line in _said_by(tools.tileiras_path, "--list-versions").split()}


def tileiras_architectures() -> Facts:
    """What `tileiras --gpu-name` takes."""
    return {name: name for flag, name in _tileiras_values() if flag == "gpu-name"}


def tileiras_flags() -> Facts:
    """The flags of `tileiras`, and those with one of the values that they take."""
    text = _said_by(tools.tileiras_path, "--help")
    names = re.findall(r"^  --?([\w-]+)", text, re.MULTILINE)
    values = (f"{flag}={value}" for flag, value in _tileiras_values() if flag != "gpu-name")
    return {name: name for name in (*names, *values)}


def _tileiras_values() -> Iterator[tuple[str, str]]:
    flag = ""
    lines = _said_by(tools.tileiras_path, "--help").splitlines()
    for found in filter(None, (re.match(r"  --?([\w-]+)|    =(\S+)", line) for line in lines)):
        if found[1]:
            flag = found[1]
        else:
            yield flag, found[2]


def ptxas_architectures() -> Facts:
    """The GPUs that `ptxas --gpu-name` takes, without virtual ones."""
    found = re.findall(r"'(sm_\w+)'", _said_by(tools.ptxas_path, "--help"))
    return {name: name for name in found}


def ptxas_flags() -> Facts:
    """The flags of `ptxas`."""
    found = re.findall(r"^--([\w-]+)", _said_by(tools.ptxas_path, "--help"), re.MULTILINE)
    return {name: name for name in found}
