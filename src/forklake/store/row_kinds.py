"""What an end marker refers to: the `kind` column of `lake_row_end`."""

from enum import IntEnum


class RowKind(IntEnum):
    """The kinds of end markers, each with the meaning of `scope_id` and `object_id`."""

    TABLE_CONTENTS = 0
    """table id, 0: everything under a dropped table, in one row"""
    DATA_FILE = 1
    """table id, data file id"""
    DELETE_FILE = 2
    """table id, delete file id"""
    OBJECT = 3
    """0, object id: one version of a schema, table, view or macro"""
    INLINED_BATCH = 4
    """table id, batch id"""
    OPTION = 5
    """0, option id"""
