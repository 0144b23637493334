"""Finds the launch of a script that a command asks for: the script runs until then."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections import defaultdict
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from tileir_xdsl.frontends.interface import Launch, Search, Source
from tileir_xdsl.frontends.interpreting import with_children
from tileir_xdsl.frontends.scripts import (
    main_module_kept,
    package_of,
    place_in_script,
    run_script,
)
from tileir_xdsl.frontends.serving import serving
from tileir_xdsl.runtime.errors import InputError

_CHOSEN = re.compile(r"(?P<file>.+\.py)(?::(?P<kernel>[^\W\d]\w*)(?:\.(?P<number>[1-9]\d{0,5}))?)?")


@dataclass(frozen=True)
class Choice:
    """A Python file and the choice of one of its kernels: `FILE.py[:KERNEL[.NUMBER]]`."""

    file: str
    kernel: str | None = None
    number: int | None = None
    """The number of a kernel among kernels with the same name, in order of creation, from 1 on.
    """


def choice_of(text: str) -> Choice | None:
    """Parses a choice; None for other texts."""
    found = _CHOSEN.fullmatch(text)
    if found is None:
        return None
    number = found["number"]
    return Choice(found["file"], found["kernel"], None if number is None else int(number))


@dataclass
class _Recorder:
    """Executes launches before the chosen one, and keeps the chosen one."""

    choice: Choice
    only_makes: bool = False
    """Whether the kernel suffices, without a launch."""
    searches: bool = False
    """Whether a search of the kernel suffices as well as a launch."""
    sources: list[Source] = field(default_factory=list[Source])
    found: Launch | Search | None = None
    problem: InputError | None = None
    process: int = field(default_factory=os.getpid)

    def made(self, source: Source) -> None:
        """Keeps the source of a kernel, once."""
        if source not in self.sources:
            self.sources.append(source)

    def launched(self, launch: Launch) -> object:
        """Ends the script at the chosen launch. Raises InputError if several kernels match."""
        # A process that the script has forked works for it, and ends when that says so.
        is_own = os.getpid() == self.process
        if is_own and self.only_makes:
            raise SystemExit
        if not is_own or not self._ends(launch.frontend.source(launch.kernel), launch):
            return launch.frontend.execute(launch)
        # A thread ends by it, too, and silently.
        raise SystemExit

    def searched(self, search: Search) -> None:
        """Ends the script at a search of the chosen kernel, if a search suffices."""
        if self.searches and search.configurations:
            kernel = search.kernel(search.configurations[0])
            if self._ends(search.frontend.source(kernel), search):
                raise SystemExit

    def _ends(self, source: Source, asked: Launch | Search) -> bool:
        """Whether the script ends here: at the chosen kernel, at an error, or after these."""
        if self.found is None and self.problem is None:
            self.made(source)
            try:
                if not self._is_chosen(source):
                    return False
                self.found = asked
            except InputError as error:
                self.problem = error
        return True

    def _is_chosen(self, source: Source) -> bool:
        choice = self.choice
        same = [each for each in self.sources if choice.kernel in (None, each.name)]
        if choice.number is not None:
            return len(same) >= choice.number and source == same[choice.number - 1]
        if source not in same:
            return False
        if len(same) > 1:
            raise InputError(choice.file, self._several(same))
        return True

    def _several(self, sources: Sequence[Source]) -> str:
        named: dict[str, list[Source]] = defaultdict(list)
        for source in sources:
            named[source.name].append(source)
        words = [
            f"{self.choice.file}:{name}{f'.{number}' if len(each) > 1 else ''} (line {source.line})"
            for name, each in named.items()
            for number, source in enumerate(each, 1)
        ]
        return f"has {len(words)} kernels, expected one of {', '.join(words)}"

    def made_one(self) -> Source:
        """The chosen kernel's source. Raises InputError if none or several match."""
        same = [each for each in self.sources if each.name == self.choice.kernel]
        number = self.choice.number
        if not same or (number or 1) > len(same):
            raise self.missing()
        if number is None and len(same) > 1:
            raise InputError(self.choice.file, self._several(same))
        return same[(number or 1) - 1]

    def missing(self) -> InputError:
        """The error that says why no launch was reached."""
        choice = self.choice
        if not self.sources:
            return InputError(choice.file, "makes no kernel: decorate a function by @ct.kernel")
        if choice.kernel is not None and all(each.name != choice.kernel for each in self.sources):
            names = ", ".join(dict.fromkeys(each.name for each in self.sources))
            return InputError(choice.file, f"has no kernel '{choice.kernel}', only {names}")
        name = choice.kernel or self.sources[0].name
        if choice.number is not None and self.only_makes:
            return InputError(choice.file, f"makes no {name}.{choice.number}")
        return InputError(
            choice.file,
            f"does not launch {name}: add ct.launch(0, grid, {name}, arguments) at its end, or "
            f"give {choice.file}:{name} and an --arg for each argument",
        )


def record(choice: Choice) -> Launch:
    """Runs a script up to the launch of the chosen kernel, which is not executed.

    Earlier launches are executed, and the output of the script goes to the standard error. Raises
    InputError if the script ends or fails before, and if several kernels match.
    """
    found = _recorded(_Recorder(choice))
    assert isinstance(found, Launch)
    return found


def record_search(choice: Choice) -> Launch | Search:
    """As `record`, or up to a search of the kernel's configurations if that comes first."""
    return _recorded(_Recorder(choice, searches=True))


def _recorded(recorder: _Recorder) -> Launch | Search:
    _run(recorder)
    if recorder.problem is not None:
        raise recorder.problem
    if recorder.found is None:
        raise recorder.missing()
    return recorder.found


def made(choice: Choice) -> Source:
    """Runs a script up to its first launch, which is not executed, or to its end without one.

    Raises InputError if the script fails before, and unless it has made exactly one such kernel.
    """
    recorder = _Recorder(choice, only_makes=True)
    _run(recorder)
    return recorder.made_one()


def _run(recorder: _Recorder) -> None:
    with (
        serving(recorder),
        main_module_kept(),
        _served_children(),
        _output_to_errors(),
    ):
        file = recorder.choice.file
        try:
            run_script(file, package=package_of(file))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Nothing matters that comes after the launch.
            if not recorder.found and not recorder.problem:
                _raise_of(error, file)


@contextlib.contextmanager
def _served_children() -> Generator[None]:
    """Makes Python processes that a script starts run their launches."""
    before = os.environ.copy()
    with_children(os.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _output_to_errors() -> Generator[None]:
    """Redirects a script's output to the standard error stream itself."""
    stream = sys.__stderr__ or sys.stderr
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        yield


def _raise_of(error: BaseException, file: str) -> None:
    """Raises the diagnostic of the exception that ended a script, unless it ended well."""
    if isinstance(error, InputError):
        raise error
    if not isinstance(error, SystemExit):
        place = place_in_script(error, lambda name: name == file)
        raise InputError(place or file, f"{type(error).__name__}: {error}") from error
    if error.code not in (None, 0):
        raise InputError(file, f"the script ended with exit status {error.code} before the launch")
