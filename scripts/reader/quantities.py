"""Quantities as people write them, read exactly: docs/instance.md, "Units"."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Union

Text = Union[str, int]  # numbers of a file come as their digits, whole ones as int


class Refused(Exception):
    """The document does not say what docs/instance.md lets it say."""


DURATIONS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
SIZES = {
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
    "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "B": 1, "": 1,
}
BITS = {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9, "Tbit/s": 10**12}
BYTES = {unit.replace("bit", "B"): 8 * scale for unit, scale in BITS.items()}
SPEEDS = {**BITS, **BYTES}
RATIOS = {"": 1, "%": Fraction(1, 100)}

DECIMAL = r"([0-9]+\.?[0-9]*|\.[0-9]+)"


def _quantity(text: Text, units: dict, what: str) -> Fraction:
    match = re.fullmatch(DECIMAL + r"\s*([^0-9]*)", str(text).strip())
    if match is None or match[2] not in units:
        raise Refused(f"{text!r} is not a {what}")
    return Fraction(match[1]) * units[match[2]]


def _whole(value: Fraction, text: Text) -> int:
    if value.denominator != 1:
        raise Refused(f"{text!r} is finer than the smallest unit")
    return value.numerator


def size(text: Text) -> int:
    """Bytes."""
    return _whole(_quantity(text, SIZES, "size"), text)


def speed(text: Text) -> int:
    """Bit/s."""
    return _whole(_quantity(text, SPEEDS, "speed"), text)


def ratio(text: Text) -> Fraction:
    value = _quantity(text, RATIOS, "ratio")
    _whole(value * 10**6, text)
    return value


def duration(text: Text) -> int:
    """Nanoseconds."""
    text = str(text).strip()
    if text == "0":
        return 0
    parts = re.findall(DECIMAL + "(ns|us|µs|ms|s|m|h)", text)
    if not parts or "".join(digits + unit for digits, unit in parts) != text:
        raise Refused(f"{text!r} is not a duration")
    return _whole(sum(Fraction(digits) * DURATIONS[unit] for digits, unit in parts), text)


def level(text: Text) -> int:
    """n of a rate level 1/n."""
    match = re.fullmatch(DECIMAL + "(?:/" + DECIMAL + ")?", str(text).strip())
    if match is not None and float(match[1]) > 0 and float(match[2] or 1) > 0:
        value = Fraction(match[1]) / Fraction(match[2] or 1)
        if value.numerator == 1 and value.denominator <= 1024:
            return value.denominator
    raise Refused(f"{text!r} is not a fraction 1/n")


def ceil(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)


def floor(value: Fraction) -> int:
    return value.numerator // value.denominator
