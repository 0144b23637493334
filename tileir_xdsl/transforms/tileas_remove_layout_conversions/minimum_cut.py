"""Minimum cuts of networks with integer capacities, by Dinic's algorithm.

A cut separates the nodes into a side of the source and a side of the sink. The value of a cut is
the total capacity of the edges from the first side to the second. Edges at the source and the sink
are stored as the excess of each node, which is negative for edges to the sink.
"""

from collections.abc import Iterable

SOURCE, SINK = 0, 1
"""The two nodes that every network has."""

UNREACHED = -2
"""The level of a node from which no flow reaches the sink."""


class FlowNetwork:
    """A directed network with numbered nodes."""

    def __init__(self) -> None:
        self._edges: list[list[int]] = [[], []]
        # Edge e and its reverse e ^ 1 stand next to each other.
        self._heads: list[int] = []
        self._residuals: list[int] = []
        # The flow that a node gets from the source, or lacks of its flow to the sink.
        self._excess: list[int] = [0, 0]

    def add_node(self) -> int:
        """A new node."""
        self._edges.append([])
        self._excess.append(0)
        return len(self._edges) - 1

    def add_edge(self, tail: int, head: int, capacity: int) -> None:
        """Adds an edge that costs `capacity` if its tail is on the source's side and its head is
        not.
        """
        if tail == SOURCE:
            # Kept as a number: most nodes have such an edge, and many have both, which cancel.
            self._excess[head] += capacity
        elif head == SINK:
            self._excess[tail] -= capacity
        elif tail != SINK and head != SOURCE:
            self._edges[tail].append(len(self._heads))
            self._edges[head].append(len(self._heads) + 1)
            self._heads += (head, tail)
            self._residuals += (capacity, 0)

    def source_side(self) -> list[bool]:
        """For each node, whether it is on the smallest source's side of a minimum cut.

        The call consumes the capacities; a second call finds no flow.
        """
        # Edges between the two ends are cut in any case.
        self._excess[SOURCE] = self._excess[SINK] = 0
        full = [node for node, excess in enumerate(self._excess) if excess > 0]
        while full:
            levels = self._levels()
            sending = [node for node in full if levels[node] != UNREACHED]
            if not sending:
                break
            self._saturate(levels, sending)
            full = [node for node in full if self._excess[node]]
        return self._reached_from(full)

    def _levels(self) -> list[int]:
        """The distance of each node to the nearest node with a deficit, along edges with capacity
        left, or `UNREACHED`.
        """
        heads, residuals, edges = self._heads, self._residuals, self._edges
        queue = [node for node, excess in enumerate(self._excess) if excess < 0]
        levels = [UNREACHED] * len(edges)
        for node in queue:
            levels[node] = 0
        for node in queue:
            for edge in edges[node]:
                tail = heads[edge]
                if levels[tail] == UNREACHED and residuals[edge ^ 1]:
                    levels[tail] = levels[node] + 1
                    queue.append(tail)
        return levels

    def _saturate(self, levels: list[int], sending: Iterable[int]) -> None:
        """Sends the excess of nodes along shortest paths until no such path is left."""
        heads, residuals, edges, excess = self._heads, self._residuals, self._edges, self._excess
        # Each edge is given up once a phase, which bounds its time (Dinic).
        tried = [0] * len(edges)
        for start in sending:
            path: list[int] = []
            node = start
            while True:
                if excess[node] < 0:
                    room = [residuals[edge] for edge in path]
                    amount = min(excess[start], -excess[node], *room)
                    excess[start] -= amount
                    excess[node] += amount
                    for edge in path:
                        residuals[edge] -= amount
                        residuals[edge ^ 1] += amount
                    if not excess[start]:
                        break
                    path, node = [], start
                    continue
                if tried[node] < len(edges[node]):
                    edge = edges[node][tried[node]]
                    head = heads[edge]
                    if residuals[edge] and levels[head] == levels[node] - 1:
                        path.append(edge)
                        node = head
                    else:
                        tried[node] += 1
                    continue
                if not path:
                    break
                node = heads[path.pop() ^ 1]
                tried[node] += 1

    def _reached_from(self, nodes: list[int]) -> list[bool]:
        """For each node, whether it is among `nodes` or reachable from them along edges with
        capacity left.
        """
        reached = [False] * len(self._edges)
        for node in (SOURCE, *nodes):
            reached[node] = True
        pending = list(nodes)
        for node in pending:
            for edge in self._edges[node]:
                head = self._heads[edge]
                if self._residuals[edge] and not reached[head]:
                    reached[head] = True
                    pending.append(head)
        return reached
