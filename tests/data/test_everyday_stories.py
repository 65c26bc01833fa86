"""The everyday level: every question of every story in both languages, and none of them a question of the test."""

import csv
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from treequation.data.catalogue import CATALOGUE, load
from treequation.data.synthetic import CONSTANTS, generate
from treequation.data.synthetic.stories import STORIES
from treequation.data.synthetic.stories.story import Ask, Story, count
from treequation.data.synthetic.writing import Style, Writer
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant, Number, Operator
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem

LANGUAGES = ("en", "zh")
STYLE = Style(
    words=0.3, distractor=0.3, shuffle=0.5, condition=0.3, join=0.3, lead=0.3, dollars=0.3, hasty=0.2, ordered=True
)
ASKED = sorted((Path(__file__).parents[1] / "runtime").glob("everyday*.tsv"))


def tell(story, random, language, style=STYLE):
    writer = Writer(random, language, style)
    story(writer)
    return writer.problem("x")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_of_every_story_is_sound(language):
    random = Random(f"stories in {language}")
    foreign = re.compile("[\u4e00-\u9fff，。？]" if language == "en" else "[A-Za-z]{2,}")
    for story in STORIES:
        asks = [ask for ask in story.asks if (ask.en if language == "en" else ask.zh)]
        assert asks, story.en
        for ask in asks:
            for _ in range(6):
                problem = tell(replace(story, asks=(ask,)), random, language)
                text = problem.text
                assert find_numbers(text) == problem.numbers, text
                value = evaluate(problem.graph, problem.values).value
                assert value.exact, text
                assert value.number == problem.answer > 0, text
                assert {leaf.value for leaf in problem.graph.leaves if isinstance(leaf, Constant)} <= set(CONSTANTS)
                assert not re.search(r"[\[\]{}|\ue000-\uf8ff]|  | [.,?]|^\s|\s$|None|\ba [aeio]", text), text
                assert not foreign.search(text), text


def test_operands_that_commute_stand_in_the_order_of_the_text():
    commuting = [
        (expression.left.index, expression.right.index)
        for problem in generate(2000, seed=3, level="everyday")
        for expression in problem.graph.expressions
        if expression.operator.commutes and isinstance(expression.left, Number) and isinstance(expression.right, Number)
    ]
    assert len(commuting) > 500
    assert all(left <= right for left, right in commuting)


def test_no_problem_is_one_of_those_that_people_are_to_type_in_the_test():
    lists = [file.read_text(encoding="utf-8").splitlines() for file in ASKED]
    texts = [row["problem"] for lines in lists for row in csv.DictReader(lines, delimiter="\t")]
    asked = {
        Problem(id="", text=text, numbers=find_numbers(text), language="zh" if "？" in text else "en").wording
        for text in texts
    }
    assert len(asked) > 100
    large = load("synthetic-everyday", "large").problems  # what the bundled model is taught
    assert not asked & {problem.wording for problem in large}


def test_the_question_decides_what_is_to_be_done():
    several = [story for story in STORIES if len(story.asks) > 1]
    assert len(several) > 100
    random, differing = Random(8), 0
    for story in several:
        told = [tell(replace(story, asks=(ask,)), random, "en") for ask in story.asks if ask.en]
        differing += len({problem.graph.expressions for problem in told}) > 1
    assert differing > 0.8 * len(several)


def test_they_are_varied():
    problems = generate(6000, seed=4, level="everyday")
    assert len({problem.wording for problem in problems}) > 0.65 * len(problems)
    operators = Counter(e.operator for problem in problems for e in problem.graph.expressions)
    assert all(operators[o] > 800 for o in (Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE))
    unused = sum(len(problem.numbers) > len(set(problem.graph.leaves)) for problem in problems)
    assert unused > 0.25 * len(problems)
    english = [problem.text for problem in problems if problem.language == "en"]
    for manner in (
        r"^[^a-z]*$",
        r"^[^A-Z]*$",
        r"\$\d",
        r"\d dollars",
        r"^If\b",
        r" if .*\?$",
        r"^How [^.]*\? .*\.$",
        r"[a-z]$",
    ):
        assert sum(bool(re.search(manner, text)) for text in english) > 20, manner
    constants = Counter(leaf.value for p in problems for leaf in p.graph.leaves if isinstance(leaf, Constant))
    assert min(constants.values()) >= 5, constants  # a rarer one is not learnt


def test_numbers_that_cannot_be_are_an_error_that_names_the_story():
    story = Story({"a": count(2, 3)}, "there are {a} pens", "有{a}支笔", (Ask("how many?", "几支？", lambda a: a - 5),))
    with pytest.raises(ValueError, match="there are"):
        story(Writer(Random(0), "en", Style()))


def test_the_catalogue_has_them():
    assert set(CATALOGUE["synthetic-everyday"].splits) == {"train", "dev", "test", "large"}
