"""What this compiler and `tileiras` answer to the questions, and what is stored of the latter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np

from tests.readings.forms import Form, by_operation
from tests.readings.kernels import module, of_constants, of_loaded
from tests.readings.listing import (
    Instruction,
    RefusedError,
    constant_result,
    dependent,
    listing_of,
    shown,
)
from tests.readings.numbers import array_of, bits_of, word_of
from tests.readings.questions import CLOSED, QUESTIONS, Question
from tests.readings.written import Written
from tests.unit.interpreters.evaluation import evaluate

STORED = Path(__file__).with_name("tileiras.json")
GPUS = ("sm_90a", "sm_100a", "sm_107a")
"""A form is given to `tileiras` for the first of these that has its types."""
MOST = 200
"""Entries of a module."""
SIZE = 16
"""Elements of the tiles that the interpreter is given."""


@dataclass(frozen=True)
class Answer:
    """What `tileiras` makes of a form: instructions, and results of special operands by name."""

    gpu: str
    instructions: tuple[str, ...]
    results: Mapping[str, str]


def asked() -> list[Form]:
    """The forms of the ops that have questions."""
    return [form for name, forms in by_operation().items() if name not in CLOSED for form in forms]


def questions_of(form: Form) -> Iterator[tuple[Question, list[int]]]:
    """The questions whose operands the types of a form have, and these as bits."""
    for question in QUESTIONS[form.operation]:
        bits = [
            bits_of(symbol, element)
            for symbol, element in zip(question.operands, form.operands, strict=True)
        ]
        found = [each for each in bits if each is not None]
        if len(found) == len(bits):
            yield question, found


def ours(form: Form) -> dict[str, str]:
    """The results of the interpreter at the first level, by the names of the operands.

    Other tests compare every other level with it, on such operands too.
    """
    return _ours_together(form.operation, form.operands).get(form.key, {})


@cache
def _ours_together(operation: str, operands: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """The same of all forms of an op on some types, by their keys, from one kernel."""
    forms = [form for form in by_operation()[operation] if form.operands == operands]
    pairs = list(questions_of(forms[0]))
    if not pairs:
        return {}
    rows = [bits for _, bits in pairs]
    rows += [rows[0]] * (SIZE - len(rows))
    inputs = [
        (f"{SIZE}x{element}", array_of(list(column), element))
        for element, column in zip(operands, zip(*rows, strict=True), strict=True)
    ]
    body = "\n".join(f"%out{i} = {form.at(f'{SIZE}x')}" for i, form in enumerate(forms))
    with np.errstate(all="ignore"):
        tiles = evaluate(body, inputs, [f"{SIZE}x{form.result}" for form in forms])
    results = dict[str, dict[str, str]]()
    for form, tile in zip(forms, tiles, strict=True):
        # A tf32 and an f4E2M1FN take more bits than they have.
        bits = tile.view(f"u{tile.dtype.itemsize}").tolist()
        results[form.key] = {
            question.name: word_of(value, form.result)
            for (question, _), value in zip(pairs, bits, strict=False)
        }
    return results


# Asking `tileiras`.


def _entries(place: int, form: Form) -> list[str]:
    constants = enumerate(questions_of(form))
    return [
        of_loaded(f"f{place}", form),
        *(of_constants(f"f{place}_{i}", form, bits) for i, (_, bits) in constants),
    ]


def _answer(
    place: int, form: Form, gpu: str, functions: Mapping[str, Sequence[Instruction]]
) -> Answer:
    results = dict[str, str]()
    for number, (question, _) in enumerate(questions_of(form)):
        found = constant_result(functions[f"f{place}_{number}"])
        results[question.name] = found if isinstance(found, str) else word_of(found, form.result)
    instructions = tuple(shown(each) for each in dependent(functions[f"f{place}"]))
    return Answer(gpu, instructions, results)


def _together(forms: Sequence[Form], gpu: str) -> Iterator[tuple[Form, Answer]]:
    """The answers about some forms in one module; of each alone where that is refused."""
    if not forms:
        return
    text = module([entry for i, form in enumerate(forms) for entry in _entries(i, form)])
    try:
        functions = listing_of(text, gpu)
    except RefusedError:
        if len(forms) > 1:
            half = len(forms) // 2
            yield from _together(forms[:half], gpu)
            yield from _together(forms[half:], gpu)
        return
    for place, form in enumerate(forms):
        yield form, _answer(place, form, gpu, functions)


def _batches(forms: Iterable[Form]) -> Iterator[list[Form]]:
    batch, size = list[Form](), 0
    for form in forms:
        count = 1 + sum(1 for _ in questions_of(form))
        if batch and size + count > MOST:
            yield batch
            batch, size = [], 0
        batch.append(form)
        size += count
    yield batch


def theirs(forms: Iterable[Form]) -> dict[str, Answer]:
    """What `tileiras` answers about forms, by their keys; nothing about those it refuses."""
    found: dict[str, Answer] = {}
    left = list(forms)
    for gpu in GPUS:
        for batch in _batches(left) if left else ():
            found.update((form.key, answer) for form, answer in _together(batch, gpu))
        left = [form for form in left if form.key not in found]
    return found


def of_kernels(kernels: Iterable[Written]) -> dict[str, Answer]:
    """What `tileiras` makes of kernels, by their keys."""
    return {each.key: Answer(each.gpu, each.instructions(), {}) for each in kernels}


def kept() -> dict[str, Answer]:
    """The stored answers."""
    data = json.loads(STORED.read_text("utf-8"))
    return {
        key: Answer(row["gpu"], tuple(row["instructions"]), row["results"])
        for key, row in data.items()
    }


def store(answers: Mapping[str, Answer]) -> None:
    """Writes the answers, a line for each form."""
    lines = [f"{json.dumps(key)}: {json.dumps(asdict(each))}" for key, each in answers.items()]
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
