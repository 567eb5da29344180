"""Wrong programs of programming contests, as data: maker, reader, right answer, wrong answer."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import accumulate, pairwise
from random import Random
from typing import Any, Final

from bench.relations.case import Case, Reader, contest, need, number, row, rows

Pairs = list[tuple[int, int]]


def ints(random: Random, count: int, low: int, high: int) -> list[int]:
    """Return random numbers."""
    return [random.randint(low, high) for _ in range(count)]


def permutation(random: Random, count: int) -> list[int]:
    """Return the numbers from 1 on in a random order."""
    return random.sample(range(1, count + 1), count)


def letters(random: Random, count: int, of: str) -> str:
    """Return a random string."""
    return "".join(random.choices(of, k=count))


def tree(random: Random, count: int) -> Pairs:
    """Return the edges of a random tree."""
    name = permutation(random, count)
    return [(name[random.randrange(at)], name[at]) for at in range(1, count)]


def many(one: Any, least: int = 1) -> Any:
    """Return the reader of a number of cases, and then the cases."""
    return lambda r: [one(r) for _ in range(r.ints(1, least, 10**6)[0])]


def n_ints(low: int, high: int) -> Any:
    """Return the reader of a line with n and a line with n numbers."""
    return lambda r: r.ints(r.ints(1, 1, 10**6)[0], low, high)


def edges(r: Reader, count: int, most: int) -> Pairs:
    """Read edges between vertices from 1 to `most`, without loops."""
    found = [tuple(r.ints(2, 1, most)) for _ in range(count)]
    need(all(u != v for u, v in found))
    return found  # type: ignore[return-value]


def neighbours(n: int, pairs: Iterable[tuple[int, ...]]) -> list[list[int]]:
    """Return the neighbours of each vertex."""
    found: list[list[int]] = [[] for _ in range(n + 1)]
    for u, v, *_ in pairs:
        found[u].append(v)
        found[v].append(u)
    return found


def distances(near: list[list[int]], start: int) -> dict[int, int]:
    """Return how far vertices are from one of them."""
    far, queue = {start: 0}, deque([start])
    while queue:
        at = queue.popleft()
        for other in near[at]:
            if other not in far:
                far[other] = far[at] + 1
                queue.append(other)
    return far


def read_tree(r: Reader) -> tuple[int, Pairs]:
    """Read n, and n - 1 edges of a tree."""
    (n,) = r.ints(1, 1, 10**6)
    found = edges(r, n - 1, n)
    need(len(distances(neighbours(n, found), 1)) == n)
    return n, found


def read_graph(r: Reader) -> tuple[int, Pairs]:
    """Read n and m, and m edges."""
    n, m = r.ints(2, 1, 10**6)
    return n, edges(r, m, n)


def read_grid(of: str) -> Any:
    """Return the reader of the rows and columns, and of a grid."""

    def read(r: Reader) -> list[str]:
        height, width = r.ints(2, 1, 5000)
        return [r.string(width, of) for _ in range(height)]

    return read


def diameter(n: int, pairs: Pairs) -> int:
    near = neighbours(n, pairs)
    far = distances(near, 1)
    return max(distances(near, max(far, key=far.__getitem__)).values())


def components(n: int, pairs: Pairs) -> int:
    near, seen, count = neighbours(n, pairs), set[int](), 0
    for one in range(1, n + 1):
        if one not in seen:
            count += 1
            seen |= distances(near, one).keys()
    return count


def linked(n: int, pairs: Pairs) -> int:
    above = list(range(n + 1))
    for u, v in pairs:
        above[u] = v
    return sum(above[one] == one for one in range(1, n + 1))


def best_sum(values: list[int]) -> int:
    best = here = values[0]
    for one in values[1:]:
        here = max(one, here + one)
        best = max(best, here)
    return best


def windows(n: int, k: int, values: list[int]) -> list[int]:
    sums = [0, *accumulate(values)]
    return [sums[at + k] - sums[at] for at in range(n - k + 1)]


def read_windows(r: Reader) -> tuple[int, int, list[int]]:
    n, k = r.ints(2, 1, 10**6)
    need(k <= n)
    return n, k, r.ints(n)


def inversions(values: list[int]) -> int:
    tree_sums, total = [0] * (len(values) + 1), 0
    for seen, one in enumerate(values):
        at, smaller = one, 0
        while at:
            smaller += tree_sums[at]
            at &= at - 1
        total += seen - smaller
        at = one
        while at < len(tree_sums):
            tree_sums[at] += 1
            at += at & -at
    return total


def read_permutation(r: Reader) -> list[int]:
    (n,) = r.ints(1, 1, 10**6)
    values = r.ints(n, 1, n)
    need(len(set(values)) == n)
    return values


def reaches(steps: Pairs) -> Any:
    def reach(grid: list[str]) -> bool:
        seen, stack = {(0, 0)}, [(0, 0)]
        while stack:
            y, x = stack.pop()
            for down, right in steps:
                v, u = y + down, x + right
                inside = 0 <= v < len(grid) and 0 <= u < len(grid[0])
                if inside and (v, u) not in seen and grid[v][u] == ".":
                    seen.add((v, u))
                    stack.append((v, u))
        return (len(grid) - 1, len(grid[0]) - 1) in seen

    return reach


FOUR: Final = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def corners(r: Reader) -> list[str]:
    grid: list[str] = read_grid(".#")(r)
    need(grid[0][0] == "." == grid[-1][-1])
    return grid


def maze(random: Random) -> str:
    grid = [letters(random, 60, "....#") for _ in range(40)]
    for at in range(1, 40):  # a wall with one hole after the other, left and right in turn
        hole = 58 if at % 4 == 1 else 1
        if at % 2:
            grid[at] = "#" * hole + "." + "#" * (59 - hole)
        else:
            grid[at] = "." * 60
    grid[0], grid[39] = "." * 60, "#" * 58 + ".."
    return row((40, 60)) + "\n".join(grid) + "\n"


def prefix(strings: list[str]) -> int:
    least, most = min(strings), max(strings)
    return next((at for at, c in enumerate(least) if most[at : at + 1] != c), len(least))


def read_queries(r: Reader) -> tuple[list[int], Pairs]:
    n, q = r.ints(2, 1, 10**6)
    values = r.ints(n)
    pairs = [tuple(r.ints(2, 1, n)) for _ in range(q)]
    need(all(low <= high for low, high in pairs))
    return values, pairs  # type: ignore[return-value]


def ranges(random: Random, count: int, most: int) -> Pairs:
    return [tuple(sorted(ints(random, 2, 1, most))) for _ in range(count)]  # type: ignore[misc]


def read_counted(r: Reader) -> list[int]:
    """Read a line that starts with the number of its values."""
    words = r.words()
    count = number(words[0], 1, 10**6)
    need(count == len(words) - 1)
    return [number(word) for word in words[1:]]


def read_weighted(r: Reader) -> tuple[int, list[list[int]]]:
    n, m = r.ints(2, 1, 10**6)
    found = [r.ints(3, 1) for _ in range(m)]
    need(all(max(one[:2]) <= n and one[0] != one[1] for one in found))
    need(len(distances(neighbours(n, (tuple(one) for one in found)), 1)) == n)
    return n, found


def weighted(n: int, found: list[list[int]]) -> list[list[tuple[int, int]]]:
    near: list[list[tuple[int, int]]] = [[] for _ in range(n + 1)]
    for u, v, w in found:
        near[u].append((v, w))
        near[v].append((u, w))
    return near


def shortest(n: int, found: list[list[int]]) -> int:
    near, heap, done = weighted(n, found), [(0, 1)], set[int]()
    while True:
        far, at = heappop(heap)
        if at == n:
            return far
        if at not in done:
            done.add(at)
            for other, w in near[at]:
                heappush(heap, (far + w, other))


def fewest(n: int, found: list[list[int]]) -> int:
    near, far, queue = weighted(n, found), {1: 0}, deque([1])
    while queue:
        at = queue.popleft()
        for other, w in near[at]:
            if other not in far:
                far[other] = far[at] + w
                queue.append(other)
    return far[n]


def connected(random: Random, n: int, m: int) -> list[tuple[int, int, int]]:
    pairs = tree(random, n)
    while len(pairs) < m:
        u, v = random.sample(range(1, n + 1), 2)
        pairs.append((u, v))
    random.shuffle(pairs)
    return [(u, v, random.randint(1, 1000)) for u, v in pairs]


def two_rows(r: Reader) -> tuple[list[int], list[int]]:
    (n,) = r.ints(1, 1, 10**6)
    return r.ints(n), r.ints(n)


def until_zeros(r: Reader) -> list[list[list[int]]]:
    found = []
    while (size := r.ints(2, 0, 1000)) != [0, 0]:
        need(min(size) > 0)
        found.append([r.ints(size[1]) for _ in range(size[0])])
    return found


def read_sorted(r: Reader) -> tuple[int, list[int]]:
    n, x = r.ints(2)
    values = r.ints(n)
    need(n > 0 and x in values and all(one < two for one, two in pairwise(values)))
    return x, values


def read_even(r: Reader) -> list[int]:
    (n,) = r.ints(1, 2, 10**6)
    need(n % 2 == 0)
    return r.ints(n, 0, 10**9)


def read_stack(r: Reader) -> list[list[str]]:
    depth, found = 0, []
    for _ in range(r.ints(1, 1, 10**6)[0]):
        words = r.words()
        need(words[0] in ("push", "pop", "top") and len(words) == (2 if words[0] == "push" else 1))
        if words[0] == "push":
            number(words[1], 0, 10**9)
        else:
            need(depth)
        depth += {"push": 1, "pop": -1, "top": 0}[words[0]]
        found.append(words)
    return found


def stack(at: int) -> Any:
    def run(operations: list[list[str]]) -> list[str]:
        held: deque[str] = deque()
        shown = []
        for name, *value in operations:
            if name == "push":
                held.append(value[0])
            elif name == "pop":
                held.pop() if at else held.popleft()
            else:
                shown.append(held[-1])
        return shown

    return run


def some_operations(random: Random) -> str:
    found, depth = [], 0
    for _ in range(3000):
        name = random.choice(["push", "push", "pop", "top"]) if depth else "push"
        depth += {"push": 1, "pop": -1, "top": 0}[name]
        found.append(f"push {random.randint(0, 10**9)}" if name == "push" else name)
    return row([len(found)]) + "\n".join(found) + "\n"


def overlap(closed: int) -> Any:
    def most(pairs: Pairs) -> int:
        events = sorted(
            [(low, 1 - closed, 1) for low, _ in pairs] + [(h, 0.5, -1) for _, h in pairs]
        )
        return max(accumulate(step for _, _, step in events))

    return most


def read_pairs(r: Reader) -> Pairs:
    found = [tuple(r.ints(2, 0, 10**9)) for _ in range(r.ints(1, 1, 10**6)[0])]
    need(all(low <= high for low, high in found))
    return found  # type: ignore[return-value]


def read_items(r: Reader) -> tuple[int, Pairs]:
    n, room = r.ints(2, 1, 10**4)
    return room, [tuple(r.ints(2, 1, 10**6)) for _ in range(n)]  # type: ignore[misc]


def packed(room: int, items: Pairs) -> int:
    best = [0] * (room + 1)
    for weight, value in items:
        for left in range(room, weight - 1, -1):
            best[left] = max(best[left], best[left - weight] + value)
    return best[room]


def greedy(room: int, items: Pairs) -> int:
    total = 0
    for weight, value in sorted(items, key=lambda one: -one[1] / one[0]):
        if weight <= room:
            room, total = room - weight, total + value
    return total


def read_parents(r: Reader) -> tuple[int, list[int]]:
    (n,) = r.ints(1, 2, 10**6)
    above = r.ints(n - 1, 1, n)
    need(all(one <= at for at, one in enumerate(above, 1)))
    return n, above


def two_colours(every: bool) -> Any:
    def answers(cases: list[tuple[int, Pairs]]) -> list[bool]:
        found = []
        for n, pairs in cases:
            near, far = neighbours(n, pairs), dict[int, int]()
            for one in range(1, n + 1) if every else [1]:
                if one not in far:
                    far |= distances(near, one)
            found.append(all(u not in far or (far[u] - far[v]) % 2 for u, v in pairs))
        return found

    return answers


def read_sum(r: Reader) -> list[int]:
    n, total = r.ints(2, 0)
    values = r.ints(n, 0)
    need(n and sum(values) == total)
    return values


def read_flat(r: Reader) -> tuple[int, int, list[int]]:
    height, width = r.ints(2, 1, 5000)
    return height, width, r.ints(height * width)


def weigh_columns(_height: int, width: int, values: list[int]) -> list[int]:
    return [sum(values[x::width]) for x in range(width)]


def read_cells(r: Reader) -> tuple[int, int, list[list[int]]]:
    n, m, k = r.ints(3, 1, 10**6)
    found = [r.ints(3, 1) for _ in range(k)]
    need(all(i <= n and j <= m for i, j, _ in found))
    need(len({(i, j) for i, j, _ in found}) == k)
    return n, m, found


def largest_rows(_n: int, _m: int, cells: list[list[int]], *, swaps: bool = False) -> int:
    most: Counter[int] = Counter()
    for i, j, value in cells:
        at = min(i, j) if swaps else i
        most[at] = max(most[at], value)
    return sum(most.values())


def longest_path(n: int, pairs: Pairs) -> int:
    return in_order(n, sorted(pairs))


def in_order(n: int, pairs: Pairs) -> int:
    length = [0] * (n + 1)
    for u, v in pairs:
        length[v] = max(length[v], length[u] + 1)
    return max(length)


def read_ordered(r: Reader) -> tuple[int, Pairs]:
    n, pairs = read_graph(r)
    need(all(u < v for u, v in pairs))
    return n, pairs


def sums(adds: bool) -> Any:
    def answers(n: int, queries: list[list[int]]) -> list[int]:
        values, shown = [0] * (n + 1), []
        for kind, one, two in queries:
            if kind == 2:
                shown.append(sum(values[one : two + 1]))
            else:
                values[one] = values[one] + two if adds else two
        return shown

    return answers


def read_switches(r: Reader) -> tuple[int, Pairs]:
    n, m = r.ints(2, 1, 10**6)
    pairs = [tuple(r.ints(2, 1, n)) for _ in range(m)]
    need(all(low <= high for low, high in pairs))
    return n, pairs  # type: ignore[return-value]


def lit(n: int, pairs: Pairs, *, off: int = 1) -> int:
    change = [0] * (n + 3)
    for low, high in pairs:
        change[low] += 1
        change[high + off] -= 1
    return sum(one % 2 for one in accumulate(change[: n + 1]))


def blank_cases(r: Reader) -> list[list[int]]:
    found = []
    for _ in range(r.ints(1, 1, 10**5)[0]):
        need(r.line() == "")
        found.append(r.ints(r.ints(1, 1)[0], 0, 10**6))
    return found


def thirty_two(values: list[int]) -> int:
    return (sum(values) + 2**31) % 2**32 - 2**31


CONTESTS: Final[tuple[Case, ...]] = (
    contest(
        "window",
        lambda q: row((5000, 700)) + row(ints(q, 5000, -(10**6), -1)),
        read_windows,
        lambda *a: max(windows(*a)),
        lambda *a: max(0, *windows(*a)),
        "1 1\n-1\n",
    ),
    contest(
        "prefix-sums",
        lambda q: row([100_000]) + row(ints(q, 100_000, -1000, 1000)),
        n_ints(-(10**9), 10**9),
        best_sum,
        lambda v: max(accumulate(v)),
        "2\n-1 0\n",
    ),
    contest(
        "components",
        lambda q: row((2000, 3000)) + rows(q.sample(range(1, 2001), 2) for _ in range(3000)),
        read_graph,
        components,
        linked,
        "3 2\n1 2\n1 3\n",
    ),
    contest(
        "distinct",
        lambda q: (
            row([2000])
            + "".join(
                row([n]) + row(ints(q, n, 1, 10**9) + [7, 8, 7] * (n == 9))
                for n in ints(q, 2000, 1, 30)
            ).replace("\n9\n", "\n12\n")
        ),
        many(n_ints(1, 10**9)),
        lambda c: [len(set(v)) for v in c],
        lambda c: [1 + sum(a != b for a, b in pairwise(v)) for v in c],
        "1\n3\n1 2 1\n",
    ),
    contest(
        "diameter",
        lambda q: row([20_000]) + rows(tree(q, 20_000)),
        read_tree,
        diameter,
        lambda n, e: max(distances(neighbours(n, e), 1).values()),
        "3\n1 2\n1 3\n",
    ),
    contest(
        "inversions",
        lambda q: row([30_000]) + row(permutation(q, 30_000)),
        read_permutation,
        inversions,
        lambda v: sum(a > b for a, b in pairwise(v)),
        "3\n2 3 1\n",
    ),
    contest(
        "maze",
        maze,
        corners,
        reaches(FOUR),
        reaches(FOUR[:2]),
        "2 5\n.#...\n...#.\n",
    ),
    contest(
        "common-prefix",
        lambda q: (
            row([1500])
            + "".join(
                "ab" * q.randint(1, 9) + letters(q, q.randint(1, 20), "abcxyz") + "\n"
                for _ in range(1500)
            )
        ),
        many(lambda r: r.string(None, "abcdefghijklmnopqrstuvwxyz")),
        prefix,
        lambda s: prefix([s[0], s[-1]]),
        "3\na\nb\na\n",
    ),
    contest(
        "range-sums",
        lambda q: (
            row((20_000, 20_000))
            + row(ints(q, 20_000, -1000, 1000))
            + rows(ranges(q, 20_000, 20_000))
        ),
        read_queries,
        lambda v, a: [(s := [0, *accumulate(v)]) and s[h] - s[k - 1] for k, h in a[:99]],
        lambda v, a: [(s := [0, *accumulate(v)]) and s[h] - s[k] for k, h in a[:99]],
        "1 1\n1\n1 1\n",
    ),
    contest(
        "unions",
        lambda q: row([800]) + rows([k, *ints(q, k, 1, 10**6)] for k in ints(q, 800, 1, 25)),
        many(read_counted),
        lambda c: len({x for v in c for x in v}),
        lambda c: len({x for v in c for x in (v[:-1] if len(v) > 1 else v)}),
        "1\n2 0 1\n",
    ),
    contest(
        "shortest-path",
        lambda q: row((3000, 9000)) + rows(connected(q, 3000, 9000)),
        read_weighted,
        shortest,
        fewest,
        "2 2\n1 2 2\n1 2 1\n",
    ),
    contest(
        "dot-product",
        lambda q: row([8000]) + row(ints(q, 8000, 0, 10**6)) + row(ints(q, 8000, 0, 10**6)),
        two_rows,
        lambda a, b: sum(x * y for x, y in zip(sorted(a), sorted(b)[::-1], strict=True)),
        lambda a, b: sum(x * y for x, y in zip(sorted(a), sorted(b), strict=True)),
        "2\n0 1\n0 1\n",
    ),
    contest(
        "median",
        lambda q: row([9999, *ints(q, 9999, 0, 10**6)]),
        read_counted,
        lambda v: sorted(v)[len(v) // 2],
        lambda v: v[len(v) // 2],
        "2 1 0\n",
    ),
    contest(
        "zeros",
        lambda q: (
            "".join(
                row((a, b))
                + rows(
                    ints(q, b, -9 if one != 40 else -99, 99 if one != 40 else -1) for _ in range(a)
                )
                for one, (a, b) in enumerate((q.randint(2, 9), q.randint(5, 9)) for _ in range(90))
            )
            + "0 0\n"
        ),
        until_zeros,
        lambda c: [max(map(sum, m)) for m in c],
        lambda c: [max(0, *map(sum, m)) for m in c],
        "1 1\n-1\n0 0\n",
    ),
    contest(
        "search",
        lambda q: (lambda v: row((len(v), v[-1])) + row(v))(sorted(set(ints(q, 4000, 1, 10**9)))),
        read_sorted,
        lambda x, v: v.index(x),
        lambda x, v: v.index(x) if x < v[-1] else -1,
        "1 0\n0\n",
    ),
    contest(
        "pairs",
        lambda q: row([4000]) + row(ints(q, 4000, 0, 10**9)),
        read_even,
        lambda v: sum(sorted(v)[::2]),
        lambda v: sum(map(min, zip(v[::2], v[1::2], strict=True))),
        "4\n0 1 0 1\n",
    ),
    contest(
        "brackets",
        lambda q: row([60_000]) + "".join(q.sample("()" * 30_000, 60_000)) + "\n",
        lambda r: r.string(r.ints(1, 1)[0], "()"),
        lambda s: (
            min(accumulate(1 if c == "(" else -1 for c in s)) >= 0 and 2 * s.count("(") == len(s)
        ),
        lambda s: 2 * s.count("(") == len(s),
        "2\n)(\n",
    ),
    contest(
        "palindromes",
        lambda q: (
            row([1000])
            + "".join(letters(q, q.randint(5, 40), "abcdefghij") + "\n" for _ in range(1000))
        ),
        many(lambda r: r.string(None, "abcdefghijklmnopqrstuvwxyz")),
        lambda c: [s == s[::-1] for s in c],
        lambda c: [s[0] == s[-1] for s in c],
        "1\naaba\n",
    ),
    contest(
        "symmetry",
        lambda q: (
            row([60])
            + rows(
                ints(q, 60, 0, 0)[:at] + ints(q, 60 - at, 0, 9) if at else ints(q, 60, 0, 0)
                for at in range(60)
            )
        ),
        lambda r: (lambda n: [r.ints(n) for _ in range(n)])(r.ints(1, 1)[0]),
        lambda m: all(m[i][j] == m[j][i] for i in range(len(m)) for j in range(i)),
        lambda m: all(m[0][j] == m[j][0] for j in range(len(m))),
        "3\n0 0 0\n0 0 0\n0 1 0\n",
    ),
    contest(
        "stack",
        some_operations,
        read_stack,
        stack(1),
        stack(0),
        "4\npush 0\npush 1\npop\ntop\n",
    ),
    contest(
        "overlap",
        lambda q: row([5000]) + rows(sorted(ints(q, 2, 0, 3000)) for _ in range(5000)),
        read_pairs,
        overlap(1),
        overlap(0),
        "1\n0 0\n",
    ),
    contest(
        "knapsack",
        lambda q: (
            row((90, 240)) + rows((q.randint(30, 90), q.randint(1, 10**6)) for _ in range(90))
        ),
        read_items,
        packed,
        greedy,
        "2 2\n1 2\n2 3\n",
    ),
    contest(
        "parents",
        lambda q: row([30_000]) + row(q.randint(1, at) for at in range(1, 30_000)),
        read_parents,
        lambda _, p: max(Counter(p).values()),
        lambda _, p: p.count(1),
        "4\n1 2 2\n",
    ),
    contest(
        "two-colours",
        lambda q: (
            row([300])
            + "".join(
                row((n, 2 * n)) + rows(q.sample(range(2, n + 1), 2) for _ in range(2 * n))
                for n in ints(q, 300, 4, 40)
            )
        ),
        many(read_graph),
        two_colours(True),
        two_colours(False),
        "1\n4 3\n2 3\n2 4\n3 4\n",
    ),
    contest(
        "sum",
        lambda q: (lambda v: row((len(v), sum(v))) + row(v))(ints(q, 3000, 0, 1000)),
        read_sum,
        max,
        lambda v: v[0],
        "2 1\n0 1\n",
    ),
    contest(
        "flat",
        lambda q: row((80, 120)) + row(ints(q, 9600, 0, 1000)),
        read_flat,
        weigh_columns,
        lambda h, w, v: [sum(v[x::h][:h]) for x in range(w)],
        "2 1\n0 1\n",
    ),
    contest(
        "cells",
        lambda q: (
            row((300, 500, 2000))
            + rows(
                (at // 500 + 1, at % 500 + 1, q.randint(1, 10**6))
                for at in q.sample(range(150_000), 2000)
            )
        ),
        read_cells,
        largest_rows,
        lambda *a: largest_rows(*a, swaps=True),
        "2 2 2\n1 1 1\n2 1 1\n",
    ),
    contest(
        "longest-path",
        lambda q: (
            row((1500, 4000)) + rows(sorted(q.sample(range(1, 1501), 2)) for _ in range(4000))
        ),
        read_ordered,
        longest_path,
        in_order,
        "3 2\n2 3\n1 2\n",
    ),
    contest(
        "blank-lines",
        lambda q: (
            row([200])
            + "".join("\n" + row([n]) + row(ints(q, n, 0, 10**6)) for n in ints(q, 200, 1, 20))
        ),
        blank_cases,
        lambda c: [max(v) - min(v) for v in c],
        lambda c: [abs(v[-1] - v[0]) for v in c],
        "1\n\n3\n0 1 0\n",
    ),
    contest(
        "overflow",
        lambda q: row([3000]) + row(ints(q, 3000, 1, 10**9)),
        n_ints(0, 10**9),
        sum,
        thirty_two,
        "3\n147483648 1000000000 1000000000\n",
    ),
    contest(
        "switches",
        lambda q: row((100_000, 2000)) + rows(ranges(q, 2000, 100_000)),
        read_switches,
        lit,
        lambda n, p: lit(n, p, off=0),
        "1 1\n1 1\n",
    ),
)
