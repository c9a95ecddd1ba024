"""Texts that can be stored: half of a pair of surrogates is no character, and no database or file takes it."""

from forklake.errors import InvalidInput


def check_encodable(text: str, what: str) -> None:
    """InvalidInput if a text cannot be written in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{what} cannot be written in UTF-8: at {error.start} it has {text[error.start]!r}, which is no character."
        ) from None
