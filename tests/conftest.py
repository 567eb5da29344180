"""Settings for every test: property tests are repeatable and have no deadline of their own."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "marrow",
    deadline=None,
    derandomize=True,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("marrow")
