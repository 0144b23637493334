"""The kernels that are damaged: one of every instruction, and those of real programs."""

from __future__ import annotations

from functools import cache

from tests.kernel_generators import CASES
from tests.unit.emulator import kernels, sound_kernels
from tests.unit.emulator.instructions import cases, test_table
from tests.unit.road.zoo import gpus_of
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.pipeline_road import passes

_PIPELINED = ("matmul_bf16", "attention", "persistent_matmul", "softmax_online", "split_k_matmul")


@cache
def instruction_kernels() -> tuple[str, ...]:
    """Small kernels in which every form of the emulator occurs."""
    texts = [
        text
        for module in (kernels, sound_kernels)
        for text in vars(module).values()
        if isinstance(text, str) and ".entry" in text
    ]
    texts += test_table.built_kernels()
    texts += [cases.module([case]) for case in test_table.CASES]
    return tuple(dict.fromkeys(texts))


@cache
def generated_kernels() -> tuple[str, ...]:
    """Products, attention and transposes with pipelines, tensor copies and agents."""
    return tuple(case.ptx() for case in CASES.values())


@cache
def zoo_kernels(count: int) -> tuple[str, ...]:
    """The PTX of kernels of the zoo, those with pipelines first, on targets in turn."""
    names = sorted(KERNELS, key=lambda name: (name not in _PIPELINED, name))
    texts: list[str] = []
    for index, name in enumerate(names[:count]):
        gpus = gpus_of(KERNELS[name])
        gpu = gpus[-1 - index % len(gpus)]
        module = tools.parse(KERNELS[name].text_path.read_text())
        for module_pass in passes(gpu):
            module_pass.apply(tools.context(), module)
        texts.append(emit(module, gpu))
    return tuple(texts)
