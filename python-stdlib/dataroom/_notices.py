"""What the reader of a run is told beside its answer: the reply's `warnings`.

Python's warnings come here instead of stderr, each once. What the room itself has to
say of a number comes here directly, so that a script's `filterwarnings("ignore")`
cannot take it away.
"""

from . import _errors

_MOST = 20
_LONGEST = 600
texts = []


def tell(text, line=None):
    """Tells `text`, about this line of the script, unless it was told before."""
    text = text[:_LONGEST] if line is None else f"line {line}: {text[:_LONGEST]}"
    if text not in texts and len(texts) < _MOST:
        texts.append(text)


def show(message, category, filename, lineno, file=None, line=None):
    """In the place of `warnings.showwarning`."""
    tell(f"{category.__name__}: {message}", lineno if filename == _errors.SCRIPT else None)
