"""Minimum cuts of networks with integer capacities, by Dinic's algorithm.

A cut separates the nodes into a side of the source and a side of the sink; its value is the total
capacity of the edges from the first to the second.
"""

from collections import deque

SOURCE, SINK = 0, 1
"""The two nodes that every network has."""


class FlowNetwork:
    """A directed network; nodes are numbered, and edges never removed."""

    def __init__(self) -> None:
        self._edges: list[list[int]] = [[], []]
        # Edge e and its reverse e ^ 1 stand side by side.
        self._heads: list[int] = []
        self._residuals: list[int] = []

    def add_node(self) -> int:
        """A new node."""
        self._edges.append([])
        return len(self._edges) - 1

    def add_edge(self, tail: int, head: int, capacity: int) -> None:
        """An edge that costs `capacity` where its tail is on the source's side, its head not."""
        self._edges[tail].append(len(self._heads))
        self._edges[head].append(len(self._heads) + 1)
        self._heads += [head, tail]
        self._residuals += [capacity, 0]

    def source_side(self) -> list[bool]:
        """For each node whether it is on the source's side of a minimum cut, the smallest one.

        The network is used up: a second call finds nothing left to send.
        """
        while True:
            levels = self._levels()
            if levels[SINK] < 0:
                return [level >= 0 for level in levels]
            self._saturate(levels)

    def _levels(self) -> list[int]:
        """The distance of each node from the source along edges with capacity left; else -1."""
        levels = [-1] * len(self._edges)
        levels[SOURCE] = 0
        queue = deque([SOURCE])
        heads, residuals = self._heads, self._residuals
        while queue:
            node = queue.popleft()
            for edge in self._edges[node]:
                head = heads[edge]
                if residuals[edge] and levels[head] < 0:
                    levels[head] = levels[node] + 1
                    queue.append(head)
        return levels

    def _saturate(self, levels: list[int]) -> None:
        """Sends flow along shortest paths until none is left."""
        heads, residuals, edges = self._heads, self._residuals, self._edges
        tried = [0] * len(edges)
        path: list[int] = []
        node = SOURCE
        while True:
            if node == SINK:
                amount = min(residuals[edge] for edge in path)
                for edge in path:
                    residuals[edge] -= amount
                    residuals[edge ^ 1] += amount
                # Goes on from the first edge that is full now.
                full = next(i for i, edge in enumerate(path) if not residuals[edge])
                node = heads[path[full] ^ 1]
                del path[full:]
                continue
            if tried[node] < len(edges[node]):
                edge = edges[node][tried[node]]
                head = heads[edge]
                if residuals[edge] and levels[head] == levels[node] + 1:
                    path.append(edge)
                    node = head
                else:
                    tried[node] += 1
                continue
            if not path:
                return
            node = heads[path.pop() ^ 1]
            tried[node] += 1
