"""The properties of this machine's processor, according to LLVM."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.targets import UnknownTargetError
from tileir_xdsl.targets.cpu import CPUTarget, cpu_target, missing

EXTRA = "cpu"
"""The extra of this package that installs LLVM."""

NEEDS_LLVM = f"needs llvmlite: install the extra `{EXTRA}`"


@cache
def has_llvm() -> bool:
    """Whether LLVM is installed."""
    try:
        llvm()
    except InputError:
        return False
    return True


@cache
def llvm() -> Any:
    """The LLVM bindings, initialised for this machine. Raises InputError without LLVM."""
    try:
        binding = import_module("llvmlite.binding")
    except ImportError:
        raise InputError("cpu", f"{NEEDS_LLVM}, or use the interpreter") from None
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    return binding


def llvm_version() -> str | None:
    """The version of LLVM; None without LLVM."""
    return ".".join(map(str, llvm().llvm_version_info)) if has_llvm() else None


@cache
def machine() -> tuple[str, frozenset[str]]:
    """Architecture and features of this machine. Raises InputError without LLVM."""
    binding = llvm()
    features = binding.get_host_cpu_features()
    architecture = binding.get_process_triple().partition("-")[0]
    if architecture in ("arm64", "aarch64"):
        return "aarch64", frozenset({"neon"})
    return architecture, frozenset(name for name, has in features.items() if has)


@cache
def resolved(name: str) -> CPUTarget:
    """A target by its name; `cpu` is this machine.

    Raises InputError without LLVM, and for an unknown name.
    """
    try:
        return cpu_target(name, *machine())
    except UnknownTargetError as error:
        raise InputError("--gpu", f"{error}") from None


def why_not_here(name: str) -> str | None:
    """Why this machine cannot run code for the target `name`; None if it can.

    Raises InputError for an unknown name.
    """
    if not has_llvm():
        return NEEDS_LLVM
    target = resolved(name)
    if lacks := missing(target, *machine()):
        return f"this processor lacks {', '.join(lacks)}, which {target.name} has"
    return None
