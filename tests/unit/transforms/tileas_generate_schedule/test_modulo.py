"""Modulo schedules keep to dependences and resources, at the shortest interval where that is known."""

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import test
from xdsl.ir import Operation

from tileir_xdsl.analysis.scheduling.dependences import Dependence
from tileir_xdsl.analysis.scheduling.occupancy import Occupancy
from tileir_xdsl.targets.throughput import Resource
from tileir_xdsl.transforms.tileas_generate_schedule.modulo import (
    ReservationTable,
    Schedule,
    modulo_schedule,
    serial_schedule,
)

MATRIX, COPY = Resource.MATRIX, Resource.COPY


def ops(count: int) -> list[Operation]:
    return [test.TestOp() for _ in range(count)]


def check(
    schedule: Schedule, dependences: list[Dependence], occupancies: dict[Operation, Occupancy]
) -> None:
    """All ops wait for what they depend on, and no resource is taken twice in a row."""
    for d in dependences:
        occupancy = occupancies[d.before]
        waits = occupancy.cycles if d.is_chained else occupancy.latency
        assert schedule.start[d.before] + waits <= (
            schedule.start[d.after] + schedule.interval * d.distance
        )
    for resource in Resource:
        rows = [
            (schedule.start[op] + cycle) % schedule.interval
            for op, occupancy in occupancies.items()
            if occupancy.resource is resource
            for cycle in range(occupancy.cycles)
        ]
        assert len(rows) == len(set(rows))


def test_a_load_and_a_product_overlap():
    load, dot = ops(2)
    occupancies = {load: Occupancy(COPY, 100, 900), dot: Occupancy(MATRIX, 120, 180)}
    dependences = [Dependence(load, dot, 0), Dependence(dot, dot, 1, is_chained=True)]
    schedule = modulo_schedule([load, dot], dependences, occupancies)
    check(schedule, dependences, occupancies)
    assert schedule.interval == schedule.resource_bound == 120
    assert schedule.stage(dot) - schedule.stage(load) == 7
    assert schedule.stages == 8


def test_carried_values_bound_the_interval():
    first, second = ops(2)
    occupancies = {first: Occupancy(MATRIX, 10, 50), second: Occupancy(COPY, 10, 30)}
    dependences = [Dependence(first, second, 0), Dependence(second, first, 1)]
    schedule = modulo_schedule([first, second], dependences, occupancies)
    check(schedule, dependences, occupancies)
    assert schedule.interval == schedule.carried_bound == 80


def test_a_cycle_over_two_iterations_counts_half():
    first, second = ops(2)
    occupancies = {first: Occupancy(MATRIX, 10, 50), second: Occupancy(COPY, 10, 30)}
    dependences = [Dependence(first, second, 0), Dependence(second, first, 2)]
    assert modulo_schedule([first, second], dependences, occupancies).interval == 40


def test_ops_of_one_resource_take_turns():
    loop = ops(3)
    occupancies = {op: Occupancy(MATRIX, 30, 30) for op in loop}
    schedule = modulo_schedule(loop, [], occupancies)
    check(schedule, [], occupancies)
    assert schedule.interval == 90
    assert sorted(schedule.order().values()) == [0, 1, 2]


def test_the_serial_schedule_has_one_stage():
    loop = ops(3)
    occupancies = {op: Occupancy(MATRIX, 10, 40) for op in loop}
    schedule = serial_schedule(loop, occupancies)
    assert [schedule.start[op] for op in loop] == [0, 40, 80]
    assert schedule.stages == 1


def test_a_footprint_goes_round():
    table = ReservationTable(8)
    table.take(MATRIX, 6, 4)
    assert table.taken[MATRIX] == 0b11000011
    assert table.is_free(MATRIX, 10, 4) and not table.is_free(MATRIX, 9, 2)
    assert table.is_free(COPY, 6, 8)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_random_loops(data: st.DataObject):
    loop = ops(data.draw(st.integers(1, 8)))
    occupancies: dict[Operation, Occupancy] = {}
    for op in loop:
        cycles = data.draw(st.integers(0, 20))
        resource = data.draw(st.sampled_from(Resource))
        occupancies[op] = Occupancy(resource, cycles, cycles + data.draw(st.integers(0, 40)))
    dependences: list[Dependence] = []
    for _ in range(data.draw(st.integers(0, 12))):
        a, b = (data.draw(st.integers(0, len(loop) - 1)) for _ in range(2))
        distance = data.draw(st.integers(int(a >= b), 3))
        dependences.append(Dependence(loop[a], loop[b], distance, data.draw(st.booleans())))
    schedule = modulo_schedule(loop, dependences, occupancies)
    check(schedule, dependences, occupancies)
    assert schedule.interval >= max(schedule.resource_bound, schedule.carried_bound)
