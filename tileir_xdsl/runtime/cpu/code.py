"""Compiles LLVM IR to machine code by LLVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tileir_xdsl.runtime.cpu.helpers import HELPER_PREFIX, HELPERS, RUN
from tileir_xdsl.runtime.cpu.host import llvm
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.targets.cpu import CPUTarget

_SYSTEM = "unknown-linux-gnu"
"""Vendor, system and ABI in the target triple of a processor other than this machine's."""


@dataclass(frozen=True)
class MachineCode:
    """The object file of a module, and its assembly text."""

    object: bytes
    assembly: str


def machine_code(text: str, target: CPUTarget, level: int = 3) -> MachineCode:
    """The machine code of a module of LLVM IR, optimised at a level from 0 to 3.

    Raises InputError for a module that LLVM rejects, and without LLVM.
    """
    machine = _target_machine(target, level)
    module = _linked(text, machine)
    _optimise(module, machine, level)
    return MachineCode(machine.emit_object(module), machine.emit_assembly(module))


def object_code(text: str, target: CPUTarget, level: int = 3) -> bytes:
    """Like `machine_code`, but without assembly text."""
    machine = _target_machine(target, level)
    module = _linked(text, machine)
    _optimise(module, machine, level)
    return machine.emit_object(module)


def _target_machine(target: CPUTarget, level: int) -> Any:
    binding = llvm()
    own = binding.get_process_triple()
    is_own = own.startswith(target.architecture)
    triple = own if is_own else f"{target.architecture}-{_SYSTEM}"
    return binding.Target.from_triple(triple).create_target_machine(
        cpu=target.processor,
        features=",".join(target.settings),
        opt=level,
        jit=is_own,
        **({} if is_own else {"reloc": "pic"}),
    )


def _linked(text: str, machine: Any) -> Any:
    """The module, linked with the helper functions and verified."""
    binding = llvm()
    try:
        module = binding.parse_assembly(text)
        # LLVM links nothing that is internal, so the helpers become so afterwards.
        helpers = binding.parse_assembly(HELPERS)
        for each in (module, helpers):
            each.triple, each.data_layout = machine.triple, str(machine.target_data)
        module.link_in(helpers)
        for function in module.functions:
            is_helper = function.name.startswith(HELPER_PREFIX) and function.name != RUN
            if is_helper and not function.is_declaration:
                function.linkage = "internal"
        module.verify()
    except RuntimeError as error:
        raise InputError("LLVM IR", f"{error}") from None
    return module


def _optimise(module: Any, machine: Any, level: int) -> None:
    binding = llvm()
    options = binding.create_pipeline_tuning_options(speed_level=level)
    # Vectors are what the passes made them.
    options.loop_vectorization = False
    options.slp_vectorization = False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
