"""Synchronisation bugs that a generator puts into its kernel on demand.

A generator names every synchronisation it emits, and every number of it that matters. A bug leaves
one of them out, or changes one number; everything else of the kernel stays as it is.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Bug:
    """One synchronisation `site` that is left out, or whose number is `add` more."""

    site: str
    add: int | None = None


@dataclass
class Sites:
    """The synchronisations of a kernel while it is generated, one of them perhaps wrong."""

    bug: Bug | None = None
    names: set[str] = field(default_factory=set[str])
    numbers: set[str] = field(default_factory=set[str])

    def keeps(self, site: str) -> bool:
        """Whether the synchronisation of this name is to be emitted."""
        self.names.add(site)
        return self.bug is None or self.bug.site != site or self.bug.add is not None

    def number(self, site: str, value: int) -> int:
        """The number of this name: `value`, unless the bug is to change it."""
        self.numbers.add(site)
        if self.bug is None or self.bug.site != site or self.bug.add is None:
            return value
        return value + self.bug.add

    def check(self) -> None:
        """Raises `ValueError` where the kernel has no such site as the bug's."""
        if self.bug is None:
            return
        found = self.names if self.bug.add is None else self.numbers
        if self.bug.site not in found:
            raise ValueError(f"no site '{self.bug.site}' among: {', '.join(sorted(found))}")
