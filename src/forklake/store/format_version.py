"""The version of the metadata format. Separate from the table definitions, which are slow to import."""

FORMAT_VERSION = 5
"""The number of the latest migration; stored as `format_version` in `lake_info`."""
