"""Converts agents and the queues between them to an `agent_switch` with a pipeline for each queue.

    %q = nv_tileaa.create_queue {stages = 2 : i32} : Q
    nv_tileaa.execute(%q : Q) .. {
    ^bb0(%p: Q):
      nv_tileaa.queue.put %p : Q { .. nv_tileaa.queue.yield %x : T }
      ..
    ->
    %b = nv_tileas.alloc_tensor : ..
    %p, %c = nv_tileas.async.pipeline.create_pipeline %b {numStages = 2 : i32, ..}
    %i = nv_tileas.async.pipeline.create_iterator %p
    nv_tileas.async.pipeline.agent_switch %p, %c, %i, .. {
    ^bb0(%p1 : P, %c1 : C, %i1 : I, ..):
      %p2 = nv_tileas.async.pipeline.produce_one %p1, %i1 .. { .. yield %x : T }
      %i2 = nv_tileas.async.pipeline.inc_iter %i1
      ..

`queue.get` becomes `consume_one` likewise. Each endpoint of a queue, the producing agent or one
consumer, has its own iterator, which loops and branches carry. A switch has no results, so an
endpoint that one agent uses cannot be used by another agent or after the switch.
"""

from collections.abc import Mapping, Sequence

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.analysis.regions.scopes import scope_of
from tileir_xdsl.builders.pipelines import (
    AgentSpec,
    build_agent_switch,
    build_create_iterator,
    build_create_pipeline,
    build_inc_iter,
    build_pipeline_op,
    build_pipeline_yield,
)
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.pipeline_enumeration import PipelineOp
from tileir_xdsl.rewriting import look_up
from tileir_xdsl.walking import ancestors, ops_in

from .queue_endpoints import FAILURE, End, Handshake, find_queue_endpoints, storage_types

CONVERTED: Mapping[type[Operation], tuple[type[Operation], ...]] = {
    nv_tileaa.CreateQueueOp: (
        nv_tileas.AllocTensorOp,
        nv_tileas.CreatePipelineOp,
        nv_tileas.CreateIteratorOp,
    ),
    nv_tileaa.ExecuteOp: (nv_tileas.AgentSwitchOp,),
    nv_tileaa.QueueGetOp: (nv_tileas.ConsumeOneOp, nv_tileas.IncIterOp),
    nv_tileaa.QueuePutOp: (nv_tileas.ProduceOneOp, nv_tileas.IncIterOp),
    nv_tileaa.QueueYieldOp: (nv_tileas.PipelineYieldOp,),
}
"""The ops that replace queue ops and agents; agents' terminators become pipeline yields too.
"""

HANDSHAKES: Mapping[type[Operation], PipelineOp] = {
    nv_tileaa.QueueGetOp: PipelineOp.CONSUME_ONE,
    nv_tileaa.QueuePutOp: PipelineOp.PRODUCE_ONE,
}
"""The kind of pipeline op that replaces each queue handshake."""

AGENT_OPS = (*CONVERTED, nv_tileaa.MarkForReuseOp)

Iterators = dict[End, SSAValue]
"""The current iterator of each queue endpoint at one point of the program."""


def convert_agents(module: ModuleOp) -> None:
    """Converts all agents and queues of a module.

    Raises `PassFailedException` with a note that names the op, if a queue cannot become a pipeline.
    """
    functions = dict.fromkeys(scope_of(op) for op in ops_in(module) if isinstance(op, AGENT_OPS))
    for function in functions:
        # First: a handshake inside of another one's region would hold two stages at a time.
        hoist_nested_handshakes(function)
        QueueConversion(function).convert()


def hoist_nested_handshakes(function: Operation) -> None:
    """Moves the body of a `queue.put` before the op, if the body uses queues; it runs first
    anyway.
    """
    for op in [op for op in ops_in(function) if isinstance(op, nv_tileaa.QueuePutOp)]:
        if any(isinstance(inner, Handshake) for inner in ops_in(op.body)):
            *inner_ops, _ = op.body.block.ops
            for inner in inner_ops:
                inner.detach()
                Rewriter.insert_op(inner, InsertPoint.before(op))


def insert_before(op: Operation, new_ops: Sequence[Operation]) -> None:
    """Inserts new ops before an op, with the op's location."""
    for new_op in new_ops:
        new_op.location = op.location
    Rewriter.insert_op(new_ops, InsertPoint.before(op))


def _whole_stage(_: Builder, stage: Sequence[BlockArgument]) -> Sequence[SSAValue]:
    """Yields all values of the stage."""
    return stage


def extend_terminator(block: Block, values: Sequence[SSAValue]) -> None:
    """Appends forwarded values to a block's terminator."""
    terminator = block.last_op
    assert terminator is not None
    # Appended, so that the results that an op had keep their numbers.
    terminator.operands = [*terminator.operands, *values]


class QueueConversion:
    """Converts the queues and agents of one function."""

    def __init__(self, function: Operation):
        self.function = function
        self.ends = find_queue_endpoints(function)
        self.tokens: dict[SSAValue, tuple[SSAValue, SSAValue]] = {}
        """The producer token and consumer token of each queue."""
        self.obsolete: list[Operation] = []
        """The `create_queue` ops, which are erased after all their uses are converted."""

    def convert(self) -> None:
        self.convert_regions(self.function, {})
        for op in self.obsolete:
            op.detach()
            op.erase()

    def convert_regions(self, op: Operation, iterators: Mapping[End, SSAValue]) -> None:
        """Converts regions that use no endpoint of an outer queue."""
        for region in op.regions:
            for block in region.blocks:
                self.convert_block(block, dict(iterators))

    def convert_block(self, block: Block, iterators: Iterators) -> None:
        """Converts the ops of a block in order, and updates `iterators` to those at its end."""
        for op in tuple(block.ops):
            match op:
                case nv_tileaa.CreateQueueOp():
                    self.convert_create(op, iterators)
                case nv_tileaa.QueuePutOp():
                    self.convert_put(op, iterators)
                case nv_tileaa.QueueGetOp():
                    self.convert_get(op, iterators)
                case nv_tileaa.MarkForReuseOp():
                    self.convert_mark(op)
                case nv_tileaa.ExecuteOp():
                    self.convert_execute(op, iterators)
                case _ if op.regions:
                    self.convert_structured(op, iterators)
                case _:
                    pass

    # Queues and their ends

    def convert_create(self, op: nv_tileaa.CreateQueueOp, iterators: Iterators) -> None:
        """Creates a queue's buffers for all stages, its pipeline, and an iterator for each
        endpoint.
        """
        assert isinstance(op.result.type, nv_tileaa.QueueType)
        stages, payload = op.stages.value.data, op.result.type.element_types.data
        buffer_types = storage_types(payload, stages)
        # A stage is bytes in shared memory; a token or a view has none.
        if buffer_types is None:
            fail(op, FAILURE)
        buffers = [nv_tileas.AllocTensorOp(type) for type in buffer_types]
        insert_before(op, buffers)
        builder = Builder(InsertPoint.before(op))
        pipeline = build_create_pipeline(
            builder,
            [buffer.result for buffer in buffers],
            stages,
            self.ends.group(op, consumers=False),
            self.ends.group(op, consumers=True),
        )
        pipeline.location = op.location
        # Discardable attributes are the user's.
        pipeline.attributes.update(op.attributes)
        self.tokens[op.result] = (pipeline.producer, pipeline.consumer)
        for end in self.ends.of_queue.get(op, ()):
            token = pipeline.producer if end.consumer is None else pipeline.consumer
            iterator = build_create_iterator(builder, token, payload)
            iterator.location = op.location
            iterators[end] = iterator.result
        self.obsolete.append(op)

    def iterator(self, op: Handshake, iterators: Iterators) -> SSAValue:
        """The current iterator of a handshake's endpoint; fails after an agent has advanced it."""
        iterator = iterators.get(self.ends.of(op))
        if iterator is None:
            fail(op, FAILURE)
        return iterator

    def convert_put(self, op: nv_tileaa.QueuePutOp, iterators: Iterators) -> None:
        """Moves the body, which computes the stage's values, into a `produce_one`."""
        iterator = self.iterator(op, iterators)
        self.convert_regions(op, iterators)

        def compute(body: Builder, _: Sequence[BlockArgument]) -> Sequence[SSAValue]:
            # The region of `produce_one` gets the stage as arguments, which a put does not read.
            *inner_ops, terminator = op.body.block.ops
            for inner in inner_ops:
                inner.detach()
                body.insert(inner)
            build_pipeline_yield(body, terminator.operands).location = terminator.location
            return ()

        token, _ = self.tokens[op.queue]
        before = Builder(InsertPoint.before(op))
        handshake = build_pipeline_op(before, HANDSHAKES[type(op)], token, iterator, compute)
        self.finish(op, handshake, iterator, iterators)

    def convert_get(self, op: nv_tileaa.QueueGetOp, iterators: Iterators) -> None:
        """Creates a `consume_one` that returns the stage's values."""
        iterator = self.iterator(op, iterators)
        assert isinstance(iterator.type, nv_tileas.PipelineIteratorType)
        consumer = self.ends.of(op).consumer
        assert consumer is not None
        _, token = self.tokens[op.queue]
        handshake = build_pipeline_op(
            Builder(InsertPoint.before(op)),
            HANDSHAKES[type(op)],
            token,
            iterator,
            consumer,
            _whole_stage,
            iterator.type.payload.data,
        )
        values = handshake.results[len(handshake.results) - len(op.values) :]
        for old, new in zip(op.values, values, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        self.finish(op, handshake, iterator, iterators)

    def finish(
        self, op: Handshake, handshake: Operation, iterator: SSAValue, iterators: Iterators
    ) -> None:
        """Replaces `op` by a handshake and advances the iterator."""
        handshake.attributes.update(op.attributes)
        handshake.location = op.location
        advance = build_inc_iter(Builder(InsertPoint.before(op)), iterator)
        advance.location = op.location
        iterators[self.ends.of(op)] = advance.result
        op.detach()
        op.erase()

    def convert_mark(self, op: nv_tileaa.MarkForReuseOp) -> None:
        """Keeps the mark, on the queues' tokens."""
        tokens = [token for value in op.values for token in self.tokens.get(value, ())]
        # Two tokens for each queue: fewer mean that a value is not a queue.
        if len(tokens) != 2 * len(op.values):
            fail(op, "expect operands with queue types")
        op.operands = tokens

    # Agents

    def convert_execute(self, op: nv_tileaa.ExecuteOp, iterators: Iterators) -> None:
        """Creates a switch whose agents get each queue's two tokens and the iterators of used
        endpoints.
        """
        carried = self.carried(op, iterators)
        self.check_agents(op)
        inputs: list[SSAValue] = []
        for value in op.inputs:
            inputs += self.tokens.get(value, (value,))
        inputs += carried.values()
        for body in op.bodies:
            self.convert_agent(body.block, op.inputs, carried)
        registers = op.agent_registers or [None] * len(op.bodies)
        bodies = [op.detach_region(body) for body in tuple(op.bodies)]
        switch = build_agent_switch(
            Builder(InsertPoint.before(op)),
            inputs,
            [AgentSpec(body, most) for body, most in zip(bodies, registers, strict=True)],
            agents_per_group=op.agents_per_group,
            isolated=op.isolated is not None,
        )
        switch.attributes.update(op.attributes)
        switch.location = op.location
        op.detach()
        op.erase()
        for end in carried:
            # A switch has no results, so where agents leave a queue is unknown after it.
            del iterators[end]

    def check_agents(self, op: nv_tileaa.ExecuteOp) -> None:
        """Raises `PassFailedException` if two agents use one endpoint of a queue."""
        agent_of: dict[End, Region | None] = {}
        for user in ops_in(op):
            if isinstance(user, Handshake):
                around = [user, *ancestors(user)]
                # The region of this switch that holds the handshake, however deep it is nested.
                agent = around[around.index(op) - 1].parent_region()
                # Two agents would each advance an iterator of their own and fill the same stage.
                if agent_of.setdefault(self.ends.of(user), agent) is not agent:
                    fail(user, FAILURE)

    def convert_agent(
        self, block: Block, inputs: Sequence[SSAValue], carried: Mapping[End, SSAValue]
    ) -> None:
        """Converts the region of one agent, with block arguments for its tokens and iterators."""
        queues: list[BlockArgument] = []
        for argument, value in zip(tuple(block.args), inputs, strict=True):
            if value in self.tokens:
                types = [token.type for token in self.tokens[value]]
                first = argument.index + 1
                producer, consumer = (
                    block.insert_arg(type, first + i) for i, type in enumerate(types)
                )
                self.tokens[argument] = (producer, consumer)
                queues.append(argument)
        own = {end: block.insert_arg(it.type, len(block.args)) for end, it in carried.items()}
        self.convert_block(block, dict[End, SSAValue](own))
        for queue in queues:
            # Only now: uses of the queue were looked up by this argument until here.
            block.erase_arg(queue)
        terminator = block.last_op
        assert terminator is not None
        end = build_pipeline_yield(Builder(InsertPoint.before(terminator)))
        end.location = terminator.location
        terminator.detach()
        terminator.erase()

    # Loops and branches

    def carried(self, op: Operation, iterators: Iterators) -> Iterators:
        """The iterators of outer queues' endpoints that an op uses."""
        carried: Iterators = {}
        for end, user in self.ends.inside.get(op, {}).items():
            # A queue that is made inside begins anew in every iteration.
            if op in ancestors(end.queue):
                continue
            if end not in iterators:
                fail(user, FAILURE)
            carried[end] = iterators[end]
        return carried

    def convert_structured(self, op: Operation, iterators: Iterators) -> None:
        """Makes an op with regions carry the iterators that it advances."""
        carried = self.carried(op, iterators)
        if not carried:
            self.convert_regions(op, iterators)
            return
        takes_arguments = look_up(CARRIERS, op)
        if takes_arguments is None:
            fail(next(iter(self.ends.inside[op].values())), FAILURE)
        types = [iterator.type for iterator in carried.values()]
        for region in op.regions:
            if not region.blocks:
                # The missing else of an `if` must yield iterators too.
                region.add_block(Block([scf.YieldOp()]))
            block = region.block
            inner = dict(carried)
            if takes_arguments:
                for end, iterator_type in zip(carried, types, strict=True):
                    inner[end] = block.insert_arg(iterator_type, len(block.args))
            self.convert_block(block, inner)
            for end in carried:
                if end not in inner:
                    fail(self.ends.inside[op][end], FAILURE)
            extend_terminator(block, [inner[end] for end in carried])
        new_op = type(op).create(
            operands=[*op.operands, *carried.values()] if takes_arguments else op.operands,
            result_types=[*op.result_types, *types],
            properties=op.properties,
            attributes=op.attributes,
            regions=[op.detach_region(region) for region in tuple(op.regions)],
            location=op.location,
        )
        count = len(op.results)
        Rewriter.replace_op(op, new_op, new_op.results[:count])
        iterators.update(zip(carried, new_op.results[count:], strict=True))


CARRIERS: Mapping[type[Operation], bool] = {
    nv_tileaa.PragmaOp: False,
    scf.ForOp: True,
    scf.IfOp: False,
    scf.WhileOp: True,
}
"""The ops that may carry iterators, and whether their blocks have these as arguments.

The results of these ops are variadic and last, and terminator operands are forwarded to the
results.
"""
