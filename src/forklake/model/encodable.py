"""Strings that can be stored: lone surrogates are not characters, and no database or file accepts them."""

from forklake.errors import InvalidInput


def check_encodable(text: str, what: str) -> None:
    """Raise InvalidInput if a text cannot be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{what} cannot be written in UTF-8: at {error.start} it has {text[error.start]!r}, not a character."
        ) from None
