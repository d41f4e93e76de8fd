"""Arguments of the built-in data sets: what is allowed, checked before anything is allocated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from mmc._checks import quoted

#: Largest number of points; no algorithm of this library takes as many.
MAX_SAMPLES = 1_000_000

#: Largest noise. The shapes are a few units wide, so nothing is left of them long before.
MAX_NOISE = 1e6

MAX_IMBALANCE = 0.9

#: Largest seed of NumPy's RandomState.
MAX_SEED = 2**32 - 1


def check_n_samples(value: Any, least: int = 1) -> None:
    """Check a number of points, which must be at least that of the classes."""
    if not _is_whole(value) or value < least:
        raise ValueError(f"n_samples must be a whole number, at least {least}, got {quoted(value)}")
    if value > MAX_SAMPLES:
        raise ValueError(f"n_samples must be at most {MAX_SAMPLES}, got {quoted(value)}")


def check_noise(value: Any) -> None:
    """Check a standard deviation."""
    if not _is_number(value) or value < 0:
        raise ValueError(f"noise must be a finite number, 0 or larger, got {quoted(value)}")
    if value > MAX_NOISE:
        raise ValueError(f"noise must be at most {MAX_NOISE:.0f}, got {quoted(value)}")


def check_imbalance(value: Any) -> None:
    """Check a share by which classes become smaller."""
    if not _is_number(value) or not 0 <= value <= MAX_IMBALANCE:
        raise ValueError(f"imbalance must be a number from 0 to {MAX_IMBALANCE}, got {quoted(value)}")


def check_seed(value: Any) -> None:
    """Check a seed."""
    if not _is_whole(value) or not 0 <= value <= MAX_SEED:
        raise ValueError(f"random_state must be a whole number from 0 to {MAX_SEED}, got {quoted(value)}")


def check_digits(value: Any) -> None:
    """Check a choice of digits."""
    fine = isinstance(value, list | tuple) and all(_is_whole(digit) and 0 <= digit <= 9 for digit in value)
    if not fine or not value or len(set(value)) < len(value):
        raise ValueError(
            f"classes must be a list of one or more different digits from 0 to 9, got {quoted(value)}"
        )


#: The check of each argument by its name, which means the same for every data set.
CHECKS: Mapping[str, Callable[[Any], None]] = MappingProxyType(
    {
        "n_samples": check_n_samples,
        "noise": check_noise,
        "imbalance": check_imbalance,
        "random_state": check_seed,
        "classes": check_digits,
    }
)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float | np.floating) and math.isfinite(value))
