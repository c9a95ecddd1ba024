"""Patterns for types that are shown as text; the same for Spark and Arrow."""

# `$` alone would also match before a final line break, in Java as in Python.
_END = r"(?![\s\S])"

UUID_PATTERN = rf"^[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}{_END}"
TIME_PATTERN = rf"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{{1,6}})?)?{_END}"
_UNIT = r"(microsecond|millisecond|second|minute|hour|day|week|month|mon|quarter|year|decade|century|centurie)s?"
_CLOCK = r"[+-]?[0-9]+:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"
INTERVAL_PATTERN = rf"(?i)^[ \t]*([+-]?[0-9]+(\.[0-9]+)?[ \t]*{_UNIT}[ \t]*|{_CLOCK}[ \t]*)+(ago[ \t]*)?{_END}"
