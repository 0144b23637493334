"""Ctrl-C that is put off while processes are started."""

import signal

import pytest

from tileir_xdsl.runtime.executors import interrupts_held


@pytest.mark.parametrize("times", [1, 3])
def test_an_interrupt_is_put_off_and_not_lost(times: int):
    reached = False
    with pytest.raises(KeyboardInterrupt), interrupts_held():
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        reached = True
    assert reached


def test_nothing_is_left_of_it():
    before = signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with interrupts_held():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert before == (signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, ()))
