"""Names and field ids of columns in files that are not columns of a table."""

ROW_ID = "_ducklake_internal_row_id"
SNAPSHOT_ID = "_ducklake_internal_snapshot_id"
FILE_PATH = "file_path"
POSITION = "pos"

FIELD_IDS = {ROW_ID: 2147483540, SNAPSHOT_ID: 2147483539, FILE_PATH: 2147483646, POSITION: 2147483645}
