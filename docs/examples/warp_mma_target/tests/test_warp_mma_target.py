"""One kernel for the base and for the variant: other MMAs, and the same values and `.target`."""

from pathlib import Path

import numpy as np
import pytest

import tileir_xdsl as tileir
from tileir_xdsl.testing import check

KERNEL = Path(__file__).parent / "matmul.mlir"
NAMED = tileir.Options(extensions=("warp_mma_target",))
VARIANT = "sm_90a_warp_mma"


def test_the_variant_takes_another_mma():
    checks = """
    // BASE: .target sm_90a
    // BASE: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
    // BASE-NOT: mma.sync
    // VARIANT: .target sm_90a{{$}}
    // VARIANT-NOT: wgmma
    // VARIANT: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
    // VARIANT-NOT: wgmma
    // VARIANT: cp.async.bulk.tensor.2d
    """
    check(tileir.compile(KERNEL, "sm_90a").text, checks, prefix="BASE")
    check(tileir.compile(KERNEL, VARIANT, options=NAMED).text, checks, prefix="VARIANT")


def test_both_compute_the_same():
    rng = np.random.default_rng(1)
    a, b = rng.integers(-4, 5, (2, 128, 128)).astype(np.float16)
    for gpu, options in (("sm_90a", None), (VARIANT, NAMED)):
        c = np.zeros((128, 128), np.float16)
        tileir.load(KERNEL, gpu, options).run((2, 2), a, b, c, level="ptx")
        # Sums of small integers are exact in f16.
        assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_its_code_is_assembled_as_its_base():
    compiled = tileir.compile(KERNEL, VARIANT, options=NAMED)
    assert ".target sm_90a\n" in compiled.text
    try:
        assert compiled.cubin
    except tileir.CompileError as error:
        # Not every machine has the assembler.
        assert "not found" in error.message


def test_it_must_be_named():
    with pytest.raises(tileir.CompileError, match=VARIANT):
        tileir.compile(KERNEL, VARIANT)
