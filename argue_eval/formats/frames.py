"""Results as pandas DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from argue_eval.errors import MissingResourceError

if TYPE_CHECKING:
    import pandas


def dataframe(rows: Iterable[Mapping[str, Any]]) -> pandas.DataFrame:
    """A DataFrame of rows, their keys its columns.

    Raises:
        MissingResourceError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError as exc:
        raise MissingResourceError(
            "pandas is not installed: pip install 'argue-eval[pandas]'"
        ) from exc
    frame: pandas.DataFrame = pandas.DataFrame(list(rows))
    return frame
