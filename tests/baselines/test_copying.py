"""The copying peer's own pieces, on examples worked by hand."""

import math

import pytest
import torch

from tests.model.tiny import batch_of, examples_of, make_model
from treequation.baselines.copying import BidirectionalLayer, Copying, Source, State
from treequation.baselines.symbol_search import END
from treequation.data.batches import Batch
from treequation.expression.parsing import parse_infix
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem


def model_and_problem() -> tuple[Copying, Problem]:
    text = "A man with 3 cats, 4 dogs and 5 birds"
    problem = Problem("p", text, find_numbers(text), graph=parse_infix("n0+n1*100"))
    return make_model([problem], decoder="copying", constants=["100", "7"]).eval(), problem


def begun(model: Copying, batch: Batch) -> tuple[Source, State]:
    """What the writer looks at, and its first state."""
    read = model.read(batch, model.constants)
    return model.decoder.read(read.problem, read.problem_mask, batch)


def test_reads_both_ways_as_if_there_were_no_padding() -> None:
    layer = BidirectionalLayer(6, 4)
    both = torch.nn.LSTM(6, 4, batch_first=True, bidirectional=True)
    for name, weight in both.named_parameters():
        part = layer.back if name.endswith("_reverse") else layer.there
        weight.data.copy_(getattr(part, name.removesuffix("_reverse")))
    x, lengths = torch.randn(2, 5, 6), (3, 5)
    turned = torch.tensor([[2, 1, 0, 3, 4], [4, 3, 2, 1, 0]])
    states = layer(x, turned)
    for row, length in enumerate(lengths):
        torch.testing.assert_close(states[row, :length], both(x[row : row + 1, :length])[0][0])


def test_generating_and_copying_share_one_softmax() -> None:
    """Where nothing is preferred, all operators, brackets, constants and the numbers of the text are equally likely."""
    model, problem = model_and_problem()
    decoder = model.decoder
    for layer in (decoder.generate, decoder.copy):
        layer.weight.data.zero_()
        layer.bias.data.zero_()
    symbols = 1 + 5 + 2 + 2 + 3  # stop, operators, brackets, constants, numbers
    with torch.no_grad():
        (example,) = examples_of(model, [problem])
        loss = float(model(batch_of(model, [example], numbers=8)))  # room for numbers is no number
        assert loss == pytest.approx(6 * math.log(symbols))  # n0 + n1 * 100 and stop
        # A number that copying prefers by log 2 is twice as likely as anything else.
        source, _ = begun(model, batch_of(model, [example]))
        hidden = torch.ones(1, 1, decoder.copy.out_features)
        keys = torch.zeros_like(source.copy_keys)
        keys[0, 1] = math.log(2) / decoder.copy.out_features
        said = decoder.predict(hidden, source._replace(copy_keys=keys))[0, 0].exp()
    assert said[model.notation.first_slot + 2 + 1].item() == pytest.approx(2 / (symbols + 1))
    assert said[END].item() == pytest.approx(1 / (symbols + 1))


def test_what_was_copied_is_read_at_its_place() -> None:
    """The next state depends on which number was copied, and after a generated symbol on no number's own state."""
    model, problem = model_and_problem()
    first_number = model.notation.first_slot + 2
    with torch.no_grad():
        source, state = begun(model, batch_of(model, examples_of(model, [problem])))

        def after(symbol: int, **other: torch.Tensor) -> torch.Tensor:
            return model.decoder.step(state, torch.tensor([symbol]), source._replace(**other)).hidden

        assert not torch.allclose(after(first_number), after(first_number + 1))
        changed = source.numbers.clone()
        changed[0, 1] += 1
        for symbol in (END, first_number - 1, first_number):
            torch.testing.assert_close(after(symbol, numbers=changed), after(symbol))
        assert not torch.allclose(after(first_number + 1, numbers=changed), after(first_number + 1))
