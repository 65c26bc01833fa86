"""Causes of wrong answers, each with an equation that has it, and annotations that contradict themselves."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.evaluation.cases import decoded_as, problem
from treequation.evaluation.analysis.wrong_answers import annotation_errors, cause_of, measure
from treequation.evaluation.scoring import score
from treequation.text.number_vocabulary import Vocabulary

TEA = "3 cups at 5 dollars, 2 dollars off: how much?"
HUNDRED = Vocabulary((Fraction(100),))


@pytest.mark.parametrize(
    ("equation", "cause"),
    [
        ("n0*n1", "missing expression"),
        ("n0*n1 - n2 + n2*n2", "extra expression"),
        ("n0*n1 + n2", "wrong operator"),
        ("n0*(n1 - n2)", "wrong operator"),
        ("n0*n1 - n1", "wrong operand"),
        ("n2 - n0*n1", "wrong operand"),
        ("n0*n1 - n2", None),
        ("n1*n0 - n2", None),
    ],
)
def test_how_an_equation_differs(equation: str, cause: str | None) -> None:
    tea = problem(TEA, "n0*n1 - n2")
    assert cause_of(tea, score(tea, decoded_as(equation)), HUNDRED) == cause


def test_the_same_number_of_expressions_put_together_differently() -> None:
    party = problem("4 boys, 5 girls, 6 cakes, 7 pies?", "(n0+n1)*(n2+n3)")
    assert cause_of(party, score(party, decoded_as("((n0+n1)*n2)+n3")), HUNDRED) == "wrong structure"


def test_what_the_model_could_not_say() -> None:
    wrong = decoded_as("n0+n0")
    far = problem("A train goes 90 km in an hour. In 7 weeks?", "n0*168*n1")
    assert cause_of(far, score(far, wrong), HUNDRED) == "unseen constant"
    dozen = problem("Ann has 3 boxes of seven pens.", "n0*7")
    assert cause_of(dozen, score(dozen, wrong), HUNDRED) == "number not found"
    share = problem("What are 5 % of 40?", "n0/100*n1")
    assert cause_of(replace(share, refused="another format"), score(share, wrong), HUNDRED) == "number not found"
    assert cause_of(share, score(share, wrong), HUNDRED, steps=1) == "too deep"
    assert cause_of(share, score(share, None), HUNDRED, steps=2) == "nothing decoded"
    wide = problem("4 boys, 5 girls, 6 cakes, 7 pies?", "(n0+n1)*(n2+n3)")
    assert cause_of(wide, score(wide, None), HUNDRED, steps=2, queries=2) == "nothing decoded"
    assert cause_of(wide, score(wide, None), HUNDRED, steps=2, queries=1) == "too deep"


def test_annotations_that_contradict_themselves() -> None:
    wrong = problem(TEA, "n0*n1 - n2", answer="14", id="wrong")
    rounded = problem("10 pens for 3 boys: how many each?", "n0/n1", answer="3.33", id="rounded")
    same = problem(TEA.replace("3", "4"), "n0*n1 - n2", answer="18", id="same")
    other = problem(TEA.replace("3", "6"), "n0*n1 + n2", answer="32", id="other")
    found = annotation_errors([wrong, rounded, same, other])
    assert [(error.id, error.kind) for error in found] == [("wrong", "equation and answer"), ("other", "same text")]
    assert "gives 13, the answer is 14" in found[0].reason
    assert "problem wrong" in found[1].reason
    assert cause_of(wrong, score(wrong, decoded_as("n0*n1 - n2")), HUNDRED) == "annotation contradicts itself"
    content = measure([wrong, same], [score(wrong, decoded_as("n0*n1")), score(same, decoded_as("n0*n1-n2"))], HUNDRED)
    assert (content["problems"], content["wrong"]) == (2, 1)
    assert content["causes"]["annotation contradicts itself"] == {"count": 1, "unseen": 0}
