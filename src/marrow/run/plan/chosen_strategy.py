"""Which strategy reduces, and with which settings of the algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from marrow.base.errors import UsageError
from marrow.run.options.option import declared
from marrow.run.options.strategy_options import SettingOptions, StrategyOptions

if TYPE_CHECKING:
    from marrow.reducers.algorithms.settings import Settings
    from marrow.reducers.pipeline.strategy import Strategy


def chosen_strategy(values: Mapping[str, Any]) -> Strategy:
    """Return the strategy: the pipeline with its passes, or one algorithm."""
    from marrow.reducers.algorithms.settings import PRESET_ALGORITHMS
    from marrow.reducers.pipeline.pipeline import strategy_of

    choices = {name: values[name] for name in declared(StrategyOptions) if name in values}
    choices.pop("settings", None)
    if values.get("layout") == "keep" and choices.get("algorithm") is None:
        choices["keep_layout"] = True
    if choices.get("algorithm") is None and values.get("preset") in PRESET_ALGORITHMS:
        choices["algorithm"] = PRESET_ALGORITHMS[values["preset"]]
    return strategy_of(settings=chosen_settings(values), **choices)


def chosen_layout(values: Mapping[str, Any]) -> str:
    """Return what becomes of the white space of the result."""
    layout: str | None = values["layout"]
    if values["keep_layout"]:
        if layout not in (None, "keep"):
            raise UsageError(
                f"⟦keep_layout⟧ is another name for ⟦layout keep⟧, and there is ⟦layout {layout}⟧"
                "\nLeave one of them out."
            )
        layout = "keep"
    command = values["formatter"]
    if command is not None and not command.strip():
        raise UsageError("the command given to ⟦formatter⟧ is empty\nName one, or say none.")
    if command not in (None, "none") and layout not in (None, "pretty"):
        raise UsageError(
            f"⟦formatter⟧ is for the pleasant form, and ⟦layout {layout}⟧ makes none\n"
            "Leave one of them out."
        )
    return layout or ("compact" if command is None else "pretty")


#: Options whose field in the settings has another name.
_FIELDS: Final = {"hoist": "hoisting", "compatible": "compatibility", "split": "factor"}


def chosen_settings(values: Mapping[str, Any]) -> Settings:
    """Return the settings of the algorithms: a preset or a given value, changed by options."""
    from marrow.reducers.algorithms.settings import PRESETS, Settings

    preset = values.get("preset")
    settings: Settings | None = values.get("settings")
    if settings is None:
        settings = Settings() if preset is None else PRESETS[preset]
    given = {
        _FIELDS.get(name, name): values[name]
        for name in declared(SettingOptions)
        if name != "preset" and values.get(name) is not None
    }
    try:
        return settings.changed(**given)
    except LookupError as error:
        raise UsageError(str(error.args[0])) from error
