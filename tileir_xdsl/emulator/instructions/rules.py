"""Which qualifiers of an access exclude or require each other (PTX ISA, "ld", "st").

Forms list the choices of each qualifier; these rules, taken from the assembler, relate several
qualifiers. Hints change no value: without these checks the emulator would run text that the
assembler refuses.
"""

from __future__ import annotations

from tileir_xdsl.emulator.instructions.match import Match

_HINT = "L2__cache_hint"
_CACHED = ("", "global")
_PRIVATE = ("local", "const", "param")
_ACCESSES = ("ld", "st", "atom", "red")
_WIDE_BITS, _WIDEST_BITS = 128, 256
_CACHED_WIDE = {(8, 32), (4, 64)}
"""Vectors that may have a second-level cache priority, as `(elements, bits of each)`."""


def check_qualifiers(match: Match) -> None:
    """Checks cache hints against the state space, other qualifiers and the operands.

    Raises `EmulatorError` for contradictory qualifiers.
    """
    space = match["space"].split("::")[0]
    if match.instruction.opcode != "createpolicy" and _takes_policy(match):
        hinted = match.has(_HINT)
        if hinted != ("policy" in match.operands):
            raise match.fail("expected a cache policy if and only if there is .L2::cache_hint")
        # Copies name the space that they write to, and have their hint for the other one.
        if hinted and match.instruction.opcode in _ACCESSES and space not in _CACHED:
            raise match.fail(f".L2::cache_hint is not allowed in .{space}")
    if match["level1"]:
        if space not in _CACHED:
            raise match.fail(f".{match['level1']} is not allowed in .{space}")
        if match["cache"]:
            raise match.fail(f".{match['level1']} and .{match['cache']} exclude each other")
    if match["semantics"] and space in _PRIVATE:
        raise match.fail(f"an access to .{space} cannot have a memory order")
    if match["prefetch"] and match.instruction.opcode == "ld" and space not in _CACHED:
        raise match.fail(f".{match['prefetch']} is not allowed in .{space}")


def check_vector(match: Match, count: int, bits: int) -> None:
    """Checks the size of an access of `count` elements of `bits` bits.

    Raises `EmulatorError` for an access that is too wide, or too narrow for its cache priority.
    """
    space, opcode = match["space"].split("::")[0], match.instruction.opcode
    if match["level2"] and (count, bits) not in _CACHED_WIDE:
        raise match.fail(f".{match['level2']} needs a vector of 256 bits")
    if count * bits <= _WIDE_BITS:
        return
    is_async = "async" in match.instruction.mnemonic.split(".")
    is_wide = opcode in ("ld", "st") and not is_async and (count, bits) in _CACHED_WIDE
    if not is_wide or count * bits > _WIDEST_BITS:
        raise match.fail(f"a vector of {count * bits} bits is too wide")
    if space not in _CACHED:
        raise match.fail(f"an access of {count * bits} bits is not allowed in .{space}")


def _takes_policy(match: Match) -> bool:
    return match.has(_HINT) or "policy" in match.operands
