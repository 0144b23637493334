"""The effects of ops on buffers, by what their operands are: buffers, or tiles in registers."""

from xdsl.ir import SSAValue

from tileir_xdsl.dialects.memory_effects import Buffer, BufferEffect, Effects, Proxy

from .types import is_handle


def buffer_reads(*values: SSAValue, proxy: Proxy = Proxy.GENERIC) -> tuple[BufferEffect, ...]:
    """Reads of those of some values that name buffers."""
    return tuple(
        BufferEffect(value, writes=False, proxy=proxy) for value in values if is_handle(value.type)
    )


def moves(source: SSAValue, destination: SSAValue) -> tuple[BufferEffect, ...]:
    """A copy between registers and a buffer, or between two buffers, by the threads."""
    read = buffer_reads(source)
    if not is_handle(destination.type):
        return read
    return (*read, BufferEffect(destination, writes=True, tile=source))


def created_buffer(result: SSAValue) -> Buffer | None:
    """The buffer that a result names as the first value; None for a tile in registers."""
    return Buffer(result) if is_handle(result.type) else None


def bulk_load(destination: SSAValue, *rows: SSAValue) -> Effects:
    """A copy to a buffer that one thread starts; it reads the numbers of rows where they are."""
    write = BufferEffect(destination, writes=True, proxy=Proxy.ASYNC, is_asynchronous=True)
    return Effects((*buffer_reads(*rows), write), has_barrier=True)


def bulk_store(source: SSAValue, result: SSAValue, *rows: SSAValue) -> Effects:
    """A copy from a buffer that one thread starts, and waits for where nothing else does."""
    is_waited_for = bool(result.uses)
    read = BufferEffect(source, False, proxy=Proxy.ASYNC, is_asynchronous=is_waited_for)
    return Effects((*buffer_reads(*rows), read))
