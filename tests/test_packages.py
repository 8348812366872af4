"""The packages that the runtime lacks, as a script's author uses them.

Expected values are their documentations' own examples, or are read back here by the
same libraries, natively.
"""

import html.parser
import io
import json
import re
from pathlib import Path

import docx
import pptx
import pytest

# From the documentation of each package.
DOCUMENTED = [
    # pymorphy3: https://github.com/no-plagiarism/pymorphy3, "Normal form"
    (
        "import pymorphy3\nm = pymorphy3.MorphAnalyzer()\n"
        "result = [m.parse(w)[0].normal_form for w in ('стали', 'думающему', 'людей')]",
        ["стать", "думать", "человек"],
    ),
    (
        "import pymorphy3\np = pymorphy3.MorphAnalyzer().parse('стали')[0]\n"
        "result = [str(p.tag), p.tag.cyr_repr, p.inflect({'femn', 'sing'}).word]",
        ["VERB,perf,intr plur,past,indc", "ГЛ,сов,неперех мн,прош,изъяв", "стала"],
    ),
    (
        "import pymorphy3\nb = pymorphy3.MorphAnalyzer().parse('бутявка')[0]\n"
        "result = [b.inflect({'gent'}).word, b.make_agree_with_number(5).word]",
        ["бутявки", "бутявок"],
    ),
    # razdel: README, "Usage"
    (
        "import razdel\nt = 'Кружка-термос на 0.5л (50/64 см³, 516;...)'\n"
        "result = [s.text for s in razdel.tokenize(t)]",
        ["Кружка-термос", "на", "0.5", "л", "(", "50/64", "см³", ",", "516", ";", "...", ")"],
    ),
    (
        "import razdel\nt = '''\n- \"Так в чем же дело?\" - \"Не ра-ду-ют\".\n"
        "И т. д. и т. п. В общем, вся газета\n'''\n"
        "result = [[s.start, s.stop, s.text] for s in razdel.sentenize(t)]",
        [
            [1, 23, '- "Так в чем же дело?"'],
            [24, 40, '- "Не ра-ду-ют".'],
            [41, 56, "И т. д. и т. п."],
            [57, 76, "В общем, вся газета"],
        ],
    ),
    # sortedcontainers and intervaltree: their READMEs
    (
        "from sortedcontainers import SortedList\ns = SortedList(['e', 'a', 'c', 'd', 'b'])\n"
        "s *= 2\nresult = [s.count('c'), s[-1]]",
        [2, "e"],
    ),
    (
        "from intervaltree import IntervalTree\nt = IntervalTree()\nt[1:2] = '1-2'\nt[4:7] = '4-7'\n"
        "t[5:9] = '5-9'\nresult = [sorted(i.data for i in t[6]), sorted(t)[0].begin]",
        [["4-7", "5-9"], 1],
    ),
]


@pytest.mark.parametrize(("code", "expected"), DOCUMENTED)
def test_a_package_gives_its_documented_answer(room, code, expected):
    assert room.result(code) == expected


# natasha's README, "Usage", up to where its text is cut here.
NATASHA = """
from natasha import (
    Doc, MorphVocab, NamesExtractor, NewsEmbedding, NewsMorphTagger, NewsNERTagger,
    NewsSyntaxParser, PER, Segmenter,
)
text = '''Посол Израиля на Украине Йоэль Лион признался, что пришел в шок, узнав о решении властей Львовской области объявить 2019 год годом лидера запрещенной в России Организации украинских националистов (ОУН) Степана Бандеры. Свое заявление он разместил в Twitter.'''
vocab, embedding = MorphVocab(), NewsEmbedding()
doc = Doc(text)
doc.segment(Segmenter())
doc.tag_morph(NewsMorphTagger(embedding))
doc.parse_syntax(NewsSyntaxParser(embedding))
doc.tag_ner(NewsNERTagger(embedding))
for span in doc.spans:
    span.normalize(vocab)
for token in doc.tokens[:9]:
    token.lemmatize(vocab)
for span in doc.spans:
    if span.type == PER:
        span.extract_fact(NamesExtractor(vocab))
result = {
    "spans": {span.text: span.normal for span in doc.spans},
    "people": {span.normal: span.fact.as_dict for span in doc.spans if span.type == PER},
    "lemmas": [token.lemma for token in doc.tokens[:9]],
    "tags": [[token.pos, token.rel] for token in doc.tokens[:5]],
}
"""


def test_natasha_gives_its_documented_answer_within_the_default_limits(room):
    assert room.result(NATASHA) == {
        "spans": {
            "Израиля": "Израиль",
            "Украине": "Украина",
            "Йоэль Лион": "Йоэль Лион",
            "Львовской области": "Львовская область",
            "России": "Россия",
            "Организации украинских националистов (ОУН)": "Организация украинских националистов (ОУН)",
            "Степана Бандеры": "Степан Бандера",
            "Twitter": "Twitter",
        },
        "people": {
            "Йоэль Лион": {"first": "Йоэль", "last": "Лион"},
            "Степан Бандера": {"first": "Степан", "last": "Бандера"},
        },
        "lemmas": ["посол", "израиль", "на", "украина", "йоэль", "лион", "признаться", ",", "что"],
        "tags": [
            ["NOUN", "nsubj"],
            ["PROPN", "nmod"],
            ["ADP", "case"],
            ["PROPN", "nmod"],
            ["PROPN", "appos"],
        ],
    }


def test_who_asks_for_pymorphy2_gets_pymorphy3(room):
    code = (
        "import pymorphy2\nfrom pymorphy2.units.base import BaseAnalyzerUnit\n"
        "result = [pymorphy2.MorphAnalyzer().parse('стали')[0].normal_form, BaseAnalyzerUnit.__module__]"
    )
    assert room.result(code) == ["стать", "pymorphy3.units.base"]


class Page(html.parser.HTMLParser):
    """What a page loads, and its scripts."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.scripts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag in ("script", "link", "img", "iframe"):
            self.loads += [found[name] for name in ("src", "href") if name in found]

    def handle_data(self, text):
        if self.lasttag == "script":
            self.scripts.append(text)


def left(reply):
    assert not reply.failed, reply.text
    return reply.get("files", {})


def content(room, file) -> bytes:
    reply = room.call("export_data", data=file["dataRef"])
    assert not reply.failed, reply.text
    return Path(reply["file"]).read_bytes()


FIGURE = "import plotly.express as px\nfig = px.bar(pd.DataFrame({'x': ['ä', 'b'], 'y': [41, 5]}), x='x', y='y')\n"

SHOWN = [
    ("fig.show()", ["figure-1.html"]),
    ("fig", ["figure-1.html"]),
    ("fig.show()\nfig", ["figure-1.html"]),
    ("display(fig)", ["figure-1.html"]),
    ("fig.show()\nfig.show()", ["figure-1.html", "figure-2.html"]),
    ("fig.write_html('late.html')", ["late.html"]),
    ("fig.write_html('late.html')\nfig", ["late.html"]),
    ("fig.write_html('/home/me/late.html', include_plotlyjs='cdn')", ["late.html"]),
    ("fig.write_html('plots/late.html', auto_open=True)", ["plots/late.html"]),
    ("import plotly.offline as po\npo.plot(fig, filename='late.html')", ["late.html"]),
    ("import plotly.offline as po\npo.iplot(fig)", ["figure-1.html"]),
    ("import plotly.io as pio\npio.show(fig)", ["figure-1.html"]),
    ("pd.DataFrame({'x': ['ä', 'b'], 'y': [41, 5]}).plot.bar(x='x', y='y', backend='plotly')", ["figure-1.html"]),
    ("import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()\nfig.show()", ["figure-1.png", "figure-2.html"]),
    ("result = 1", []),
]


@pytest.mark.parametrize(("code", "expected"), SHOWN)
def test_a_plotly_figure_that_is_shown_is_a_page_that_needs_no_network(room, code, expected):
    reply = room.python(FIGURE + code)
    files = left(reply)
    assert sorted(files) == expected
    assert not any("not shown" in text for text in reply.get("warnings", [])), reply.text
    for name in (name for name in expected if name.endswith(".html")):
        page = Page(content(room, files[name]).decode())
        assert page.loads == []
        assert any("plotly.js v" in script for script in page.scripts)
        drawn = "".join(page.scripts).rpartition("Plotly.newPlot(")[2]
        assert '"\\u00e4"' in drawn or '"ä"' in drawn


@pytest.mark.parametrize("call", ["fig.write_image('x.png')", "fig.to_image('png')"])
def test_a_plotly_picture_says_what_to_use_instead(room, call):
    reply = room.python(FIGURE + call)
    assert reply.failed
    for word in ("write_html", "plt.savefig"):
        assert word in reply.text, reply.text


def test_a_word_document_is_read_back_natively(room):
    code = """
import docx, matplotlib.pyplot as plt
plt.plot([1, 2])
plt.savefig("/tmp/plot.png")
document = docx.Document()
document.add_heading("Отчёт", 0)
document.add_paragraph("Один", style="List Bullet").add_run(" два").bold = True
table = document.add_table(2, 2, style="Table Grid")
table.cell(1, 1).text = "42"
document.add_picture("/tmp/plot.png")
document.save("/out/report.docx")
"""
    document = docx.Document(io.BytesIO(content(room, left(room.python(code))["report.docx"])))
    assert [(p.text, p.style.name) for p in document.paragraphs[:2]] == [
        ("Отчёт", "Title"),
        ("Один два", "List Bullet"),
    ]
    assert [run.bold for run in document.paragraphs[1].runs] == [None, True]
    assert document.tables[0].cell(1, 1).text == "42" and len(document.inline_shapes) == 1


def test_a_presentation_is_read_back_natively(room):
    code = """
import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
deck = pptx.Presentation()
slide = deck.slides.add_slide(deck.slide_layouts[5])
slide.shapes.title.text = "Привет"
chart = CategoryChartData()
chart.categories = ["a", "b"]
chart.add_series("S", (1, 2.5))
size = [Inches(n) for n in (1, 1, 4, 3)]
slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *size, chart)
deck.save("deck.pptx")
"""
    deck = pptx.Presentation(io.BytesIO(content(room, left(room.python(code))["deck.pptx"])))
    [slide] = deck.slides
    assert slide.shapes.title.text == "Привет"
    [chart] = [shape.chart for shape in slide.shapes if shape.has_chart]
    assert list(chart.plots[0].categories) == ["a", "b"]
    assert list(chart.plots[0].series[0].values) == [1, 2.5]


@pytest.mark.parametrize("module", ["tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.autonotebook"])
def test_a_progress_bar_counts_and_prints_nothing(room, module):
    code = (
        f"from {module} import tqdm, trange\nbar = tqdm(range(2000), desc='x')\n"
        "for i in bar: bar.set_postfix(i=i)\n"
        "with tqdm(total=5) as manual: manual.update(5)\n"
        "tqdm.pandas()\ndoubled = pd.Series([1, 2]).progress_apply(lambda x: x * 2)\n"
        "result = [bar.n, manual.n, sum(trange(10)), doubled.tolist()]"
    )
    reply = room.python(code)
    assert reply["result"] == [2000, 5, 45, [2, 4]], reply.text
    assert reply.get("stdout", "") == "" and not reply.get("warnings")


def test_a_bar_that_is_given_a_stream_draws_there(room):
    reply = room.python("import sys\nfrom tqdm import tqdm\nfor _ in tqdm([1, 2], file=sys.stdout): pass")
    assert "100%" in reply["stdout"]


def test_the_packages_are_a_folder_to_read(room):
    code = """
import os, plotly
folder = os.path.dirname(os.path.dirname(plotly.__file__))
denied = []
for what in (lambda: open(folder + "/new.py", "w"), lambda: os.remove(folder + "/plotly/__init__.py"),
             lambda: os.mkdir(folder + "/new"), lambda: open(plotly.__file__, "a")):
    try:
        what()
    except OSError as error:
        denied.append(type(error).__name__)
script = open(folder + "/plotly/package_data/plotly.min.js", encoding="utf-8").read()
result = [folder, len(denied), script.count("plotly.js v"), len(os.listdir(folder + "/plotly"))>20]
"""
    assert room.result(code) == ["/usr/local/lib/packages", 4, 1, True]


def test_versions_are_those_of_the_lock(room):
    lock = (Path(__file__).parent.parent / "python-stdlib" / "wheels.txt").read_text()
    wanted = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, re.M))
    code = f"from importlib.metadata import version\nresult = {{n: version(n) for n in {list(wanted)}}}"
    assert room.result(code) == wanted


def test_a_package_that_is_not_there_names_those_that_are(room):
    reply = room.python("import foobar")
    for word in ("foobar is not in the data room", "plotly", "docx", "pymorphy3", "natasha", "tqdm"):
        assert word in reply.text, reply.text


def test_packages_are_loaded_before_the_run(room):
    names = ["plotly.graph_objects", "plotly.express", "docx", "pptx", "tqdm", "razdel", "pymorphy3", "natasha"]
    code = f"import sys\nresult = {{name: name in sys.modules for name in {json.dumps(names)}}}"
    assert all(room.result(code).values())
