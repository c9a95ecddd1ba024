"""What a text must look like to be a value of a type that is shown as text; the same in Spark and in Arrow."""

UUID_PATTERN = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
TIME_PATTERN = r"^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$"
_UNIT = r"(microsecond|millisecond|second|minute|hour|day|week|month|mon|quarter|year|decade|century|centurie)s?"
_CLOCK = r"[+-]?\d+:\d{2}(:\d{2}(\.\d+)?)?"
INTERVAL_PATTERN = rf"(?i)^\s*([+-]?\d+(\.\d+)?\s*{_UNIT}\s*|{_CLOCK}\s*)+(ago\s*)?$"
