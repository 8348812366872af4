"""`pd.read_parquet` and `DataFrame.to_parquet` without pyarrow.

The arguments are pandas'. What only pyarrow could do (remote files, partitions,
filters on row groups) is refused by name rather than left out.
"""

import io
import os
import tempfile
import warnings

import pandas as pd

from ._reading import read_descriptor, read_frame
from ._writing import write_frame


_ENGINES = ("auto", "pyarrow", "fastparquet")


def _check_engine(engine):
    if engine not in _ENGINES:
        raise ValueError("engine must be one of 'pyarrow', 'fastparquet'")


def _refuse(**arguments):
    for name, value in arguments.items():
        if value is not None:
            raise NotImplementedError(f"{name}= is not supported in the data room")


def read_parquet(path, engine="auto", columns=None, storage_options=None, dtype_backend=None,
                 filesystem=None, filters=None, to_pandas_kwargs=None, **kwargs):
    """pandas.read_parquet, decoded by the room's host."""
    _check_engine(engine)
    _refuse(storage_options=storage_options, filesystem=filesystem, filters=filters,
            to_pandas_kwargs=to_pandas_kwargs)
    if dtype_backend not in (None, pd.api.extensions.no_default):
        raise NotImplementedError("dtype_backend= is not supported in the data room; use .convert_dtypes()")
    if hasattr(path, "read"):
        with tempfile.TemporaryFile() as copy:
            copy.write(path.read())
            copy.flush()
            return read_descriptor(copy.fileno(), columns)
    path = os.fspath(path)
    if "://" in path:
        raise NotImplementedError(f"{path!r}: the data room has no network: bring the data in as an input of the run")
    return read_frame(path, columns)


def to_parquet(self, path=None, *, engine="auto", compression="snappy", index=None,
               partition_cols=None, storage_options=None, filesystem=None, **kwargs):
    """DataFrame.to_parquet, encoded by the room's host."""
    _check_engine(engine)
    _refuse(partition_cols=partition_cols, storage_options=storage_options, filesystem=filesystem)
    codec = "none" if compression is None else str(compression).lower()
    if codec not in _CODECS:
        raise ValueError(f"compression={compression!r} is unknown: it is None or one of {_CODECS[1:]}")
    kept = {"index": "drop" if index is False else "keep", "compression": codec}
    if path is None:
        buffer = io.BytesIO()
        to_parquet(self, buffer, index=index, compression=compression)
        return buffer.getvalue()
    if hasattr(path, "write"):
        with tempfile.TemporaryFile() as copy:
            _write(self, copy.fileno(), **kept)
            copy.seek(0)
            path.write(copy.read())
        return None
    with open(os.fspath(path), "wb") as file:
        _write(self, file.fileno(), **kept)
    return None


_CODECS = ("none", "snappy", "gzip", "brotli", "lz4", "zstd")


def _write(frame, fd, index, compression):
    told = []
    write_frame(frame, {"fd": fd, "compression": compression}, index=index, warnings=told)
    for text in told:
        warnings.warn(text, stacklevel=4)


def install():
    """Puts both in pandas' place."""
    pd.read_parquet = read_parquet
    pd.io.parquet.read_parquet = read_parquet
    pd.DataFrame.to_parquet = to_parquet
