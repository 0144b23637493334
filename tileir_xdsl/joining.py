"""Registers the dialects, ops and targets of an extension with the levels of the road.

A new extension of the same name replaces the earlier one. A wrong part of an extension is refused
at registration, a missing part where it is first needed. Messages about parts name the op and the
part; `missing_parts` lists all missing parts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

from xdsl.universe import XDSL_UNIVERSE

from tileir_xdsl import extension_parts
from tileir_xdsl.backend.ptx.forms import Form
from tileir_xdsl.backend.ptx.opcodes import OPCODES
from tileir_xdsl.dialects.element_interfaces import ElementwiseOpInterface
from tileir_xdsl.dialects.memory_effects import SharedMemoryOpInterface
from tileir_xdsl.dialects.nv_tileas.strategies import AccessStrategy, Issuer
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy as OurStrategy
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation
from tileir_xdsl.extensions.extension import Extension, PlacedPass
from tileir_xdsl.levels import (
    EXTENSION_DIALECTS,
    EXTENSION_OPS,
    EXTENSION_STRATEGIES,
    LEVELS,
    NV_TILEAS,
    Level,
)
from tileir_xdsl.options import OptionError
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.targets import (
    TARGETS,
    Feature,
    Target,
    forget_variants,
    register_variant,
    variant_origin,
)
from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyKind
from tileir_xdsl.targets.mma import MMA_ATOMS
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.elementwise import LowerElementwise
from tileir_xdsl.transforms.make_extension_ops import make_op_pass
from tileir_xdsl.transforms.tileas_select_lowering.selection import FAMILIES
from tileir_xdsl.universe import DIALECTS

if TYPE_CHECKING:
    from tileir_xdsl.emulator.instructions.form import Form as EmulatorForm
    from tileir_xdsl.emulator.instructions.form import FormTable

TILE_LEVELS = LEVELS[:-1]
"""The levels that interpreters execute."""

THREAD_LEVEL = LEVELS[-1]

OUR_STRATEGIES = frozenset({*OurStrategy, *Issuer, *AccessStrategy})
"""The names of the strategies of this package."""


_FORMS: dict[str, list[EmulatorForm]] = {}
"""The forms of emulated instructions that each extension has registered, by extension name."""

REGISTERED: dict[str, tuple[Extension, Extension]] = {}
"""By name, each extension as registered, and with the passes that make its ops added."""


def register(extension: Extension) -> Extension:
    """Registers all parts of an extension except its passes.

    Returns the extension with the passes that make its ops. Raises OptionError for a wrong part.
    """
    given, taken = REGISTERED.get(extension.name, (None, extension))
    if given is not extension:
        _register(extension)
        made = placed_passes(extension)
        taken = replace(extension, passes=(*extension.passes, *made)) if made else extension
        REGISTERED[extension.name] = (extension, taken)
    return taken


def _register(extension: Extension) -> None:
    dialects = {each.dialect.name: _known_dialect(extension, each) for each in extension.dialects}
    ops = {parts.op: _known_op(extension, dialects, parts) for parts in all_parts(extension)}
    strategies = {each.name: _strategy(extension, each) for each in extension.strategies}
    targets = [_variant(extension, variant) for variant in extension.targets]
    forms = [form for parts in extension.ops for form in _forms(extension, parts)]
    frontends = {each.package: _frontend(extension, each) for each in extension.frontends}
    _check_passes(extension)
    # All is checked by now: an extension is known as a whole, or not at all.
    _forget(extension.name)
    EXTENSION_DIALECTS.update({(extension.name, name): each for name, each in dialects.items()})
    EXTENSION_OPS.update(ops)
    EXTENSION_STRATEGIES.update(strategies)
    extension_parts.EXTENSION_FRONTENDS.update(frontends)
    for target in targets:
        register_variant(target, extension.name)
    for form in forms:
        _form_table().add(form)
    _FORMS[extension.name] = forms


def all_parts(extension: Extension) -> tuple[extension_parts.OpParts, ...]:
    """The parts of all ops of an extension, including its elementary functions."""
    return (*extension.ops, *map(_function_parts, extension.functions))


def placed_passes(extension: Extension) -> tuple[PlacedPass, ...]:
    """The passes, with their places, that make ops of an extension by matching patterns."""
    return tuple(
        PlacedPass(make_op_pass(parts), made.level, before=made.before, after=made.after)
        for parts in all_parts(extension)
        if (made := parts.pattern) is not None
    )


def missing_parts(extension: Extension) -> tuple[str, ...]:
    """One message for each part that the road needs and an op of an extension lacks.

    Ops of an xDSL dialect need no parts: a pass of the extension converts them.
    """
    given = {parts.op: parts for parts in all_parts(extension)}
    return tuple(
        f"'{op.name}' has no {part}"
        for offered in extension.dialects
        if not _is_of_xdsl(offered)
        for op in offered.dialect.operations
        for part in _missing(offered, given.get(op))
    )


def _missing(
    offered: extension_parts.ExtensionDialect, parts: extension_parts.OpParts | None
) -> Iterator[str]:
    if parts is None:
        yield "parts (OpParts)"
        return
    levels = parts.levels or offered.levels
    on_tiles = [level.name for level in TILE_LEVELS if level.name in levels]
    if on_tiles and parts.meaning is None:
        yield "meaning"
    for level, following in pairwise(LEVELS):
        if level.name in levels and not is_lowered(parts, levels, level, following):
            yield f"lowering from {level.name}"
    if THREAD_LEVEL.name in levels:
        instruction = _instruction(parts)
        if not instruction:
            yield "PTX form (ptx)"
        elif not parts.emulator and not _is_emulated(Form(instruction)):
            yield f"form in the emulator of {instruction.split()[0]} (emulator)"


def is_lowered(
    parts: extension_parts.OpParts, levels: Collection[str], level: Level, following: Level
) -> bool:
    """Whether an op is lowered from a level to the next, or is legal at both."""
    if level.name in parts.lowering:
        return True
    is_elementwise = issubclass(parts.op, ElementwiseOpInterface)
    return following.name in levels and (following is not THREAD_LEVEL or is_elementwise)


def _instruction(parts: extension_parts.OpParts) -> str:
    return parts.ptx or (parts.op.PTX if issubclass(parts.op, NVVMOperation) else "")


def _is_emulated(form: Form) -> bool:
    """Whether the emulator executes an instruction; True if its name depends on the op."""
    opcode = form.opcode
    return opcode is None or bool(_form_table().fitting(opcode))


def _refuse(extension: Extension, message: str) -> NoReturn:
    raise OptionError("extensions", extension.name, message)


@cache
def _function_parts(function: extension_parts.ElementaryFunction) -> extension_parts.OpParts:
    """The parts of the op of an elementary function, whose definition implies its lowering."""
    # Most extensions have no functions, and these import many modules.
    from tileir_xdsl.interpreters.math import elementary  # noqa: PLC0415
    from tileir_xdsl.transforms.convert_tileas_to_llvm import math  # noqa: PLC0415

    emitter = math.emitter_of(function.computed)
    return extension_parts.OpParts(
        function.op,
        meaning=elementary(function.function),
        pattern=function.pattern,
        lowering={NV_TILEAS.name: partial(LowerElementwise, emitter=emitter)},
        bound=function.bound,
    )


def _known_dialect(
    extension: Extension, offered: extension_parts.ExtensionDialect
) -> extension_parts.KnownDialect:
    name = offered.dialect.name
    others = (origin for origin, other in EXTENSION_DIALECTS if other == name)
    other = next((origin for origin in others if origin != extension.name), None)
    if other is not None and not _is_of_xdsl(offered):
        _refuse(extension, f"dialect '{name}' is one of extension '{other}'")
    if name in {*DIALECTS, *XDSL_UNIVERSE.all_dialects} and not _is_of_xdsl(offered):
        _refuse(extension, f"there is a dialect '{name}' already")
    return extension_parts.KnownDialect(offered.dialect, extension.name, frozenset(offered.levels))


def _is_of_xdsl(offered: extension_parts.ExtensionDialect) -> bool:
    """Whether a dialect is part of xDSL; several extensions may then use it at a level."""
    name, modules = offered.dialect.name, {op.__module__ for op in offered.dialect.operations}
    is_there = name in XDSL_UNIVERSE.all_dialects and name not in DIALECTS
    return is_there and {module.partition(".")[0] for module in modules} == {"xdsl"}


def _known_op(
    extension: Extension,
    dialects: dict[str, extension_parts.KnownDialect],
    parts: extension_parts.OpParts,
) -> extension_parts.KnownOp:
    op = parts.op
    dialect = dialects.get(op.name.partition(".")[0])
    if dialect is None or op not in dialect.dialect.operations:
        _refuse(extension, f"op '{op.name}' is of no dialect of the extension")
    levels = frozenset(parts.levels or dialect.levels)
    if wrong := sorted(levels - dialect.levels):
        _refuse(extension, f"op '{op.name}' is at level {wrong[0]}, where its dialect is not")
    on_tiles = levels & {level.name for level in TILE_LEVELS}
    if on_tiles and not issubclass(op, SharedMemoryOpInterface):
        _refuse(
            extension,
            f"op '{op.name}' does not say what it does with memory: expected a base such as "
            "ElementwiseOpInterface or RegistersOpInterface",
        )
    if parts.ptx:
        _check_form(extension, parts)
    if wrong := sorted(set(parts.lowering) - levels):
        _refuse(extension, f"op '{op.name}' has a lowering from {wrong[0]}, where it is not")
    return extension_parts.KnownOp(parts, extension.name, levels)


def _strategy(
    extension: Extension, strategy: extension_parts.Strategy
) -> extension_parts.KnownStrategy:
    named = f"strategy '{strategy.name}'"
    other = EXTENSION_STRATEGIES.get(strategy.name)
    if other is not None and other.origin != extension.name:
        _refuse(extension, f"{named} is one of extension '{other.origin}'")
    if strategy.name in OUR_STRATEGIES:
        _refuse(extension, f"there is a {named} already")
    for op in strategy.ops:
        if op not in FAMILIES:
            _refuse(extension, f"{named} is for '{op.name}', which has only one strategy")
    return extension_parts.KnownStrategy(strategy, extension.name)


def _frontend(
    extension: Extension, served: extension_parts.ServedPackage
) -> extension_parts.KnownFrontend:
    other = extension_parts.EXTENSION_FRONTENDS.get(served.package)
    if other is not None and other.origin != extension.name:
        _refuse(extension, f"package '{served.package}' is served by extension '{other.origin}'")
    return extension_parts.KnownFrontend(served, extension.name)


def _check_passes(extension: Extension) -> None:
    """Refuses a pass for an op that no dialect has, since it would never run."""
    own = {each.dialect.name: each.dialect for each in extension.dialects}
    own |= {name: known.dialect for (_, name), known in EXTENSION_DIALECTS.items()}
    for placed in extension.passes:
        for name in sorted(placed.ops or ()):
            prefix = name.partition(".")[0]
            made = DIALECTS.get(prefix) or XDSL_UNIVERSE.all_dialects.get(prefix)
            dialect = own.get(prefix) or (made and made())
            known = [op.name for op in dialect.operations] if dialect else []
            if name not in known:
                hint = did_you_mean(name, known)
                _refuse(
                    extension, f"pass '{placed.name}' is for '{name}', which is not an op{hint}"
                )


MATRIX_COPIES = (CopyKind.LOAD_MATRIX, CopyKind.STORE_MATRIX)
"""The copies that a target variant may exclude by name; features determine all others."""


def _variant(extension: Extension, variant: extension_parts.TargetVariant) -> Target:
    """The target that a `TargetVariant` describes."""
    named = f"target '{variant.name}'"
    if variant.name in TARGETS or variant_origin(variant.name) not in (None, extension.name):
        _refuse(extension, f"there already is a {named}")
    if variant.base not in TARGETS:
        hint = did_you_mean(variant.base, TARGETS)
        _refuse(extension, f"{named} is a variant of '{variant.base}', which is not a target{hint}")
    base = TARGETS[variant.base]
    for atom in variant.without_atoms:
        copy = COPY_ATOMS.get(atom)
        if atom not in MMA_ATOMS and (copy is None or copy.kind not in MATRIX_COPIES):
            hint = did_you_mean(atom, MMA_ATOMS)
            _refuse(
                extension,
                f"{named} is without '{atom}', which is not an atom of an MMA or of "
                f"a copy of matrices{hint}",
            )
    for feature in variant.without_features:
        given: Any = feature
        if not isinstance(given, Feature):
            such = f"Feature.{next(iter(Feature)).name}"
            _refuse(extension, f"{named} is without {given!r}: expected one such as {such}")
        if feature not in base.features:
            _refuse(extension, f"{named} is without {feature.value}, which {base.name} lacks")
    for field, value in variant.limits.items():
        most = getattr(base.limits, field, None)
        if most is None or value > most:
            found = "there is no such limit" if most is None else f"{base.name} has {most}"
            _refuse(extension, f"{named} has a limit {field} of {value}: {found}")
    for field in variant.cost_weights:
        if not hasattr(base.cost_weights, field):
            _refuse(extension, f"{named} has a cost weight {field}: there is no such weight")
    return replace(
        base,
        name=variant.name,
        variant_of=base.name,
        features=base.features.difference(variant.without_features),
        limits=replace(base.limits, **variant.limits),
        cost_weights=replace(base.cost_weights, **variant.cost_weights),
        withheld_atoms=frozenset(variant.without_atoms),
    )


def _check_form(extension: Extension, parts: extension_parts.OpParts) -> None:
    op, form = parts.op, Form(parts.ptx)
    try:
        named = form.names
    except ValueError as error:
        _refuse(extension, f"PTX form of op '{op.name}': {error}")
    if unknown := [name for name in named if name not in dir(op)]:
        _refuse(extension, f"PTX form of op '{op.name}' names '{unknown[0]}', which it lacks")
    # One that is newer than the table is known by its form in the emulator.
    known = OPCODES | {re.split("[. ]", each.syntax)[0] for each in parts.emulator}
    if (root := form.root) and root not in known:
        hint = did_you_mean(root, known)
        _refuse(extension, f"PTX form of op '{op.name}': there is no instruction '{root}'{hint}")


def _forms(extension: Extension, parts: extension_parts.OpParts) -> Iterator[EmulatorForm]:
    """The forms of an instruction in the emulator."""
    if not parts.emulator:
        return
    from tileir_xdsl.emulator.instructions.elementwise import elementwise  # noqa: PLC0415

    for each in parts.emulator:
        form = elementwise(each.syntax, each.signature, each.function)
        if form in _form_table().forms:
            _refuse(extension, f"op '{parts.op.name}': the emulator has '{each.syntax}' already")
        yield form


def _form_table() -> FormTable:
    # The emulator takes longer to import than a small kernel to compile.
    from tileir_xdsl.emulator.instructions.table import FORM_TABLE  # noqa: PLC0415

    return FORM_TABLE


def _forget(origin: str) -> None:
    """Drops all that an earlier version of an extension registered."""
    _drop(EXTENSION_DIALECTS, origin)
    _drop(EXTENSION_OPS, origin)
    _drop(EXTENSION_STRATEGIES, origin)
    _drop(extension_parts.EXTENSION_FRONTENDS, origin)
    forget_variants(origin)
    for form in _FORMS.pop(origin, ()):
        _form_table().remove(form)


def _drop(table: dict[Any, Any], origin: str) -> None:
    for key in [key for key, known in table.items() if known.origin == origin]:
        del table[key]
