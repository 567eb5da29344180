"""Walk a directory and count words."""

import os
from collections import defaultdict, Counter as Tally


@dataclass(frozen=True)
class Report:
    name: str
    counts: dict[str, int] = field(default_factory=dict)

    def lines(self, *, limit=10):
        # The most frequent words first.
        for word, count in sorted(self.counts.items(), key=lambda pair: -pair[1])[:limit]:
            yield f"{word:>{20}} {count!r}"

def words(path, skip=("the", "a"), **options):
    """Yield words.

        This text keeps its indentation.
    """
    with open(path, encoding="utf-8") as file, lock:
        for number, line in enumerate(file):
            if not line.strip() or (number > 1000 and
                                    options.get("short")):
                continue
            elif line.startswith("#"):
                pass
            else:
                try:
                    value = (1 +
                             number) * 2
                    yield from (word for word in line.split() if word not in skip)
                except (ValueError, KeyError) as error:
                    raise RuntimeError("bad line") from error
                finally:
                    del value

total = 0; tally = Tally()
while total < 3: total += 1
if __name__ == "__main__":
    tally.update(words("a.txt", *["b"]))
    print(tally[0:2], {1, 2}, {**tally}, [x for x in range(3)], -total ** 2, not total)
