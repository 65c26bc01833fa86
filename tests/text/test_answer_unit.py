"""The unit of an answer: right where the question is plain, and none wherever it is not."""

from fractions import Fraction

import pytest

from treequation.expression.parsing import parse_infix
from treequation.text.answer_unit import answer_unit
from treequation.text.language import language_of
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem


def shown(text: str, equation: str, number: str = "2.5") -> str:
    unit = answer_unit(Problem("", text, find_numbers(text), language_of(text)), parse_infix(equation))
    return number if unit is None or not unit.fits(Fraction(number)) else unit.beside(number)


@pytest.mark.parametrize(
    ("text", "equation", "expected"),
    [
        ("A car drives 90 km in 36 hours. What is its speed?", "n0/n1", "2.5 km/h"),
        ("A train goes 90 miles in 36 hours. How fast is it?", "n0/n1", "2.5 miles per hour"),
        (
            "He walks at 5 km/h for half an hour. How far does he get?",
            "n0*n1",
            "2.5",
        ),  # "half an hour" has no number's unit
        ("She walks at 5 km/h for 0.5 hours. How far does she get?", "n0*n1", "2.5 km"),
        ("A pen costs $1.25. How much do 2 pens cost?", "n0*n1", "$2.50"),
        ("A pen costs £1.25. What is the price of two?", "n0*n1", "£2.50"),
        ("A pen costs 1.25 dollars. How much do 2 pens cost?", "n0*n1", "2.5 dollars"),
        ("A rope of 5 m is cut into 2 equal pieces. How many metres is a piece?", "n0/n1", "2.5 m"),
        ("A rope of 5 m is cut in 2. How long is a piece?", "n0/n1", "2.5 m"),
        ("A field is 2 by 1.25 m. What is its area?", "n0*n1", "2.5"),  # one of the two has no unit
        ("A field is 2 m wide and 1.25 m long. What is its area?", "n0*n1", "2.5 m²"),
        ("How many hours are 150 minutes?", "n0/60", "2.5 hours"),
        ("Sixty miles on 24 gallons: how many miles per gallon is that?", "n0/n1", "2.5 miles per gallon"),
        ("A car needs 4 hours for 10 km. What is its speed in km/h?", "n1/n0", "2.5 km/h"),
        ("一辆车4小时行10千米，每小时行多少千米？", "n1/n0", "2.5 千米"),
        ("一支笔5元，半价是多少元？", "n0*0.5", "2.5 元"),
        ("两支笔5元，一支多少钱？", "n1/n0", "2.5 元"),
        ("小明2小时走5千米，速度是多少千米/时？", "n1/n0", "2.5 千米/时"),
        ("一根绳子长5米，平均分成2段，每段多长？", "n0/n1", "2.5 米"),
        ("哥哥5岁，妹妹是他的一半，妹妹几岁？", "n0*0.5", "2.5 岁"),
    ],
)
def test_plain_units(text: str, equation: str, expected: str) -> None:
    assert shown(text, equation) == expected


@pytest.mark.parametrize(
    ("text", "equation"),
    [
        ("Tom has 3 boxes of 12 pencils. How many pencils has he?", "n0*n1"),
        ("How many pound bags can be filled with 30 pounds?", "n0/12"),
        ("How many 5 dollar bills make 50 dollars?", "n1/n0"),
        ("How many hours and minutes are 150 minutes?", "n0/60"),
        ("How many dollars or euros are 3 pounds?", "n0*2"),
        ("A rope is 3 m and 40 cm long. How long is half of it?", "n0/2"),  # in which of the two?
        ("A car drives 60 km/h for 30 minutes. How far does it go?", "n0*n1/60"),
        ("He has $5 and 3 apples. How much does he have?", "n0*n1"),
        ("A shirt costs C$30. How much do two cost?", "n0*n1"),
        ("A shirt costs $30. What percent of $60 is its price?", "n0/n1*100"),
        ("What is the ratio of 3 m to 5 m in metres?", "n0/n1"),
        ("How many times as long as 3 m is 9 m?", "n1/n0"),
        ("A wall of 20 m costs $30. How much is that?", "n1/n0"),
        ("How many meters squared are 3 m by 4 m?", "n0*n1"),
        ("He walks 3 km. How far is that? How long does he need for 2 km?", "n0"),
        ("A book costs $3. A box has 4. How much do 2 boxes weigh?", "n0*n1*n2"),
        ("小明3年级，他有5本书，几年级有10本？", "n0*2"),
        ("一共有5米布，还剩几分之几？", "n0/10"),
        ("他走了3小时20分，一共几小时几分？", "n0+1"),
        ("3米绳子能做几根跳绳？", "n0/3"),
    ],
)
def test_in_doubt_there_is_none(text: str, equation: str) -> None:
    assert shown(text, equation) == "2.5"


def test_one_is_singular_and_money_has_whole_cents() -> None:
    assert shown("How many hours are 60 minutes?", "n0/60", "1") == "1 hour"
    assert shown("Three pens cost $7. How much does a pen cost?", "n1/n0", "7/3") == "7/3"
    assert shown("A pen costs $1. How much do 2 pens cost?", "n0*n1", "2") == "$2"
