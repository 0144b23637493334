"""The table of forms: each one is exercised by a test, and accepted by ptxas as the tests use it."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.unit.emulator import kernels, test_tensor_boxes, test_vectors
from tests.unit.emulator.assembler import assemble
from tests.unit.emulator.instructions import (
    cases,
    test_asynchronous,
    test_atomics,
    test_bulk_copy,
    test_byte_matrix,
    test_calls,
    test_carry,
    test_cluster,
    test_cluster_launch,
    test_comparison,
    test_conversion,
    test_data_movement,
    test_floating_point,
    test_integer,
    test_logic,
    test_matrix,
    test_mbarrier,
    test_multimem,
    test_scaled_matrix,
    test_small_floats,
    test_sparse_matrix,
    test_sparse_scaled_matrix,
    test_sparse_scaled_tcgen05_mma,
    test_sparse_tcgen05_mma,
    test_sparse_warpgroup,
    test_tcgen05_mma,
    test_tcgen05_scaled_mma,
    test_tensor_memory,
    test_video,
    test_warp,
    test_warpgroup,
    test_wmma,
)
from tileir_xdsl.emulator.instructions.form import Form
from tileir_xdsl.emulator.instructions.table import FORM_TABLE

_MODULES = (
    test_carry,
    test_integer,
    test_video,
    test_floating_point,
    test_comparison,
    test_logic,
    test_conversion,
    test_small_floats,
    test_data_movement,
    test_matrix,
    test_warp,
)
CASES = tuple(case for module in _MODULES for case in module.CASES)
_TARGETS = sorted({case.target for case in CASES})


@pytest.mark.one_in(3)
@pytest.mark.parametrize("target", _TARGETS)
def test_ptxas_accepts_every_case(target: str, tmp_path: Path):
    chosen = [case for case in CASES if case.target == target]
    assert assemble(cases.module(chosen), target, tmp_path) == ""


_KERNELS = {
    name: text for name, text in vars(kernels).items() if isinstance(text, str) and ".entry" in text
}


@pytest.mark.parametrize("name", _KERNELS)
def test_ptxas_accepts_every_kernel(name: str, tmp_path: Path):
    target = "sm_90a" if ".target sm_90a" in _KERNELS[name] else "sm_90"
    assert assemble(_KERNELS[name], target, tmp_path) == ""


def built_kernels() -> list[str]:
    """The kernels that tests put together from parts."""
    texts = [
        test_data_movement.access_kernel(mnemonic, load=load)
        for mnemonics, load in (
            (test_data_movement.LOADS, True),
            (test_data_movement.STORES, False),
        )
        for mnemonic in mnemonics
    ]
    texts += [
        test_data_movement.access_kernel(mnemonic, load=load, target="sm_100a")
        for mnemonics, load in (
            (test_data_movement.WIDE_LOADS, True),
            (test_data_movement.WIDE_STORES, False),
        )
        for mnemonic in mnemonics
    ]
    texts += [
        test_atomics.atomic_kernel(
            test_atomics.spelled(op, suffix, type_, space, returns=returns),
            type_,
            space=space,
            returns=returns,
            third=op == "cas",
        )
        for op, suffix, type_ in test_atomics.FORMS
        for space in ("global", "shared")
        for returns in (True, False)
        if returns or op not in ("exch", "cas")
    ]
    texts += [test_data_movement.bulk_store_kernel(x) for x in test_data_movement.BULK_STORES]
    texts += [test_atomics.order_kernel(mnemonic) for mnemonic in test_atomics.ORDERS]
    texts += [test_atomics.vector_kernel(*vector) for vector in test_atomics.VECTORS]
    texts += [test_matrix.kernel_of(mnemonic) for mnemonic in test_matrix.MULTIPLICATIONS]
    texts += [
        test_matrix.smem_kernel(f"{opcode}.sync.aligned.m8n8.x1.shared.b16 {operands};", 1)
        for opcode, operands in (("ldmatrix", "{%x}, [%s]"), ("stmatrix", "[%s], {%x}"))
    ]
    texts += [test_asynchronous.copy_kernel(*copy) for copy in test_asynchronous.COPIES]
    texts += test_bulk_copy.built_kernels() + test_tensor_boxes.built_kernels()
    texts += test_cluster.built_kernels() + test_cluster_launch.built_kernels()
    texts += [test_calls.PRINTED]
    texts += test_multimem.built_kernels()
    texts += [dot.kernel() for dot in test_warpgroup.MMA_OPS]
    texts += [dot.kernel() for dot in test_wmma.MMA_OPS]
    texts += [dot.kernel() for dot in test_scaled_matrix.MMA_OPS]
    texts += [dot.kernel() for dot in test_sparse_matrix.MMA_OPS]
    texts += [dot.kernel() for dot in test_sparse_scaled_matrix.MMA_OPS]
    texts += [dot.kernel() for dot in test_sparse_warpgroup.MMA_OPS]
    texts += test_sparse_tcgen05_mma.built_kernels()
    texts += test_sparse_scaled_tcgen05_mma.built_kernels()
    texts += test_byte_matrix.built_kernels() + test_tcgen05_scaled_mma.built_kernels()
    texts += test_tensor_memory.built_kernels() + test_tcgen05_mma.built_kernels()
    texts += [test_mbarrier.kernel(body) for body, _, _ in test_mbarrier.BODIES.values()]
    texts += [test_mbarrier.kernel(test_mbarrier.PIPELINE, threads=128)]
    texts += [test_warp.partial_warp_kernel(body) for body, _ in test_warp.PARTIAL_WARPS]
    return texts


def by_header(texts: list[str]) -> dict[str, str]:
    """Kernels joined into one module for each header, every name made unique."""
    modules: dict[str, str] = {}
    for index, text in enumerate(texts):
        header, separator, rest = text.strip().partition(".address_size 64\n")
        renamed = re.sub(r"\b(k|table)\b(?=[(\[,;])", rf"\g<1>{index}", rest)
        modules[header + separator] = modules.get(header + separator, "") + renamed
    return modules


_MODULE_TEXTS = by_header(built_kernels())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("header", _MODULE_TEXTS)
def test_ptxas_accepts_built_kernels(header: str, tmp_path: Path):
    target = re.findall(r"\.target (\w+)", header)[0]
    assert assemble(header + _MODULE_TEXTS[header], target, tmp_path) == ""


def other_texts() -> list[str]:
    """The PTX of tests that are not a single instruction."""
    texts = [*_KERNELS.values(), *built_kernels()]
    for module in (test_data_movement, test_matrix):
        texts += re.findall(r'f"""(.*?)"""', Path(str(module.__file__)).read_text(), re.DOTALL)
    texts += [case.text for case in CASES]
    texts += [test_vectors.kernel(body, before) for body, before, _ in test_vectors.BODIES.values()]
    texts += [test_warp.legacy_kernel(body) for body, _ in test_warp.LEGACY]
    return texts


@cache
def used_instructions() -> set[tuple[str, int]]:
    used: set[tuple[str, int]] = set()
    for text in other_texts():
        for line in re.split(r"[;\n{}]\s*(?=[@a-z])", text):
            used.add(cases.opcode_and_operands(line.split(";")[0].strip()))
    return used


@pytest.mark.parametrize("form", FORM_TABLE.forms, ids=lambda form: form.syntax)
def test_every_form_is_exercised(form: Form):
    names, required = form.operand_names
    assert any(
        required <= count <= len(names) and form.qualifiers(mnemonic) is not None
        for mnemonic, count in used_instructions()
    )
