"""Fit models anew to the logs of their training, after a change of the fitting: no check is run.

python -m bench.training.refit c java
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from bench.training.scores import LOGS, read_log
from marrow.learn.model import Model
from marrow.training.evaluate import compared
from marrow.training.fit import fit

_MODELS: Final = Path(__file__).resolve().parents[2] / "src" / "marrow" / "learn" / "models"


def main() -> None:
    for language in sys.argv[1:]:
        record = Model.from_json((LOGS / f"{language}.json").read_text(encoding="utf-8")).provenance
        files = read_log(LOGS / f"{language}.csv")
        observations = [one for file in files for one in file]
        if record["removals"] != len(observations):
            sys.exit(f"{language}: the log is not the one that the model was made from")
        model = fit(language, observations, {**record, **compared(files)})
        (_MODELS / f"{language}.json").write_text(model.to_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
