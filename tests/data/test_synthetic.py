"""Generated problems: right by construction, found by the finder, varied, and the same everywhere."""

import re
import subprocess
import sys
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treequation.data.synthetic import CONSTANTS, generate, stream
from treequation.data.synthetic.templates import expand
from treequation.data.synthetic.vocabulary import PEOPLE
from treequation.data.synthetic.writing import Style, Writer
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import PAPER_OPERATORS, Constant, Number, Result
from treequation.expression.layers import Shape, layers, shape
from treequation.text.numbers import find_numbers

LEVELS = ("easy", "medium", "hard", "everyday")
COMPOSED = LEVELS[:3]  # in whole sentences, and of every shape
LANGUAGES = ("en", "zh")
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
        assert {leaf.value for leaf in problem.graph.leaves if isinstance(leaf, Constant)} <= set(CONSTANTS)
        assert find_numbers(problem.text) == problem.numbers, problem.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_clean(language):
    foreign = re.compile("[\u4e00-\u9fff，。？]" if language == "en" else "[A-Za-z]{2,}")
    for level in COMPOSED:
        for problem in generate(2000, seed=12, level=level, language=language):
            text = problem.text
            assert not re.search(r"[\[\]{}|\ue000-\uf8ff]|  | [.,?]|^\s|\s$|None", text), text
            assert not foreign.search(text), text
            assert text[-1] in ("?." if language == "en" else "？。"), text
            assert text[0] == text[0].upper(), text


@settings(max_examples=25, deadline=None)
@given(seeds, st.sampled_from(LEVELS), st.integers(1, 5), st.integers(1, 4))
def test_depth_and_width_stay_within_bounds(seed, level, max_depth, max_width):
    for problem in generate(20, seed=seed, level=level, max_depth=max_depth, max_width=max_width):
        by_layer = layers(problem.graph)
        assert len(by_layer) <= max_depth
        assert all(len(layer) <= max_width for layer in by_layer)


def test_every_shape_occurs():
    problems = generate(3000, seed=13, level="hard")
    shapes = Counter(shape(problem.graph) for problem in problems)
    assert set(shapes) == set(Shape)
    assert all(shapes[each] > 100 for each in (Shape.SINGLE, Shape.CHAIN, Shape.TREE))
    assert max(len(layers(problem.graph)) for problem in problems) >= 5
    assert {e.operator for problem in problems for e in problem.graph.expressions} == set(PAPER_OPERATORS)


@pytest.mark.parametrize("level", COMPOSED)
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
    assert len(out_of_order) > 200


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


@pytest.mark.parametrize("wrong", [{"level": "odd"}, {"language": "fr"}, {"max_depth": 0}, {"max_width": 0}])
def test_wrong_arguments_are_refused_at_once(wrong):
    with pytest.raises(
        ValueError, match=str(*wrong.values()) if "level" in wrong or "language" in wrong else "at least 1"
    ):
        stream(**wrong)


def test_a_number_cannot_be_written_twice_nor_a_result_at_all():
    writer = Writer(Random(0), "en", Style())
    a, b = writer.number(3), writer.number(4)
    with pytest.raises(ValueError, match="computed"):
        writer.fact("there are {n} pens", "有{n}支笔", n=a + b)
    writer.fact("there are {a} pens and {a} books", "有{a}支笔和{a}本书", a=a)
    writer.ask("how many?", "多少？", a + b)
    with pytest.raises(ValueError, match="twice"):
        writer.problem("x")


def test_templates_choose_nest_and_may_be_empty():
    def choices(template):
        random = Random(1)
        return {expand(template, {"n": 5}, random.randrange) for _ in range(200)}

    assert choices("a[b|c[d|e]|]{n}") == {"ab5", "acd5", "ace5", "a5"}
    with pytest.raises(ValueError, match="brackets"):
        expand("a[b", {}, lambda n: 0)
