"""The generated litmus tests of `suite`: base shapes, at scopes, places and strengths.

Verdicts are stated here, by the rules of the PTX ISA as a reader applies them, and not computed: a
pattern synchronizes where it is complete and its scopes include both threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SUITE = Path(__file__).parent / "suite"

SCOPES = ("cta", "cluster", "gpu", "sys")
PLACES: dict[str, tuple[str, ...]] = {
    "cta": ("cta 0", "cta 0", "cta 0", "cta 0"),
    "cluster": ("cta 0, cluster 0", "cta 1, cluster 0", "cta 2, cluster 0", "cta 3, cluster 0"),
    "gpu": ("cta 0", "cta 1", "cta 2", "cta 3"),
}
"""What threads have in common, and where four of them are then."""

Column = Sequence[str]


@dataclass(frozen=True)
class Shape:
    """A test to be written: a column of instructions for each thread."""

    family: str
    name: str
    comment: str
    columns: tuple[Column, ...]
    condition: str
    race: bool
    state: str = "x=0; y=0"
    places: str = "gpu"

    def text(self) -> str:
        """The test in herd's format, its columns aligned."""
        columns = [
            [f"P{number}@{place}", *column]
            for number, (place, column) in enumerate(
                zip(PLACES[self.places], self.columns, strict=False)
            )
        ]
        rows = max(map(len, columns))
        padded = [[*column, *[""] * (rows - len(column))] for column in columns]
        widths = [max(map(len, column)) for column in padded]
        lines = [
            " | ".join(c[row].ljust(w) for c, w in zip(padded, widths, strict=True))
            for row in range(rows)
        ]
        table = "\n".join(f" {line} ;" for line in lines)
        race = "yes" if self.race else "no"
        return (
            f'PTX {self.name}\n"{self.comment}"\nRace={race}\n{{ {self.state}; }}\n'
            f"{table}\n{self.condition}\n"
        )


def store(place: str, value: int | str = 1, order: str = "", space: str = "global") -> str:
    return f"st{order and '.' + order}.{space}.u32 [{place}], {value}"


def load(register: str, place: str, order: str = "", space: str = "global") -> str:
    return f"ld{order and '.' + order}.{space}.u32 {register}, [{place}]"


def if_one(register: str, instruction: str) -> tuple[str, str]:
    """An instruction that is executed if a register is 1."""
    return f"setp.eq.u32 p0, {register}, 1", f"@p0 {instruction}"


def forbidden(condition: str, *, when: bool) -> str:
    return f"{'~exists' if when else 'exists'} ({condition})"


def reaches(scope: str, places: str) -> bool:
    """Whether a scope includes threads that have `places` in common."""
    return SCOPES.index(scope) >= SCOPES.index(places)


_STALE = "1:r0=1 /\\ 1:r1=0"


def _pass_by(
    name: str,
    comment: str,
    first: Column,
    then: Column,
    *,
    works: bool,
    places: str = "gpu",
    race: bool | None = None,
) -> Shape:
    """Message passing of weak data that is read once the flag is seen."""
    return Shape(
        "MP",
        f"MP+{name}.{places}",
        comment,
        ((store("x"), *first), (*then, *if_one("r0", load("r1", "x")))),
        forbidden(_STALE, when=works),
        not works if race is None else race,
        places=places,
    )


def message_passing() -> Iterator[Shape]:
    for places in PLACES:
        for scope in SCOPES:
            works = reaches(scope, places)
            yield _pass_by(
                f"release-acquire.{scope}",
                f"A release and an acquire of scope {scope}, threads in one {places}.",
                (store("y", order=f"release.{scope}"),),
                (load("r0", "y", f"acquire.{scope}"),),
                works=works,
                places=places,
            )
            yield _pass_by(
                f"fences.{scope}",
                f"Fences of scope {scope} and a relaxed flag of the system.",
                (f"fence.acq_rel.{scope}", store("y", order="relaxed.sys")),
                (load("r0", "y", "relaxed.sys"), f"fence.acq_rel.{scope}"),
                works=works,
                places=places,
            )
    yield from _patterns()
    yield from _strong_data()


def _patterns() -> Iterator[Shape]:
    relaxed, release = store("y", order="relaxed.gpu"), store("y", order="release.gpu")
    read, acquire = load("r0", "y", "relaxed.gpu"), load("r0", "y", "acquire.gpu")
    fence = "fence.acq_rel.gpu"
    rows: tuple[tuple[str, str, Column, Column, bool], ...] = (
        ("relaxed", "Relaxed flags order nothing.", (relaxed,), (read,), False),
        ("release-relaxed", "Nothing acquires.", (release,), (read,), False),
        ("relaxed-acquire", "Nothing releases.", (relaxed,), (acquire,), False),
        ("fence-acquire", "A fence releases.", (fence, relaxed), (acquire,), True),
        ("release-fence", "A fence acquires.", (release,), (read, fence), True),
        ("fence-relaxed", "The reader has no fence.", (fence, relaxed), (read,), False),
        ("relaxed-fence", "The writer has no fence.", (relaxed,), (read, fence), False),
        ("fence-late", "The fence comes after the flag.", (relaxed, fence), (acquire,), False),
        (
            "fence.sc",
            "fence.sc is a fence, too.",
            ("fence.sc.gpu", relaxed),
            (read, "fence.sc.gpu"),
            True,
        ),
        ("membar.gl", "membar is fence.sc.", ("membar.gl", relaxed), (read, "membar.gl"), True),
        ("membar.cta", "Too narrow.", ("membar.cta", relaxed), (read, "membar.cta"), False),
        (
            "fence.release-fence.acquire",
            "Fences of one direction.",
            ("fence.release.gpu", relaxed),
            (read, "fence.acquire.gpu"),
            True,
        ),
        (
            "fence.acquire-fence.acquire",
            "A fence that only acquires releases nothing.",
            ("fence.acquire.gpu", relaxed),
            (read, "fence.acquire.gpu"),
            False,
        ),
        (
            "fence.release-fence.release",
            "A fence that only releases acquires nothing.",
            ("fence.release.gpu", relaxed),
            (read, "fence.release.gpu"),
            False,
        ),
        (
            "volatile",
            "Volatile accesses are relaxed.",
            (store("y", order="volatile"),),
            (load("r0", "y", "volatile"),),
            False,
        ),
        (
            "volatile-fences",
            "Volatile flags and fences.",
            ("fence.acq_rel.sys", store("y", order="volatile")),
            (load("r0", "y", "volatile"), "fence.acq_rel.sys"),
            True,
        ),
        (
            "atom.exch",
            "An exchange releases.",
            ("atom.release.gpu.global.exch.b32 r9, [y], 1",),
            (acquire,),
            True,
        ),
        (
            "red",
            "A reduction releases.",
            ("red.release.gpu.global.add.u32 [y], 1",),
            (acquire,),
            True,
        ),
        (
            "atom-acquire",
            "An addition of 0 acquires.",
            (release,),
            ("atom.acquire.gpu.global.add.u32 r0, [y], 0",),
            True,
        ),
        (
            "release-then-relaxed",
            "A release, and a relaxed store of the same place.",
            (store("y", 2, "release.gpu"), relaxed),
            (acquire,),
            True,
        ),
        (
            "relaxed-then-acquire",
            "A relaxed load, and an acquire of the same place.",
            (release,),
            (read, load("r2", "y", "acquire.gpu")),
            True,
        ),
        (
            "scopes",
            "The acquire is too narrow.",
            (release,),
            (load("r0", "y", "acquire.cta"),),
            False,
        ),
        (
            "fence-scopes",
            "The fence of the reader is too narrow.",
            (fence, relaxed),
            (read, "fence.acq_rel.cta"),
            False,
        ),
    )
    for name, comment, first, then, works in rows:
        yield _pass_by(name, comment, first, then, works=works)


def _strong_data() -> Iterator[Shape]:
    """Relaxed data, without a race whatever the order."""
    data, read = store("x", order="relaxed.gpu"), load("r1", "x", "relaxed.gpu")
    rows = (
        ("relaxed", "relaxed", False),
        ("release", "relaxed", False),
        ("relaxed", "acquire", False),
        ("release", "acquire", True),
    )
    for first, then, works in rows:
        yield Shape(
            "MP",
            f"MP+data.relaxed+{first}-{then}",
            "Strong data: there is no race, but without order it may be old.",
            (
                (data, store("y", order=f"{first}.gpu")),
                (load("r0", "y", f"{then}.gpu"), read),
            ),
            forbidden(_STALE, when=works),
            race=False,
        )


def _middle(fence: str) -> tuple[str, ...]:
    return (fence,) if fence else ()


def store_buffering() -> Iterator[Shape]:
    def columns(fence: str) -> tuple[Column, Column]:
        first = (store("x", order="relaxed.sys"), *_middle(fence), load("r0", "y", "relaxed.sys"))
        then = (store("y", order="relaxed.sys"), *_middle(fence), load("r0", "x", "relaxed.sys"))
        return first, then

    for places in PLACES:
        for fence in ("", "fence.acq_rel.sys", *(f"fence.sc.{scope}" for scope in SCOPES)):
            works = "sc" in fence.split(".") and reaches(fence.split(".")[-1], places)
            yield Shape(
                "SB",
                f"SB+{fence or 'relaxed'}.{places}",
                "Both threads store, and then load what the other one stores.",
                columns(fence),
                forbidden("0:r0=0 /\\ 1:r0=0", when=works),
                race=False,
                places=places,
            )
    yield Shape(
        "SB",
        "SB+release+acquire",
        "Releases and acquires do not order a store and a later load.",
        (
            (store("x", order="release.gpu"), load("r0", "y", "acquire.gpu")),
            (store("y", order="release.gpu"), load("r0", "x", "acquire.gpu")),
        ),
        "exists (0:r0=0 /\\ 1:r0=0)",
        race=False,
    )
    add = "atom.relaxed.gpu.global.add.u32"
    yield Shape(
        "SB",
        "SB+atoms",
        "Atomic operations are no fences.",
        (
            (f"{add} r1, [x], 1", f"{add} r0, [y], 0"),
            (f"{add} r1, [y], 1", f"{add} r0, [x], 0"),
        ),
        "exists (0:r0=0 /\\ 1:r0=0)",
        race=False,
    )


def mutual_exclusion() -> Iterator[Shape]:
    """Who has announced itself, and sees no other, goes in: only `fence.sc` keeps the other out."""

    def side(own: str, other: str, value: int, order: str, fence: str) -> Column:
        return (
            store(own, 1, f"{'release' if order else 'relaxed'}.gpu"),
            *_middle(fence),
            load("r0", other, f"{order or 'relaxed'}.gpu"),
            "setp.eq.u32 p0, r0, 0",
            f"@p0 {store('z', value)}",
        )

    rows = (
        ("relaxed", "", "", True),
        ("release+acquire", "acquire", "", True),
        ("fence.acq_rel.gpu", "", "fence.acq_rel.gpu", True),
        ("fence.sc.cta", "", "fence.sc.cta", True),
        ("fence.sc.gpu", "", "fence.sc.gpu", False),
    )
    for name, order, fence, race in rows:
        yield Shape(
            "Dekker",
            f"Dekker+{name}",
            "Threads that see each other absent store to one place.",
            (side("x", "y", 1, order, fence), side("y", "x", 2, order, fence)),
            forbidden("0:r0=0 /\\ 1:r0=0", when=not race),
            race,
            "x=0; y=0; z=0",
        )


def load_buffering() -> Iterator[Shape]:
    def side(read: str, write: str, how: str) -> Column:
        first = load("r0", read, "acquire.gpu" if how == "acquire" else "relaxed.gpu")
        last = store(write, order="release.gpu" if how == "release" else "relaxed.gpu")
        match how:
            case "data":
                return (
                    first,
                    "xor.b32 r1, r0, r0",
                    "add.u32 r1, r1, 1",
                    store(write, "r1", "relaxed.gpu"),
                )
            case "control":
                return (first, *if_one("r0", last))
            case "fence.acq_rel" | "fence.sc":
                return (first, f"{how}.gpu", last)
            case _:
                return (first, last)

    for first, then, works in (
        ("relaxed", "relaxed", False),
        ("data", "data", True),
        ("control", "control", True),
        ("data", "relaxed", False),
        ("fence.acq_rel", "fence.acq_rel", True),
        ("fence.sc", "fence.sc", True),
        ("acquire", "acquire", False),
        ("acquire", "release", True),
        ("release", "release", False),
    ):
        yield Shape(
            "LB",
            f"LB+{first}+{then}",
            "Both threads load, and then store what the other one loads.",
            (side("x", "y", first), side("y", "x", then)),
            forbidden("0:r0=1 /\\ 1:r0=1", when=works),
            race=False,
        )


_FENCES = ("", "fence.acq_rel.gpu", "fence.sc.gpu")


def two_threads() -> Iterator[Shape]:
    """2+2W, S and R."""

    def write(place: str, value: int) -> str:
        return store(place, value, "relaxed.gpu")

    for fence in _FENCES:
        name, middle = fence or "relaxed", _middle(fence)
        yield Shape(
            "2+2W",
            f"2+2W+{name}",
            "Two threads write two places in opposite orders.",
            ((write("x", 2), *middle, write("y", 1)), (write("y", 2), *middle, write("x", 1))),
            forbidden("x=2 /\\ y=2", when="sc" in name),
            race=False,
        )
        yield Shape(
            "R",
            f"R+{name}",
            "One thread writes twice, the other one overwrites the second and reads the first.",
            (
                (write("x", 1), *middle, write("y", 1)),
                (write("y", 2), *middle, load("r0", "x", "relaxed.gpu")),
            ),
            forbidden("y=2 /\\ 1:r0=0", when="sc" in name),
            race=False,
        )
        yield Shape(
            "S",
            f"S+{name}",
            "One thread writes twice, the other one reads the second and overwrites the first.",
            (
                (write("x", 2), *middle, write("y", 1)),
                (load("r0", "y", "relaxed.gpu"), *middle, write("x", 1)),
            ),
            forbidden("x=2 /\\ 1:r0=1", when=bool(fence)),
            race=False,
        )
    yield Shape(
        "S",
        "S+release+acquire",
        "A release and an acquire order the two writes.",
        (
            (write("x", 2), store("y", 1, "release.gpu")),
            (load("r0", "y", "acquire.gpu"), write("x", 1)),
        ),
        "~exists (x=2 /\\ 1:r0=1)",
        race=False,
    )


def three_threads() -> Iterator[Shape]:
    """WRC and ISA2: order is passed on."""
    for how, works in (("relaxed", False), ("release-acquire", True), ("fences", True)):
        release = store("y", order="release.gpu" if how == "release-acquire" else "relaxed.gpu")
        order = "acquire.gpu" if how == "release-acquire" else "relaxed.gpu"
        middle = _middle("fence.acq_rel.gpu" if how == "fences" else "")
        yield Shape(
            "WRC",
            f"WRC+{how}",
            "A thread passes on what it has read of another one.",
            (
                (store("x", order="relaxed.gpu"),),
                (load("r0", "x", "relaxed.gpu"), *middle, release),
                (load("r0", "y", order), *middle, load("r1", "x", "relaxed.gpu")),
            ),
            forbidden("1:r0=1 /\\ 2:r0=1 /\\ 2:r1=0", when=works),
            race=False,
        )
        last = store("z", order="release.gpu" if how == "release-acquire" else "relaxed.gpu")
        yield Shape(
            "ISA2",
            f"ISA2+{how}",
            "Data, and two flags in a row.",
            (
                (store("x"), *middle, release),
                (load("r0", "y", order), *middle, *if_one("r0", last)),
                (load("r0", "z", order), *middle, *if_one("r0", load("r1", "x"))),
            ),
            forbidden("2:r0=1 /\\ 2:r1=0", when=works),
            race=not works,
            state="x=0; y=0; z=0",
        )
    yield Shape(
        "ISA2",
        "ISA2+narrow",
        "The second flag is of too narrow a scope.",
        (
            (store("x"), store("y", order="release.gpu")),
            (load("r0", "y", "acquire.gpu"), *if_one("r0", store("z", order="release.cta"))),
            (load("r0", "z", "acquire.gpu"), *if_one("r0", load("r1", "x"))),
        ),
        "exists (2:r0=1 /\\ 2:r1=0)",
        race=True,
        state="x=0; y=0; z=0",
    )


def four_threads() -> Iterator[Shape]:
    for how, works in (
        ("relaxed", False),
        ("acquire", False),
        ("fence.acq_rel.gpu", False),
        ("fence.sc.gpu", True),
        ("fence.sc.cta", False),
    ):
        order = "acquire.gpu" if how == "acquire" else "relaxed.gpu"
        middle = _middle(how if how.startswith("fence") else "")

        def reader(first: str, second: str, order: str = order, middle: Column = middle) -> Column:
            return (load("r0", first, order), *middle, load("r1", second, order))

        yield Shape(
            "IRIW",
            f"IRIW+{how}",
            "Two readers see two independent writes in opposite orders.",
            (
                (store("x", order="relaxed.gpu"),),
                (store("y", order="relaxed.gpu"),),
                reader("x", "y"),
                reader("y", "x"),
            ),
            forbidden("2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0", when=works),
            race=False,
        )


def base_shapes() -> Iterator[Shape]:
    yield from message_passing()
    yield from store_buffering()
    yield from mutual_exclusion()
    yield from load_buffering()
    yield from two_threads()
    yield from three_threads()
    yield from four_threads()
