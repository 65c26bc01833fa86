"""Every number has its marker, whatever the text says and however long it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from treequation.text.encoding import NUMBER_MARKER, ProblemEncoder, ProblemTooLongError
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """Letters and digits one by one, everything else unknown."""
    pieces = ["[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz0123456789.,?"]
    pieces += [f"##{piece}" for piece in pieces[3:]]
    made = Tokenizer(models.WordPiece({piece: index for index, piece in enumerate(pieces)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    made.add_special_tokens([NUMBER_MARKER])
    return made


def problem(text: str) -> Problem:
    return Problem("made", text, find_numbers(text))


def test_markers_stand_where_the_numbers_do(tokenizer: Tokenizer) -> None:
    two = problem("a 12 b 3")
    encoder = ProblemEncoder(tokenizer, max_tokens=50)
    (encoded,) = encoder.encode([two])
    assert encoder.tokens(encoded) == ("[CLS]", "a", NUMBER_MARKER, "1", "##2", "b", NUMBER_MARKER, "3", "[SEP]")
    assert encoded.positions == (2, 6)
    (bare,) = ProblemEncoder(tokenizer, max_tokens=50, keep_number_text=False).encode([two])
    assert encoder.tokens(bare) == ("[CLS]", "a", NUMBER_MARKER, "b", NUMBER_MARKER, "[SEP]")


@pytest.mark.parametrize("keep", [True, False])
def test_tokens_know_where_they_stand(tokenizer: Tokenizer, keep: bool) -> None:
    """Also behind a marker that somebody wrote into the text."""
    one = problem(f"ab {NUMBER_MARKER} 12 cd, e 3?")
    encoder = ProblemEncoder(tokenizer, max_tokens=50, keep_number_text=keep)
    (encoded,) = encoder.encode([one])
    spans = encoder.spans(one)
    shown = [None if span is None else one.text[slice(*span)] for span in spans]
    assert [shown[position] for position in encoded.positions] == ["12", "3"]
    digits = ["1", "2"] if keep else []
    words = [each for place, each in enumerate(shown) if place not in encoded.positions]
    assert words == [None, "a", "b", *digits, "c", "d", ",", "e", *(["3"] if keep else []), "?", None]


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.sampled_from([NUMBER_MARKER, "<num", "ber>", "<number", ">", "7", " 2.5 ", "三", "[CLS]", "ＡＢ", "x", " "])
        | st.text(max_size=3),
        max_size=12,
    ).map("".join),
    st.booleans(),
)
def test_any_text_has_as_many_markers_as_numbers(tokenizer: Tokenizer, text: str, keep: bool) -> None:
    one = problem(text)
    encoder = ProblemEncoder(tokenizer, max_tokens=10_000, keep_number_text=keep)
    (encoded,) = encoder.encode([one])
    assert len(encoded.positions) == len(one.numbers)
    spans = encoder.spans(one)
    assert [spans[position] for position in encoded.positions] == [(n.start, n.end) for n in one.numbers]
    marker = tokenizer.token_to_id(NUMBER_MARKER)
    assert all(encoded.ids[position] == marker for position in encoded.positions)


def test_too_long_a_problem_says_so(tokenizer: Tokenizer) -> None:
    with pytest.raises(ProblemTooLongError, match=r"12 tokens and the model takes 8.*truncation"):
        ProblemEncoder(tokenizer, max_tokens=8).encode([problem("a b c d e f g h i j")])


def test_truncation_keeps_numbers_and_the_question(tokenizer: Tokenizer) -> None:
    long = problem("a " * 30 + "7 b " + "c " * 30 + "8 how many x ?")
    encoder = ProblemEncoder(tokenizer, max_tokens=20)
    (encoded,) = encoder.encode([long], truncate=True)
    tokens = encoder.tokens(encoded)
    assert len(tokens) == 20
    assert len(encoded.positions) == len(long.numbers) == 2
    assert tokens[0] == "[CLS]"
    assert tokens[-1] == "[SEP]"
    assert "".join(tokens).replace("##", "").endswith("howmanyx?[SEP]")
    (short,) = encoder.encode([problem("a 7")], truncate=True)
    assert encoder.tokens(short) == ("[CLS]", "a", NUMBER_MARKER, "7", "[SEP]")


def test_more_numbers_than_there_is_room_for(tokenizer: Tokenizer) -> None:
    many = problem("7 a " * 20)
    with pytest.raises(ProblemTooLongError, match="20 numbers"):
        ProblemEncoder(tokenizer, max_tokens=12).encode([many], truncate=True)


def test_tokenizer_without_the_marker_is_refused() -> None:
    with pytest.raises(ValueError, match=NUMBER_MARKER):
        ProblemEncoder(Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]")), max_tokens=5)
