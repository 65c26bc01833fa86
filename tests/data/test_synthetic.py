"""Generated problems: right by construction, found by the finder, varied, and the same everywhere."""

import re
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treequation.data.synthetic import generate
from treequation.data.synthetic.stories import Clause, Story, read_asides, read_stories, written_numbers
from treequation.data.synthetic.templates import expand
from treequation.data.synthetic.vocabulary import PEOPLE
from treequation.data.synthetic.writing import NotSensible, Style, Teller
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import PAPER_OPERATORS, Constant, Number, Result
from treequation.expression.layers import Shape, layers, shape
from treequation.text.numbers import find_numbers

LEVELS = ("easy", "medium", "hard")
LANGUAGES = ("en", "zh")
HARD = Style(words=0.3, aside=0.3, shuffle=0.5, condition=0.4, unused=True)
# Halves of triangles, averages of three, days of a week, faces of a cube, the whole, and pi as pupils write it.
CONSTANTS = {Fraction(constant) for constant in ("1", "2", "3", "5", "6", "7", "3.14")}
seeds = st.integers(0, 2**32)


def numbers_used(problem):
    return [leaf.index for leaf in problem.graph.leaves if isinstance(leaf, Number)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("level", LEVELS)
def test_the_finder_finds_exactly_the_numbers_that_were_written(level, language):
    for problem in generate(2500, seed=11, level=level, language=language):
        assert find_numbers(problem.text, problem.format) == problem.numbers, problem.text


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(LEVELS))
def test_every_problem_is_sound(seed, level):
    for problem in generate(20, seed=seed, level=level):
        value = evaluate(problem.graph, problem.values).value
        assert value.exact, problem.text
        assert value.number == problem.answer > 0, problem.text
        assert {leaf.value for leaf in problem.graph.leaves if isinstance(leaf, Constant)} <= CONSTANTS
        assert find_numbers(problem.text) == problem.numbers, problem.text


def tell(story, random, language, style=HARD):
    for _ in range(500):
        with suppress(NotSensible):
            return Teller(random, language, style).tell(story, "x")
    raise AssertionError(f"no numbers make a sensible problem of {story.name!r}: {story.parts}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("file", ["easy.toml", "varied.toml"])
def test_every_sentence_of_every_story_can_be_told(file, language):
    """Each clause of each part in turn is the only one of its part, in many wordings."""
    random = Random(f"{file} in {language}")
    foreign = re.compile("[\u4e00-\u9fff，。？]" if language == "en" else "[A-Za-z]{2,}")
    for story in {story.name: story for story in read_stories(file)}.values():
        assert set(story.parts) == {name.rstrip("?") for name in story.order} | {"ask"}, story.name
        for name, clauses in story.parts.items():
            for clause in clauses:
                only = replace(story, parts={**story.parts, name: (clause,)})
                for _ in range(10):
                    text = tell(only, random, language).text
                    assert not re.search(r"[\[\]{}|\ue000-\uf8ff]|  | [.,?]|^\s|\s$|None|\ba [aeio]", text), text
                    assert not foreign.search(text), text
                    assert text[-1] == ("?" if language == "en" else "？"), text
                    assert text[0] == text[0].upper(), text


@settings(max_examples=25, deadline=None)
@given(seeds, st.sampled_from(LEVELS))
def test_the_papers_decoder_can_say_every_equation(seed, level):
    """In eight steps of at most six expressions."""
    for problem in generate(20, seed=seed, level=level):
        by_layer = layers(problem.graph)
        assert len(by_layer) <= 8
        assert all(len(layer) <= 6 for layer in by_layer)


def test_every_shape_occurs():
    problems = generate(3000, seed=13, level="hard")
    shapes = Counter(shape(problem.graph) for problem in problems)
    assert set(shapes) == set(Shape)
    assert all(shapes[each] > 100 for each in (Shape.SINGLE, Shape.CHAIN, Shape.TREE))
    assert max(len(layers(problem.graph)) for problem in problems) >= 5
    assert {e.operator for problem in problems for e in problem.graph.expressions} == set(PAPER_OPERATORS)


@pytest.mark.parametrize("level", LEVELS)
def test_some_results_are_used_twice(level):
    def uses_twice(graph):
        uses = Counter(o for e in graph.expressions for o in (e.left, e.right) if isinstance(o, Result))
        return max(uses.values(), default=0) > 1

    assert sum(uses_twice(problem.graph) for problem in generate(2000, seed=14, level=level)) > 40


def test_hard_problems_must_be_read():
    problems = generate(2000, seed=15, level="hard")
    with_distractor = [p for p in problems if len(numbers_used(p)) < len(p.numbers)]
    out_of_order = [p for p in problems if numbers_used(p) != sorted(numbers_used(p))]
    assert len(with_distractor) > 200
    assert sum(number.kind == "word" for p in problems for number in p.numbers) > 500
    assert len(out_of_order) > 200


def test_medium_problems_have_no_number_to_spare():
    for problem in generate(500, seed=16, level="medium"):
        assert sorted(numbers_used(problem)) == list(range(len(problem.numbers)))


def test_easy_problems_are_told_in_order_of_use():
    for problem in generate(500, seed=16, level="easy"):
        assert numbers_used(problem) == list(range(len(problem.numbers)))


def test_hard_problems_are_varied():
    problems = generate(10_000, seed=17, level="hard")
    assert len({p.masked_text for p in problems}) > 6000
    names = re.compile("|".join(person.name.lower() for people in PEOPLE.values() for person in people))
    assert len({names.sub("@", p.masked_text) for p in problems}) > 4000


def test_the_same_seed_gives_the_same_problems_in_another_process():
    program = (
        "from treequation.data.synthetic import generate\nfor p in generate(60, seed=5, level='hard'): print(ascii(p))"
    )
    command = [sys.executable, "-c", program]
    outputs = {
        subprocess.run(command, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout
        for seed in ("1", "2")
    }
    assert outputs == {"".join(f"{p!a}\n" for p in generate(60, seed=5, level="hard"))}


def test_seeds_and_levels_differ_and_a_longer_run_continues_a_shorter_one():
    assert generate(50, seed=1) != generate(50, seed=2)
    assert generate(80, seed=1)[:50] == generate(50, seed=1)
    ids = [problem.id for level in LEVELS for problem in generate(50, seed=1, level=level)]
    assert len(set(ids)) == len(ids)


def test_languages():
    assert {problem.language for problem in generate(100)} == {"en", "zh"}
    assert {problem.language for problem in generate(100, language="zh")} == {"zh"}


@pytest.mark.parametrize("wrong", [{"level": "everyday"}, {"language": "fr"}])
def test_wrong_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=str(*wrong.values())):
        generate(1, **wrong)


def story(en, answer, **settings):
    ask = Clause("how many?", "多少？", answer=answer)
    start = Clause(en, "有{n}支笔", {"n": "4..4"}, {"total": "n"})
    return Story("s", ["start"], {"start": [start], "ask": [ask]}, **settings)


@pytest.mark.parametrize("en", ["there are {n} pens and {n} books", "there are pens"])
def test_a_number_is_written_exactly_once(en):
    with pytest.raises(ValueError, match="missing or written twice"):
        tell(story(en, "total"), Random(0), "en", Style())


@pytest.mark.parametrize("answer", ["total - 4", "total - 5", "total / 3", "total * 9000", "total / (total - total)"])
def test_answers_that_make_no_sense_are_not_told(answer):
    with pytest.raises(NotSensible):
        Teller(Random(0), "en", Style()).tell(story("there are {n} pens", answer, whole=False), "x")


def test_only_where_a_story_allows_it_are_quantities_not_whole():
    halved = story("there are {n} kilograms", "total / 8", whole=False)
    assert tell(halved, Random(0), "en", Style()).answer == Fraction(1, 2)
    with pytest.raises(NotSensible):
        Teller(Random(0), "en", Style()).tell(replace(halved, whole=True), "x")


def test_asides_have_a_number_that_nothing_is_computed_of():
    for aside in read_asides():
        assert aside.draw
        assert not aside.set


def test_a_range_that_is_none_is_named():
    with pytest.raises(ValueError, match="'2 to 5' is not a range"):
        written_numbers("2 to 5")


def test_templates_choose_nest_and_may_be_empty():
    def choices(template):
        random = Random(1)
        return {expand(template, {"n": 5}.get, random.randrange) for _ in range(200)}

    assert choices("a[b|c[d|e]|]{n}") == {"ab5", "acd5", "ace5", "a5"}
    with pytest.raises(ValueError, match="brackets"):
        expand("a[b", {}.get, lambda n: 0)
