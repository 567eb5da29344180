"""Settings for every test: property tests are repeatable and have no deadline of their own."""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile(
    "marrow",
    deadline=None,
    derandomize=True,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("marrow")

# A shell starts what runs in the background with the first two ignored, `nohup` with the third, and
# programs leave them so: the tests of signals would wait in vain.
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        usual = signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL
        signal.signal(_number, usual)
