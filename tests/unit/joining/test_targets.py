"""A target of an extension: another atom table, assembled as its base, only where it is named."""

from typing import Any, cast

import pytest

from tileir_xdsl import compile
from tileir_xdsl.extension_parts import TargetVariant
from tileir_xdsl.extensions import Extension, register
from tileir_xdsl.joining import register as join
from tileir_xdsl.options import OptionError, Options
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.targets import Feature
from tileir_xdsl.testing.kernels.divisible import FOLDER

MATMUL = (FOLDER / "matmul_f16_warpgroup.mlir").read_text()
VARIANT = TargetVariant("warps", "sm_90a", without_atoms=("wgmma_f16_f16_f32",))
NAMED = Options(extensions=("variants",))


@pytest.fixture(autouse=True)
def _registered() -> None:
    register(Extension("variants", targets=(VARIANT,)))


def test_takes_another_atom():
    ours, theirs = compile(MATMUL, "sm_90a"), compile(MATMUL, "warps", options=NAMED)
    assert "wgmma.mma_async" in ours.text and "mma.sync" not in ours.text
    assert "mma.sync.aligned.m16n8k16" in theirs.text and "wgmma" not in theirs.text
    # Everything else stays, such as how operands are loaded.
    assert "cp.async.bulk.tensor" in theirs.text


def test_is_assembled_as_its_base():
    compiled = compile(MATMUL, "warps", options=NAMED)
    assert (compiled.gpu, ".target sm_90a\n" in compiled.text) == ("warps", True)
    assemble(compiled.text, compiled.gpu)


def test_is_refused_where_its_extension_is_not_named():
    compile(MATMUL, "warps", options=NAMED)
    with pytest.raises(
        CompileError, match="'warps' is of extension 'variants', which the options do not name"
    ):
        compile(MATMUL, "warps")


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        (TargetVariant("mine", "sm_99"), "'mine' is a variant of 'sm_99', which is not a target"),
        (TargetVariant("sm_80", "sm_90"), "there already is a target 'sm_80'"),
        (TargetVariant("mine", "sm_80", without_atoms=("wgmma_f16",)), "without 'wgmma_f16'"),
        (TargetVariant("mine", "sm_80", without_atoms=("ldg_128",)), "without 'ldg_128'"),
        (
            TargetVariant("mine", "sm_80", without_features=cast(Any, ("wgmma",))),
            r"without 'wgmma': expected one such as Feature\.CP_ASYNC",
        ),
        (TargetVariant("mine", "sm_80", limits={"warps": 1}), "there is no such limit"),
        (
            TargetVariant("mine", "sm_80", limits={"max_threads_per_block": 4096}),
            "a limit max_threads_per_block of 4096: sm_80 has 1024",
        ),
        (TargetVariant("mine", "sm_80", cost_weights={"disk": 1.0}), "there is no such weight"),
        (
            TargetVariant("mine", "sm_80", without_features=(Feature.WGMMA,)),
            "without wgmma, which sm_80 lacks",
        ),
    ],
)
def test_a_wrong_one_is_refused(variant: TargetVariant, message: str):
    with pytest.raises(OptionError, match=message):
        join(Extension("wrong", targets=(variant,)))


def test_lower_limits_are_kept():
    small = TargetVariant("small", "sm_90a", limits={"shared_memory_per_multiprocessor": 32 * 1024})
    register(Extension("small", targets=(small,)))
    compiled = compile(MATMUL, "small", options=Options(extensions=("small",)))
    assert 0 < compiled.shared_bytes() <= 31 * 1024 < compile(MATMUL, "sm_90a").shared_bytes()
