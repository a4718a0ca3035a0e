"""How many examples: few and always the same in an ordinary run, many and random where slow tests are asked for."""

from hypothesis import HealthCheck, settings

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "quick", max_examples=30, deadline=None, derandomize=True, database=None, suppress_health_check=CHECKS
)
settings.register_profile("thorough", max_examples=2000, deadline=None, database=None, suppress_health_check=CHECKS)
settings.load_profile("quick")
