"""`cutile_call` of `cuda.tile.jax` on the CPU: a callback from jax launches the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from tileir_xdsl.cutile.frontend import FRONTEND
from tileir_xdsl.frontends.interface import Handler, Launch
from tileir_xdsl.frontends.patching import patched
from tileir_xdsl.runtime.launching import as_grid

_Made = Callable[[Sequence[Any], Sequence[Any]], Any]
"""A function from the arrays that jax passes, and those returned, to an argument of a launch."""


def install(handler: Handler) -> Callable[[], None]:
    """Replaces `cutile_call`, so that the handler launches the kernel when jax executes the
    call.
    """
    module: Any = import_module("cuda.tile.jax")
    if not module._jax.HAS_JAX:
        return lambda: None
    jax: Any = import_module("jax")

    def cutile_call(grid: Sequence[int], kernel: Any, args: tuple[Any, ...]) -> Any:
        """Launches a kernel from a graph of jax on arrays of the host, with cuTile's signature."""
        inputs: list[Any] = []
        outputs: list[Any] = []

        def placed(value: Any) -> _Made:
            """Returns the function that makes an argument from the arrays of an execution."""
            if isinstance(value, tuple):
                items = [placed(item) for item in value]
                return lambda given, made: tuple(item(given, made) for item in items)
            if isinstance(value, module.OutputPlaceholder | module.InputOutput):
                number = len(outputs)
                like = value.array if isinstance(value, module.InputOutput) else value
                outputs.append(jax.ShapeDtypeStruct(like.shape, like.dtype))
                if like is value:
                    return lambda _given, made: made[number]
                source = placed(like)
                return lambda given, made: _filled(made[number], source(given, made))
            if isinstance(value, jax.Array):
                position = len(inputs)
                inputs.append(value)
                return lambda given, _made: given[position]
            return lambda _given, _made: value

        def execute(*given: Any) -> list[Any]:
            made = [np.empty(each.shape, each.dtype) for each in outputs]
            arrays = [np.asarray(each) for each in given]
            values = [each(arrays, made) for each in described]
            handler.launched(Launch(FRONTEND, kernel, as_grid(grid), values))
            return made

        described = [placed(value) for value in args]
        results = jax.pure_callback(execute, outputs, *inputs)
        return results[0] if len(results) == 1 else tuple(results)

    undos = [patched(each, {"cutile_call": cutile_call}) for each in (module, module._jax)]

    def undo() -> None:
        for each in undos:
            each()

    return undo


def _filled(array: Any, values: Any) -> Any:
    array[...] = values
    return array
