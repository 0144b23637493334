"""The effects of ops on those of their operands that are buffers, not tiles in registers."""

from xdsl.ir import SSAValue

from tileir_xdsl.dialects.memory_effects import Buffer, BufferEffect, Effects, Proxy

from .types import is_handle


def buffer_reads(*values: SSAValue, proxy: Proxy = Proxy.GENERIC) -> tuple[BufferEffect, ...]:
    """A read effect for each value that refers to a buffer."""
    return tuple(
        BufferEffect(value, writes=False, proxy=proxy) for value in values if is_handle(value.type)
    )


def moves(source: SSAValue, destination: SSAValue) -> tuple[BufferEffect, ...]:
    """The effects of a copy by threads, between registers and a buffer or between two buffers."""
    read = buffer_reads(source)
    if not is_handle(destination.type):
        return read
    return (*read, BufferEffect(destination, writes=True, tile=source))


def created_buffer(result: SSAValue) -> Buffer | None:
    """The buffer that an op creates as its result; None for a tile in registers."""
    return Buffer(result) if is_handle(result.type) else None


def bulk_load(destination: SSAValue, *rows: SSAValue) -> Effects:
    """The effects of a bulk copy to a buffer, which one thread starts; `rows` may be buffers."""
    write = BufferEffect(destination, writes=True, proxy=Proxy.ASYNC, is_asynchronous=True)
    return Effects((*buffer_reads(*rows), write), has_barrier=True)


def bulk_store(source: SSAValue, result: SSAValue, *rows: SSAValue) -> Effects:
    """The effects of a bulk copy from a buffer, which one thread starts. If `result` is unused,
    that thread waits for the copy.
    """
    is_waited_for = bool(result.uses)
    read = BufferEffect(source, False, proxy=Proxy.ASYNC, is_asynchronous=is_waited_for)
    return Effects((*buffer_reads(*rows), read))
