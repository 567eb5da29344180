"""Settings for every test: property tests are repeatable and have no deadline of their own."""

import signal
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from marrow.languages.language_facts import LanguageFacts
from marrow.run.output import pretty_result
from marrow.run.test import check_test, guards

settings.register_profile(
    "marrow",
    deadline=None,
    derandomize=True,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("marrow")

#: Modules that drive clusters, terminals, browsers, other reducers, or take long. `make test`
#: leaves them out; `make test-all` and CI run them.
SLOW = {
    "abstraction/test_deep.py",
    "bench/test_attack.py",
    "bench/test_compare.py",
    "bench/test_papers.py",
    "cli/test_cluster.py",
    "cli/test_cluster_tls.py",
    "cli/test_foreign_children.py",
    "cli/test_sandbox.py",
    "cli/test_several.py",
    "cli/test_stopped.py",
    "cli/test_terminal.py",
    "cli/test_tmux.py",
    "cli/test_train.py",
    "docs/test_command_examples.py",
    "engine/executors/test_cluster.py",
    "engine/executors/test_cluster_doors.py",
    "engine/executors/test_endurance.py",
    "engine/executors/test_scheduler_lost.py",
    "engine/process/test_sandbox_table.py",
    "grammar/test_generate_shipped.py",
    "grammar/test_normalize.py",
    "grammar/test_parse_random.py",
    "reducers/algorithms/test_hdd_scale.py",
    "reducers/test_compilers.py",
    "report/test_page.py",
    "run/plan/test_difference.py",
    "syntax/test_lines.py",
    "test_linear_expressions.py",
}

HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", "slow: left out by `make test`, run by `make test-all`")


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Mark the tests of slow modules."""
    for item in items:
        if item.path.relative_to(HERE).as_posix() in SLOW:
            item.add_marker(pytest.mark.slow)


# A shell starts what runs in the background with the first two ignored, `nohup` with the third, and
# programs leave them so: the tests of signals would wait in vain.
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        usual = signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL
        signal.signal(_number, usual)


@pytest.fixture(scope="session", autouse=True)
def the_same_on_any_machine() -> Iterator[None]:
    """How often a test runs that is never interesting depends on the machine, and so do the
    formatters that are installed and the configuration of the user: tests have none of these."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", "/nowhere")
        patch.delenv("MARROW_CONFIG", raising=False)
        patch.setattr(check_test, "MOST_NEVER", check_test.FIRST_RUNS)
        for module in (pretty_result, guards):
            patch.setattr(module, "facts_of", lambda _: LanguageFacts())
        yield
