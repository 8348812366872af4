"""Where pandas itself looks at the machine's width."""

import functools

import numpy as np

# Its hash natively: on a 32-bit machine it is another number.
_HASH_OF_NA = 2**61 - 1


def install():
    """Run once, when pandas has been imported."""
    import pandas.core.arrays.masked as masked
    from pandas._libs import algos
    from pandas.core.dtypes import cast, common

    masked.IS64 = True
    for module in (cast, common):
        module.ensure_int32 = _as_int32(algos.ensure_int32)
    plain = masked.BaseMaskedArray._hash_pandas_object

    @functools.wraps(plain)
    def _hash_pandas_object(self, **options):
        hashed = plain(self, **options)
        hashed[self.isna()] = _HASH_OF_NA
        return hashed

    masked.BaseMaskedArray._hash_pandas_object = _hash_pandas_object


def _as_int32(plain):
    """To pandas' compiled code a 32-bit integer is a `long`; to a script it is `int32`."""

    def ensure_int32(array):
        return plain(array).view(np.int32)

    return ensure_int32
