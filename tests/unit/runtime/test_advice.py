"""Advice after diagnostics: what to do, once, and only where it is known."""

import pickle

import pytest

from tileir_xdsl.runtime.advice import ADVICE, advised
from tileir_xdsl.runtime.errors import CodeError

FITS = "no other choice fits: 2 registers are needed; tiles of 1/2 of the elements would fit"

ADVISED = [
    ("all dimensions must be powers of two, got 100", "; take 128, "),
    ("all dimensions must be powers of two, got 3, 4, 0", "; take 4x4x1, "),
    ("Dimension #1 of shape (16, 100) is not a power of two", "; take 16x128, "),
    ("tile would exceed the maximum of 16777216 elements", "; split it into several tiles"),
    ("Operation frob is not registered", "; no known op has a similar name"),
]


@pytest.mark.parametrize(("message", "advice"), ADVISED)
def test_advice_follows_the_message(message: str, advice: str):
    error = CodeError("a.mlir:1:2", message)
    assert error.message.startswith(message + advice)
    # Another process does not add it again.
    assert pickle.loads(pickle.dumps(error)).message == error.message


def test_each_advice_is_tested():
    messages = [message for message, _ in ADVISED]
    assert all(any(pattern.search(message) for message in messages) for pattern, _ in ADVICE)


@pytest.mark.parametrize(
    "message",
    [
        "Operation addff is not registered, did you mean 'addf'?",
        "all dimensions must be powers of two, got [3]",
        "needs 4 registers",
    ],
)
def test_other_messages_stay(message: str):
    assert advised(message, ("see 'op'",)) == message


def test_tiles_that_would_fit_are_in_the_line():
    error = CodeError("a.mlir", "needs 2 registers", (FITS,))
    assert error.message == "needs 2 registers; tiles of 1/2 of the elements would fit"
    assert pickle.loads(pickle.dumps(error)).message == error.message
