"""The text of the zoo, by name."""

import pytest

from tileir_xdsl.testing import zoo_module, zoo_names, zoo_text
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS


def test_all_kernels_have_names():
    assert {*KERNELS, *(f"divisible/{name}" for name in DIVISIBLE)} <= set(zoo_names())


def test_a_kernel_has_text_and_a_module():
    assert "entry @softmax_f32" in zoo_text("softmax_f32")
    assert "cuda_tile.entry @softmax_f32" in str(zoo_module("softmax_f32"))


def test_an_unknown_kernel_is_an_error():
    with pytest.raises(KeyError, match="did you mean 'softmax_f32'"):
        zoo_text("softmax_f33")
