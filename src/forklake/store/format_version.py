"""The format of the metadata tables that this release writes: apart from them, because defining them takes its time."""

FORMAT_VERSION = 3
"""The number of the newest migration; stored as `format_version` in `lake_info`."""
