"""Which expressions of a case differ: for the report of a difference, not for the test.

One that raises hides the others of its case. So the case is run once more on both sides
with each `show(one, two)` turned into `attempt(lambda: one, lambda: two)`, and what
differs is told with the expression that it came from.
"""

import ast

import cases
from compare import differences
from sides import Job

_NOTE = """
def attempt(*functions):
    for function in functions:
        try:
            value = function()
        except Exception as error:
            _shown.append({"raises": type(error).__name__, "message": str(error)[:200]})
        else:
            try:
                _shown.append({"shown": _plain(value)})
            except Exception as error:
                _shown.append({"unshown": type(error).__name__})
        _shown[-1]["line"] = getattr(function, "__code__").co_firstlineno
"""


class _Apart(ast.NodeTransformer):
    def __init__(self):
        self.sources = {}

    def visit_Expr(self, node):
        call = node.value
        if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("show", "attempt")):
            return self.generic_visit(node)
        functions = []
        for argument in call.args:
            if isinstance(argument, ast.Starred):
                return node
            body = argument
            if call.func.id == "attempt":
                body = argument.body if isinstance(argument, ast.Lambda) else ast.Call(argument, [], [])
            source = ast.unparse(body)
            number = 10_000 + len(self.sources)
            self.sources[number] = source
            nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
            functions.append(ast.Lambda(nothing, body))
        call.func = ast.Name("attempt", ast.Load())
        call.args = functions
        return node


def apart(code: str) -> tuple[str, list[str]]:
    """The script with its expressions apart, one a line, and the expressions."""
    tree = ast.parse(code)
    turned = _Apart()
    turned.visit(tree)
    return _NOTE + ast.unparse(ast.fix_missing_locations(tree)), list(turned.sources.values())


def explain(case, native, room) -> list[str]:
    """The expressions of a case that differ, each with both answers; or nothing."""
    answers = []
    for side, code in (("native", case.native_code), ("room", case.code)):
        script, sources = apart(code)
        job = Job(case.id, cases.whole(script), case.inputs)
        answers.append((native if side == "native" else room).answer(job).get("shown"))
    if None in answers or len(answers[0]) != len(answers[1]):
        return []
    lines = []
    for at, (one, two) in enumerate(zip(*answers, strict=True)):
        for answer in (one, two):
            answer.pop("line", None)
        messages = [answer.pop("message", None) for answer in (one, two)]
        found = differences(one, two, case.relative, case.absolute, most=3)
        if found:
            # In a loop there are more answers than expressions.
            source = sources[at] if len(answers[0]) == len(sources) else f"answer {at}"
            told = next((f" ({m})" for m in messages if m), "")
            lines += [f"`{source}`{told}", *(f"  {line}" for line in found)]
    return lines
