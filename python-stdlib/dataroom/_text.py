"""Text with a NUL in it.

pandas puts an object column whose values are all text into a hash table of C strings,
which end at a NUL: `'a\\0b'` and `'a\\0c'` would be one value to `unique`,
`factorize` and `groupby`. Natively the default text column is Arrow's and never goes
there. So here it never does either: text is hashed as the objects that it is.
"""


def install():
    """Run once, when pandas has been imported."""
    from pandas.core import algorithms

    def kind_of_table(values):
        return values.dtype.name

    if algorithms._check_object_for_strings.__code__.co_varnames[:1] != ("values",):
        raise SystemError("pandas chooses its hash tables in another way")
    algorithms._check_object_for_strings = kind_of_table
