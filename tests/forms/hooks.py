"""Functions and methods whose calls are steps: they are replaced in the process of the tests."""

from __future__ import annotations

import copy
import functools
import importlib
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, is_dataclass, replace
from io import StringIO
from itertools import islice
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.emulator.launch import Module
from tileir_xdsl.emulator.tensor_maps import TensorMap
from tileir_xdsl.explain import COLLECTED, collecting_reports
from tileir_xdsl.transforms.function_pass import FunctionPass
from tileir_xdsl.verification import verify_module

from .digests import UnkeyedError, array_outcome, data_digest, digest, ir_digest, ops_in
from .neighbours import change, changed_ptx
from .recorder import RECORDER

Function = Callable[..., Any]
_PACKAGE = "tileir_xdsl"
_INEXACT = re.compile(r"\.approx|\.full|mma|tanh|ex2|lg2|rsqrt|\.(sin|cos)\b")
"""In PTX: what the emulator leaves to functions of numpy whose last bits differ by platform."""
_UNSTABLE = (RecursionError, MemoryError)
"""Exceptions that depend on the machine."""


@dataclass(frozen=True)
class Step:
    """What is noted of the calls of a function."""

    name: Callable[..., str]
    """From the arguments."""
    key: Callable[..., bytes]
    """A digest of the arguments; raises UnkeyedError where they have none."""
    text: Callable[..., str]
    """The output as text, from what is returned and the arguments."""
    value: Callable[..., bytes] | None = None
    """A digest of the output, from the same; by default that of its text."""

    nearby: Callable[..., None] | None = None
    """Notes the function on neighbours of the arguments, given it and the key."""

    def digest_of(self, result: object, *args: object, **options: object) -> bytes:
        """The digest of an output."""
        if self.value is None:
            return digest(self.text(result, *args, **options))
        return self.value(result, *args, **options)


def noted(function: Function, step: Step) -> Function:
    """A function whose calls are noted; what it raises is an output as well."""

    @functools.wraps(function)
    def wrapper(*args: Any, **options: Any) -> Any:
        if not RECORDER.is_on or not RECORDER.wants(name := step.name(*args, **options)):
            return function(*args, **options)
        try:
            key = digest(name, step.key(*args, **options))
        except UnkeyedError:
            return function(*args, **options)
        if step.nearby is not None:
            step.nearby(function, key, *args, **options)
        try:
            result = function(*args, **options)
        except _UNSTABLE:
            raise
        except Exception as error:
            text = _said_by(error)
            RECORDER.note(name, key, digest("raised", text))
            if RECORDER.show is not None:
                RECORDER.show(name, key, lambda: text)
            raise
        try:
            RECORDER.note(name, key, step.digest_of(result, *args, **options))
        except UnkeyedError:
            return result
        if RECORDER.show is not None:
            RECORDER.show(name, key, lambda: step.text(result, *args, **options))
        return result

    return wrapper


NEIGHBOURS = 2
"""Of an input."""
MOST_OPS = 120
"""Of a module that has neighbours."""
MOST_TIME = 0.15
"""Processor seconds that a step may take on a neighbour that is stored."""
TIME_LIMIT = 10.0
"""Processor seconds after which a step on a neighbour is ended; a fault may make it endless."""


class _EndlessError(Exception):
    """A step on a neighbour has taken too long."""


def near_keys(key: bytes, count: int) -> Iterator[bytes]:
    """The keys of neighbours of an input that are to be noted, which also are their seeds."""
    keys = (digest(key, f"neighbour {number}") for number in range(count))
    return (near for near in keys if RECORDER.is_known(near))


def note_nearby(name: str, key: bytes, run: Callable[[], bytes], text: Callable[[], str]) -> None:
    """Notes a step on a neighbour, which may raise anything."""
    RECORDER.is_on = False
    start = time.process_time()
    try:
        # What a neighbour tells is not for whoever looks at what the test has a step tell.
        with (
            _limited(TIME_LIMIT),
            collecting_reports(),
            redirect_stdout(StringIO()),
            redirect_stderr(StringIO()),
        ):
            value = run()
    # Warnings of numpy depend on its version.
    except (*_UNSTABLE, Warning):
        return
    except Exception as error:
        value = digest("raised", _said_by(error))
    finally:
        RECORDER.is_on = True
    if RECORDER.is_compared or time.process_time() - start <= MOST_TIME:
        RECORDER.note(name, key, value)
        if RECORDER.show is not None:
            RECORDER.show(name, key, text)


@contextmanager
def _limited(seconds: float) -> Generator[None]:
    """Raises _EndlessError in what takes more processor time."""

    def end(*_: object) -> None:
        raise _EndlessError

    old = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)


def _said_by(error: Exception) -> str:
    """What an exception says; only its class if it is one of Python, whose words vary by version."""
    name, module = type(error).__name__, type(error).__module__
    return f"{name}: {error}" if module.startswith((_PACKAGE, "xdsl")) else name


_installed: list[bool] = []
"""Not empty where steps are noted already."""


def install() -> None:
    """Notes steps from here on; to be called before test modules are imported."""
    if _installed:
        return
    _installed.append(True)
    _note_passes()
    _note_emulator()
    importlib.import_module("tileir_xdsl.interpreters")
    for module, name, step in _FUNCTIONS:
        _replace(getattr(importlib.import_module(module), name), step)
    Parser.parse_module = noted(Parser.parse_module, _PARSER)


def _replace(function: Function, step: Step) -> None:
    """Notes a function wherever a module that is imported has it."""
    wrapper = noted(function, step)
    for name, module in list(sys.modules.items()):
        if name.startswith(_PACKAGE):
            for attribute, held in list(vars(module).items()):
                if held is function:
                    setattr(module, attribute, wrapper)


# Passes


_PIPELINE = "tileir-pipeline"
"""The pass that runs others, which are noted themselves."""

_noted: set[type[ModulePass]] = set()
"""The classes of passes that are noted."""


def _note_passes() -> None:
    """All passes of the package, also those whose modules are imported later."""
    for known in list(_subclasses(ModulePass)):
        _note_pass(known)

    def init_subclass(cls: type[ModulePass], **options: object) -> None:
        super(ModulePass, cls).__init_subclass__(**options)
        _note_pass(cls)

    setattr(ModulePass, "__init_subclass__", classmethod(init_subclass))  # noqa: B010


def _subclasses(cls: type[ModulePass]) -> Iterator[type[ModulePass]]:
    for subclass in cls.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _note_pass(cls: type[ModulePass]) -> None:
    if cls is FunctionPass or not (cls.__module__.startswith(_PACKAGE) or cls is CanonicalizePass):
        return
    # Of a pass on functions the road calls one, and whoever runs the pass by itself the other.
    name = "apply_to" if "apply_to" in vars(cls) else "apply"
    # What is run by itself is a subclass that checks the level first.
    if name in vars(cls) and _noted.isdisjoint(cls.__mro__):
        _noted.add(cls)
        setattr(cls, name, noted(_explained(vars(cls)[name]), _PASS))


def _explained(function: Function) -> Function:
    """A pass whose decisions and reasons are returned: they are part of what it makes."""

    @functools.wraps(function)
    def explained(module_pass: ModulePass, *args: object) -> str:
        is_asked = getattr(module_pass, "explain", "") is not None
        # The whole pipeline writes its report to a folder.
        is_asked = is_asked or module_pass.name == _PIPELINE
        if is_asked or not RECORDER.is_on or not is_dataclass(module_pass):
            function(module_pass, *args)
            return ""
        with collecting_reports() as reports:
            function(replace(module_pass, explain=COLLECTED), *args)
        return "".join(report.as_text() for report in reports)

    return explained


def _module_of(args: Sequence[object]) -> ModuleOp:
    """The module among the arguments of a pass: `apply` has it last, `apply_to` first."""
    return next(arg for arg in args if isinstance(arg, ModuleOp))


def _pass_name(module_pass: ModulePass, *_: object) -> str:
    return module_pass.name


def _pass_key(module_pass: ModulePass, *args: object) -> bytes:
    scopes = [str(len(cast(Sequence[object], arg))) for arg in args if isinstance(arg, Sequence)]
    return digest(repr(module_pass), ir_digest(_module_of(args)), *scopes)


def _pass_value(explained: str, _: ModulePass, *args: object) -> bytes:
    return digest(ir_digest(_module_of(args)), explained)


def _pass_text(explained: str, _: ModulePass, *args: object) -> str:
    return f"{explained}{_module_of(args)}"


def _pass_nearby(function: Function, key: bytes, module_pass: ModulePass, *args: object) -> None:
    module = _module_of(args)
    writes = getattr(module_pass, "explain", None) not in (None, COLLECTED)
    if writes or module_pass.name == _PIPELINE or not RECORDER.wants(f"near {module_pass.name}"):
        return
    size = sum(1 for _ in islice(ops_in(module), MOST_OPS + 1))
    for near in near_keys(key, NEIGHBOURS if size <= MOST_OPS else 0):
        other = module.clone()
        others = [_nearby_argument(arg, other) for arg in args]

        def run(
            other: ModuleOp = other, seed: bytes = near, others: list[object] = others
        ) -> bytes:
            if (problem := _changed(other, seed)) is not None:
                return problem
            return _pass_value(function(module_pass, *others), module_pass, *others)

        note_nearby(module_pass.name, near, run, lambda other=other: _generic_text(other))


def _generic_text(module: ModuleOp) -> str:
    """A module that may be invalid: the syntax of its ops may need what they lack."""
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


def _changed(module: ModuleOp, seed: bytes) -> bytes | None:
    """Changes one thing in a module; a digest of what is wrong with it then, if anything is."""
    change(module, seed)
    try:
        verify_module(module)
    except VerifyException as error:
        return digest("invalid", str(error))
    return None


def _nearby_argument(arg: object, other: ModuleOp) -> object:
    """An argument of a pass, for another module in place of its own."""
    match arg:
        case ModuleOp():
            return other
        case Sequence():
            return (other,)
        case _:
            return arg


_PASS = Step(_pass_name, _pass_key, _pass_text, _pass_value, _pass_nearby)


# The reader of text, the PTX backend and bytecode


def _always(name: str) -> Callable[..., str]:
    """The name of a step that is always the same."""

    def same(*_: object, **_options: object) -> str:
        return name

    return same


def _module_text(module: ModuleOp, *_: object, **_options: object) -> str:
    return str(module)


def _module_value(module: ModuleOp, *_: object, **_options: object) -> bytes:
    return ir_digest(module)


def _parser_key(parser: Parser, *_: object, **_options: object) -> bytes:
    """The text that a parser reads, and its name: diagnostics have it."""
    source = parser.lexer.input
    if os.path.isabs(source.name):
        raise UnkeyedError("a path that differs by machine")
    return digest(str(source.name), source.content)


def _ptx_key(module: ModuleOp, target: Any, version: object, **options: object) -> bytes:
    return digest(ir_digest(module), target.name, repr(version), repr(options.get("lineinfo")))


def _ptx_text(parts: Any, *_: object, **_options: object) -> str:
    return parts.text


def _writer_key(module: ModuleOp, version: str) -> bytes:
    return digest(ir_digest(module), str(version))


def _writer_text(data: bytes, *_: object) -> str:
    lines = (data[start : start + 16] for start in range(0, len(data), 16))
    return "\n".join(line.hex(" ") for line in lines)


def _writer_nearby(function: Function, key: bytes, module: ModuleOp, version: str) -> None:
    for near in near_keys(key, NEIGHBOURS):
        other = module.clone()

        def run(other: ModuleOp = other, seed: bytes = near) -> bytes:
            problem = _changed(other, seed)
            return digest(_writer_text(function(other, version))) if problem is None else problem

        note_nearby("bytecode writer", near, run, lambda other=other: _generic_text(other))


def _reader_key(data: bytes, *name: str, **options: str) -> bytes:
    return digest(data, repr((name, options)))


_PARSER = Step(_always("parser"), _parser_key, _module_text, _module_value)


# Kernels that run


def _arrays(args: Sequence[object]) -> list[NDArray[np.generic]]:
    found = [arg.array if isinstance(arg, TensorMap) else arg for arg in args]
    return [each for each in found if isinstance(each, np.ndarray)]


_WATCHED = ("watch", "listeners", "time_limit", "undefined")
"""Options of a launch whose results are elsewhere, or depend on the machine."""


def _options_key(options: Mapping[str, object]) -> bytes:
    if any(options.get(name) for name in _WATCHED):
        raise UnkeyedError("watched")
    open_ = ("output", "progress")
    return data_digest({name: value for name, value in options.items() if name not in open_})


def _printed(options: Mapping[str, object]) -> str:
    output = options.get("output")
    return output.getvalue() if isinstance(output, StringIO) else ""


def _interpreter_key(module: ModuleOp, *args: object, **options: object) -> bytes:
    return digest(ir_digest(module), data_digest(args), _options_key(options))


def _launch_value(
    exactly: bool, result: object, args: Sequence[object], options: Mapping[str, object]
) -> bytes:
    arrays = [array_outcome(array, exactly=exactly) for array in _arrays(args)]
    return digest(data_digest(result), *arrays, _printed(options))


def _interpreter_value(
    result: None, _: object, _kernel: object, _grid: object, args: Sequence[object], **options: Any
) -> bytes:
    return _launch_value(False, result, args, options)


def _launch_text(
    result: object,
    _: object,
    _kernel: object,
    _grid: object,
    args: Sequence[object],
    **options: Any,
) -> str:
    with np.printoptions(threshold=1 << 20, linewidth=100):
        return "\n".join((str(result), _printed(options), *map(str, _arrays(args))))


_texts: WeakKeyDictionary[Module, tuple[bytes, bool, str]] = WeakKeyDictionary()
"""Of modules in the emulator: a digest of the text, whether what it computes is exact, the text."""


def _note_emulator() -> None:
    load = Module.__init__

    def loaded(module: Module, text: str) -> None:
        load(module, text)
        _texts[module] = digest(text), _INEXACT.search(text) is None, text

    setattr(Module, "__init__", noted(loaded, _LOADING))  # noqa: B010
    setattr(Module, "launch", noted(Module.launch, _EMULATOR))  # noqa: B010


def _loading_key(_: Module, text: str) -> bytes:
    return digest(text)


def _loading_text(_: None, module: Module, _text: str) -> str:
    return repr(module.kernels)


def _loading_value(_: None, module: Module, _text: str) -> bytes:
    return digest(repr(sorted(module.kernels)))


def _emulator_key(module: Module, *args: object, **options: object) -> bytes:
    return digest(_texts[module][0], data_digest(args), _options_key(options))


def _emulator_value(
    result: object,
    module: Module,
    _kernel: object,
    _grid: object,
    args: Sequence[object],
    **options: Any,
) -> bytes:
    return _launch_value(_texts[module][1], result, args, options)


def _emulator_nearby(
    _: Function,
    key: bytes,
    module: Module,
    kernel: str | None,
    grid: Any,
    args: Sequence[Any],
    **options: Any,
) -> None:
    text = _texts[module][2]
    if len(text) > _MOST_TEXT or not RECORDER.wants("near emulator"):
        return
    for near in near_keys(key, NEIGHBOURS):
        changed, copies = changed_ptx(text, near), copy.deepcopy(list(args))
        limited = {**options, "step_limit": _MOST_STEPS, "output": StringIO()}

        def run(
            changed: str = changed, copies: list[Any] = copies, limited: dict[str, Any] = limited
        ) -> bytes:
            other = Module(changed)
            result = other.launch(kernel, grid, copies, **limited)
            return _launch_value(_texts[other][1], result, copies, limited)

        note_nearby("emulator", near, run, lambda changed=changed: changed)


_MOST_TEXT = 12_000
"""Characters of PTX that has neighbours."""
_MOST_STEPS = 20_000
"""Instructions that neighbours of a kernel issue, which may be endless."""

_LOADING = Step(_always("PTX reader"), _loading_key, _loading_text, _loading_value)
_EMULATOR = Step(
    _always("emulator"), _emulator_key, _launch_text, _emulator_value, _emulator_nearby
)

_FUNCTIONS = (
    (
        "tileir_xdsl.backend.ptx.target",
        "module_parts",
        Step(_always("PTX"), _ptx_key, _ptx_text),
    ),
    (
        "tileir_xdsl.bytecode.writer",
        "write",
        Step(_always("bytecode writer"), _writer_key, _writer_text, nearby=_writer_nearby),
    ),
    (
        "tileir_xdsl.bytecode.reader",
        "read",
        Step(_always("bytecode reader"), _reader_key, _module_text, _module_value),
    ),
    (
        "tileir_xdsl.interpreters",
        "launch",
        Step(_always("interpreter"), _interpreter_key, _launch_text, _interpreter_value),
    ),
)
"""The modules and names of functions whose calls are steps."""
