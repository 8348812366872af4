"""Text as natively, where it is Arrow's.

pandas' default text column is natively made by pyarrow; in the room it is an array of
Python objects. Three things would show:

- *A NUL inside*: pandas puts an object column whose values are all text into a hash
  table of C strings, which end at a NUL: `'a\\0b'` and `'a\\0c'` would be one value to
  `unique`, `factorize` and `groupby`. So text is hashed as the objects that it is.
- *Upper and lower case*: Arrow maps letter to letter (Unicode's simple mappings, and
  `'ß'` to `'ẞ'`), Python's own `str.upper` may give more letters (`'SS'`), and its
  `str.lower` looks at a letter's neighbours.
- *What Arrow has not*: text minus a number is an error, also where there is no row whose
  text could say so, and so is a quantile of text.
"""

import functools
import unicodedata

import numpy as np


def install():
    """Run once, when pandas has been imported."""
    from pandas.core import algorithms
    from pandas.core.arrays.string_ import StringArray

    def kind_of_table(values):
        return values.dtype.name

    if algorithms._check_object_for_strings.__code__.co_varnames[:1] != ("values",):
        raise SystemError("pandas chooses its hash tables in another way")
    algorithms._check_object_for_strings = kind_of_table
    for name, change in _CHANGES.items():
        setattr(StringArray, f"_str_{name}", _mapping(change))
    StringArray._arith_method = _without_numbers(StringArray._arith_method)
    StringArray._quantile = _no_quantile
    StringArray.__abs__ = _no_absolute
    for name in ("argmax", "argmin"):
        setattr(StringArray, name, _plain_number(getattr(StringArray, name)))


_NOT_OF_TEXT = {
    "divmod", "floordiv", "mod", "pow", "rdivmod", "rfloordiv", "rmod", "rpow", "rsub", "rtruediv", "sub",
    "truediv",
}


def _without_numbers(plain):
    def _arith_method(self, other, op):
        if op.__name__ in _NOT_OF_TEXT:
            raise TypeError(f"operation '{op.__name__}' not supported for dtype '{self.dtype}'")
        given = plain(self, other, op)
        # Of no text at all it gives objects.
        nothing = isinstance(given, np.ndarray) and given.dtype == object and not len(given)
        return self[:0] if nothing else given

    return _arith_method


def _no_quantile(self, qs, interpolation):
    raise NotImplementedError(f"there is no quantile of text (dtype '{self.dtype}')")


def _no_absolute(self):
    raise NotImplementedError(f"text has no absolute value (dtype '{self.dtype}')")


def _plain_number(plain):
    @functools.wraps(plain)
    def place(self, *args, **kwargs):
        return int(plain(self, *args, **kwargs))

    return place


def _mapping(change):
    def mapped(self):
        return self._str_map(change)

    return mapped


def _upper_letter(letter):
    upper = letter.upper()
    if len(upper) == 1:
        return upper
    if letter == "ß":
        return "ẞ"
    title = letter.title()
    return title if len(title) == 1 else letter


def _lower_letter(letter):
    return letter.lower()[0]


def _upper(text):
    return text.upper() if text.isascii() else "".join(map(_upper_letter, text))


def _lower(text):
    return text.lower() if text.isascii() else "".join(map(_lower_letter, text))


def _capitalize(text):
    return text.capitalize() if text.isascii() else _upper(text[:1]) + _lower(text[1:])


def _swapcase(text):
    if text.isascii():
        return text.swapcase()
    return "".join(
        _lower_letter(letter) if letter.isupper() else _upper_letter(letter) if letter.islower() else letter
        for letter in text
    )


def _is_cased(letter):
    changes = _upper_letter(letter) != letter or _lower_letter(letter) != letter
    return changes or unicodedata.category(letter) in ("Lu", "Ll", "Lt")


def _title(text):
    if text.isascii():
        return text.title()
    letters, inside = [], False
    for letter in text:
        letters.append(_lower_letter(letter) if inside else _upper_letter(letter))
        inside = _is_cased(letter)
    return "".join(letters)


_CHANGES = {
    "capitalize": _capitalize, "lower": _lower, "swapcase": _swapcase, "title": _title, "upper": _upper,
}
