"""Accepts the qualifiers of an instruction in any order that the assembler accepts.

The manual lists the qualifiers in one order. The assembler reads the name of the instruction first,
and then the qualifiers in any order. Only the order of qualifiers of one class matters: of two
types, two state spaces, or two matrix layouts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# Names of several words; the assembler splits `mul.s32.lo` differently from `mul.lo.s32`.
_NAMES = frozenset(
    f"{opcode}.{rest}"
    for opcode, rests in {
        "bar": "warp cta red arrive cta.red cta.arrive",
        "barrier": "red arrive cta cta.red cta.arrive cluster.arrive cluster.wait",
        "clusterlaunchcontrol": "try_cancel.async query_cancel",
        "cp": "async async.commit_group async.wait_group async.wait_all async.mbarrier.arrive"
        " async.bulk async.bulk.commit_group async.bulk.wait_group async.bulk.prefetch"
        " async.bulk.tensor async.bulk.prefetch.tensor reduce.async.bulk reduce.async.bulk.tensor",
        "createpolicy": "range fractional cvt",
        "cvt": "pack",
        "cvta": "to",
        "div": "full",
        "dp2a": "lo hi",
        "fence": "proxy",
        "griddepcontrol": "wait launch_dependents",
        "mad": "lo hi wide",
        "mad24": "lo hi",
        "madc": "lo hi",
        "mbarrier": "init inval expect_tx complete_tx pending_count arrive arrive.expect_tx"
        " arrive_drop arrive_drop.expect_tx test_wait test_wait.parity try_wait try_wait.parity",
        "membar": "proxy",
        "mul": "lo hi wide",
        "mul24": "lo hi",
        "multimem": "ld_reduce st red",
        "red": "async",
        "setmaxnreg": "inc dec",
        "shf": "l r",
        "st": "async bulk",
        "tcgen05": "alloc dealloc relinquish_alloc_permit ld st wait::ld wait::st cp shift mma"
        " mma.ws fence::before_thread_sync fence::after_thread_sync commit",
        "tensormap": "replace cp_fenceproxy",
        "wgmma": "mma_async fence commit_group wait_group",
        "wmma": "load.a load.b load.c store.d mma",
    }.items()
    for rest in rests.split()
)
_CLASSES = tuple(
    re.compile(names)
    for names in (
        r"(?:[bsuf]|bf|tf)\d+(?:x\d+)?(?:_p\d+)?|ue?\dm\d(?:x\d)?|e\dm\d(?:x\d)?|pred",
        r"global|local|const|(?:shared|param)(?:::\w+)?",
        r"row|col",
        r"L2::evict_\w+",
        r"and|xor|popc",
    )
)
_NAME, _FREE = -1, -2
_LONGEST_NAME = max(name.count(".") for name in _NAMES) + 1


def sortings(mnemonic: str, places: Sequence[frozenset[str]]) -> Iterator[str]:
    """Yields the mnemonics with the qualifiers of this one in the order of a form.

    `places` has the choices of the form at each position, the opcode first.
    """
    words = mnemonic.split(".")
    fixed = _name_length(words)
    classes = [_NAME if number < fixed else _class(word) for number, word in enumerate(words)]

    def placed(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        number = len(chosen)
        if number == len(words):
            yield chosen
            return
        before = [
            place
            for place, of in zip(chosen, classes, strict=False)
            if of == _NAME or of == classes[number] != _FREE
        ]
        for place in range(max(before, default=-1) + 1, len(places)):
            if place not in chosen and words[number] in places[place]:
                yield from placed((*chosen, place))

    for chosen in placed(()):
        in_order = [word for _, word in sorted(zip(chosen, words, strict=True))]
        # A word of a longer name is not a qualifier.
        if _name_length(in_order) == fixed:
            yield ".".join(in_order)


def _name_length(words: Sequence[str]) -> int:
    """The number of words of a mnemonic that name the instruction, its opcode included."""
    lengths = range(_LONGEST_NAME, 1, -1)
    return next((n for n in lengths if ".".join(words[:n]) in _NAMES), 1)


def _class(word: str) -> int:
    found = (number for number, names in enumerate(_CLASSES) if names.fullmatch(word))
    return next(found, _FREE)
