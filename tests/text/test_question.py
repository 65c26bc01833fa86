"""What kind of number a question asks for."""

import pytest

from treequation.text.question import asks_for_percentage


@pytest.mark.parametrize(
    "text",
    [
        "What percent of 80 is 12?",
        "What is 12 as a percentage of 48?",
        "Express 12 as a percentage of 48.",
        "Write 3/4 as a percentage",
        "The price rises from 5 to 6. By how much percent does it rise?",
        "Work out the percentage of the 80 pens that are red.",
        "Determine the percentage.",
        "What fraction of the 40 pupils, as a percent, came by bus?",
        "Convert 0.35 to a percent.",
        "共有50本书，卖出20本，求卖出的百分率",
        "100个零件中有98个合格，合格率是多少？",
        "全班50人，48人及格，求及格率。",
        "今年比去年增加了百分之几？",
    ],
)
def test_questions_for_a_percentage(text: str) -> None:
    assert asks_for_percentage(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is 15 percent of 80?",
        "What is fifteen percent of 80?",
        "A tax, as a percentage of the price, is 5. What is the tax on a coat of 80?",
        "How much is 20 percent of 50?",
        "成活了1350尾，成活率是多少？（用小数表示）",
        "合格率是98%，100个零件中有多少个合格？",
        "小明跑步的速率是多少？",
    ],
)
def test_questions_for_an_amount(text: str) -> None:
    assert not asks_for_percentage(text)
