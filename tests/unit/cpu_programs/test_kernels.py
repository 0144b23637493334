"""Kernels of the zoo as code of this processor, next to the interpreter."""

from typing import cast

import numpy as np
import pytest
from xdsl.ir import Operation

from tests.cpu_programs.kernels import check_kernel, inputs_of
from tests.unit.cpu_programs.test_comparison import usable
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.elementwise import ELEMENTWISE, Emit

NAMES = sorted(KERNELS)


@pytest.mark.one_in(40)
@pytest.mark.parametrize("name", NAMES)
def test_code_computes_what_the_interpreter_does(name: str) -> None:
    processors = usable()
    if processors:
        processor = processors[NAMES.index(name) % len(processors)]
        assert check_kernel("zoo", name, processor, inputs=4, level=1).failure is None


def test_another_meaning_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    emitters = cast(dict[type[Operation], Emit], ELEMENTWISE)
    monkeypatch.setitem(emitters, nv_tileaa.AddFOp, emitters[nv_tileaa.SubFOp])
    for processor in usable()[:1]:
        failure = check_kernel("zoo", "vector_add", processor, inputs=2, level=1).failure
        assert failure is not None and failure.startswith("input 1: AssertionError: argument 2")


def test_some_inputs_have_special_floats() -> None:
    case = KERNELS["vector_add"]
    assert not any(np.isnan(each).any() for each in inputs_of(case, 5)[:2])
    assert all(np.isnan(each).any() for each in inputs_of(case, 11)[:2])
