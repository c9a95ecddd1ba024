"""No password reaches a screen or an error, in whatever form it was given."""

import pytest

from forklake.model.secrets import without_passwords


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgresql://me:secret@host:5432/db", "postgresql://me:***@host:5432/db"),
        ("cannot reach postgres://me:se@cret@host/db now", "cannot reach postgres://me:***@host/db now"),
        (
            "postgresql://host/db?user=me&password=secret&sslmode=require",
            "postgresql://host/db?user=me&password=***&sslmode=require",
        ),
        ("postgres:dbname=lake password=secret host=h", "postgres:dbname=lake password=*** host=h"),
        ("postgres:password = 'se cret\\'s' host=h", "postgres:password = *** host=h"),
        ("PASSWORD=secret", "PASSWORD=***"),
        ("ATTACH 'postgres:password=''secret'' host=h' AS x", "ATTACH 'postgres:password=*** host=h' AS x"),
        ("ATTACH 'postgres:host=h password=secret' AS x", "ATTACH 'postgres:host=h password=***' AS x"),
        ("password='secret without an end", "password=***"),
        ("sslpassword=secret", "sslpassword=***"),
        ("s3://bucket/folder/file.parquet at 10:30", "s3://bucket/folder/file.parquet at 10:30"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        (
            "CREATE SECRET s (TYPE s3, KEY_ID 'me', SECRET 'it''s')",
            "CREATE SECRET s (***)",
        ),
        ("CREATE OR REPLACE SECRET (SECRET $$abc$$)", "CREATE OR REPLACE SECRET (***)"),
        ('create persistent secret s (secret "abc")', "create persistent secret s (***)"),
        ("ATTACH 'postgres:password=ab''cd host=h' AS x", "ATTACH 'postgres:password=*** host=h' AS x"),
        ("postgres:password=ab\\ cd host=h", "postgres:password=*** host=h"),
        ("postgres:password=ab'cd host=h", "postgres:password=*** host=h"),
        ("(PASSWORD 'secret without an end", "(PASSWORD '***'"),
        ("(session_token => 'secret')", "(session_token => '***')"),
    ],
)
def test_passwords_are_struck_out(text: str, expected: str) -> None:
    assert without_passwords(text) == expected
