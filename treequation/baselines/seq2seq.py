"""Sequence to sequence: a Transformer decoder writes the infix equation from left to right, brackets included.

The decoder is that of Vaswani et al., "Attention Is All You Need" (2017), on a pretrained encoder, as in the mBERT and
BERTGen lines of work. It points to numbers of the text instead of spelling them. As in that literature, nothing
prevents it from writing an invalid equation; such a problem is unanswered.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from treequation.baselines.symbol_search import END, Hypothesis, S, SymbolModel, Written, likeliest
from treequation.data.batches import Batch
from treequation.data.labels import Label, LabelSets, Names, check_length
from treequation.decoding.search import Floats, Ints, Reader
from treequation.expression.graph import ExpressionGraph, Number, Operand, Operator, Result
from treequation.expression.layers import decoding_steps
from treequation.expression.parsing import EquationError, parse_infix
from treequation.expression.printing import brackets
from treequation.model.base import Read, pick_all, summed
from treequation.model.config import TreequationConfig
from treequation.model.decoder import MASKED
from treequation.model.parts import Traced
from treequation.model.registry import register
from treequation.model.transformer import DecoderLayer, mlp
from treequation.text.number_vocabulary import Vocabulary

Memory = tuple[Tensor, Tensor]
"""Keys and values of an attention, [B, H, ·, D/H] each."""


class InfixNotation:
    """Symbols are numbered: stop, the operators, two brackets, then the slots."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.open = len(vocabulary.operators) + 1
        self.close = self.open + 1
        self.first_slot = self.open + 2
        self._names = Names(vocabulary)

    def write(self, graph: ExpressionGraph, longest: int) -> list[int]:
        """The equation with the brackets it needs; a shared result is written out wherever it is used.

        >>> notation = InfixNotation(Vocabulary(()))
        >>> notation.write(parse_infix("n0*(n1-n2)"), 100)
        [8, 3, 6, 9, 2, 10, 7]
        >>> rounding = InfixNotation(Vocabulary((), (Operator.DIVIDE, Operator.ROUND_UP)))
        >>> rounding.write(parse_infix("ceil(n0/n1)"), 100)  # ceil ( n0 / n1 )
        [2, 3, 5, 1, 6, 4]
        """
        check_length(decoding_steps(graph).infix, longest)
        written: list[list[int]] = []

        def side(operand: Operand, bracketed: bool) -> list[int]:
            if not isinstance(operand, Result):
                return [self.first_slot + self._names.leaf(operand)]
            inner = written[operand.index]
            return [self.open, *inner, self.close] if bracketed else inner

        for expression in graph.expressions:
            left, right = brackets(graph, expression)
            operator = self._names.operator(expression.operator)
            if expression.operator.rounds:  # ceil ( left / right )
                before, operator, after = [operator, self.open], self._names.operator(Operator.DIVIDE), [self.close]
            else:
                before, after = [], []
            written.append([*before, *side(expression.left, left), operator, *side(expression.right, right), *after])
        return side(graph.root, False)

    def read(self, symbols: tuple[int, ...], numbers: int) -> ExpressionGraph | None:
        """The equation that these symbols spell, or None if it is invalid."""
        signs = ["", *(f" {operator.value} " for operator in self.vocabulary.operators), "(", ")"]
        text = "".join(signs[s] if s < self.first_slot else f"n{s - self.first_slot}" for s in symbols)
        try:
            graph = parse_infix(text)
        except EquationError:
            return None
        return graph.replace_leaves(
            lambda builder, leaf: self.vocabulary.operand(leaf.index, numbers) if isinstance(leaf, Number) else leaf
        )


class SequenceLayer(DecoderLayer):
    """A decoder layer with causal self-attention."""

    def all_at_once(self, x: Tensor, problem: Memory, mask: Tensor) -> Tensor:
        """All places [B, L, D] of a known sequence, in one pass, given the keys and values of the problem."""
        return self.through(
            x,
            lambda x: self.self_attention.attend(x, *self.self_attention.remember(x), causal=True),
            lambda x: self.cross_attention.attend(x, *problem, mask),
        )

    def one_more(self, x: Tensor, problem: Memory, mask: Tensor, before: Memory | None) -> tuple[Tensor, Memory]:
        """The next place [B, 1, D], given the key/value cache of those before; returns the extended cache as well."""
        memory: list[Memory] = []

        def attend_back(x: Tensor) -> Tensor:
            new = self.self_attention.remember(x)
            both = new if before is None else tuple(torch.cat(pair, dim=2) for pair in zip(before, new, strict=True))
            memory.append((both[0], both[1]))
            return self.self_attention.attend(x, *memory[0])

        x = self.through(x, attend_back, lambda x: self.cross_attention.attend(x, *problem, mask))
        return x, memory[0]


class SequenceDecoder(nn.Module):
    """The Transformer decoder; its input and output share one table of symbols and numbers."""

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__()
        symbols = InfixNotation(config.vocabulary).first_slot
        self.symbols = nn.Parameter(torch.randn(symbols, width))  # same scale as the numbers' states
        self.constants = nn.Parameter(torch.randn(len(config.constants), width))
        self.layers = nn.ModuleList(
            SequenceLayer(width, config.heads(width), config.dropout, config.feed_forward)
            for _ in range(config.decoder_layers)
        )
        self.norm = nn.LayerNorm(width)
        self.head = mlp(width, width)

    @property
    def stack(self) -> list[SequenceLayer]:
        """The layers from the first to the last."""
        return cast("list[SequenceLayer]", list(self.layers))

    def table(self, read: Read) -> Tensor:
        """The embeddings of all symbols and numbers, [B, V, D]."""
        symbols = self.symbols.to(read.numbers.dtype).expand(len(read.numbers), -1, -1)
        return torch.cat([symbols, read.numbers], dim=1)

    def embed(self, table: Tensor, symbols: Tensor, place: int = 0) -> Tensor:
        """The input embeddings of symbols [B, L], the first of them at ``place``."""
        return pick_all(table, symbols) + sinusoids(place, symbols.shape[1], table.shape[-1], table)

    def predict(self, x: Tensor, table: Tensor, number_mask: Tensor) -> Tensor:
        """Log-probabilities of the next symbol, [B, L, V], from the last layer's states."""
        scores = (self.head(self.norm(x)) @ table.transpose(1, 2)).float() * x.shape[-1] ** -0.5
        absent = torch.cat([number_mask.new_zeros(len(x), len(self.symbols)), ~number_mask], dim=1)  # [B, V]
        return scores.masked_fill(absent.unsqueeze(1), MASKED).log_softmax(dim=-1)


def sinusoids(first: int, count: int, width: int, like: Tensor) -> Tensor:
    """Sinusoidal position embeddings, [count, width]."""
    place = torch.arange(first, first + count, device=like.device).unsqueeze(1)
    rate = torch.exp(torch.arange(0, width, 2, device=like.device) * (-math.log(10_000.0) / width))
    angles = place * rate
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width].to(like.dtype)


class InfixModel(SymbolModel[S]):
    """The base of models that write the infix equation symbol by symbol."""

    @cached_property
    def notation(self) -> InfixNotation:
        """How equations are written."""
        return InfixNotation(self.config.vocabulary)

    @property
    def max_steps(self) -> int:
        """The maximum number of symbols, plus one for stop."""
        return self.config.symbols + 1

    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """One label per symbol, which is stored as its ``operator``."""
        symbols = self.notation.write(graph, self.config.symbols)
        return tuple((Label(symbol, 0, 0),) for symbol in symbols)

    def written(self, found: Hypothesis, reader: Reader) -> Written:
        """The equation that these symbols spell, if stop is the last of them."""
        complete = found.open_ends == 0
        symbols = found.symbols[:-1] if complete else found.symbols
        return Written(self.notation.read(symbols, reader.numbers) if complete else None, found.score, len(symbols))


def shifted_right(batch: Batch) -> Tensor:
    """The gold symbols shifted by one place, [B, L]: the decoder's input with teacher forcing."""
    target = batch.operators[:, :, 0]
    return torch.cat([torch.full_like(target[:, :1], END), target[:, :-1]], dim=1)  # stop also means start


def sequence_loss(predicted: Tensor, batch: Batch) -> Tensor:
    """The loss [B] of the gold symbols, given the log-probabilities [B, L, V] at each place."""
    target = batch.operators[:, :, 0]
    return summed(-predicted.gather(2, target.unsqueeze(-1)).squeeze(-1), batch.layers)


class SequenceState(NamedTuple):
    """What a sequence decoder remembers: keys and values of the problem and of earlier symbols, for each layer."""

    table: Tensor  # [R, V, D]
    problem: tuple[Memory, ...]
    problem_mask: Tensor  # [R, T]
    number_mask: Tensor  # [R, S]
    before: tuple[Memory | None, ...]
    last: Tensor  # [R, 1] the symbol written last
    place: int


@register
class Seq2Seq(InfixModel[SequenceState]):
    """The sequence-to-sequence peer."""

    DECODER = "seq2seq"
    DECODER_CLASS = SequenceDecoder
    decoder: SequenceDecoder

    def loss(self, read: Read, batch: Batch) -> Traced:
        """The loss [B] of the gold symbols, with teacher forcing, in one pass."""
        table = self.decoder.table(read)
        x = self.decoder.embed(table, shifted_right(batch))
        for layer in self.decoder.stack:
            x = layer.all_at_once(x, layer.cross_attention.remember(read.problem), read.problem_mask)
        predicted = self.decoder.predict(x, table, read.number_mask)  # [B, L, V]
        return Traced(sequence_loss(predicted, batch), read.problem[:, 0], log_probabilities=predicted.unbind(dim=1))

    def begin(self, read: Read, batch: Batch, steps: int) -> SequenceState:
        """The state before the first symbol; stop also means start."""
        stack = self.decoder.stack
        problem = tuple(layer.cross_attention.remember(read.problem) for layer in stack)
        last = torch.full((len(read.problem), 1), END, device=read.problem.device)
        masks = read.problem_mask, read.number_mask
        return SequenceState(self.decoder.table(read), problem, *masks, (None,) * len(stack), last, 0)

    def propose(self, state: SequenceState, count: int) -> tuple[Floats, Ints, SequenceState]:
        """Reads the last symbol and predicts the next."""
        x = self.decoder.embed(state.table, state.last, state.place)
        memories = []
        for layer, problem, before in zip(self.decoder.stack, state.problem, state.before, strict=True):
            x, memory = layer.one_more(x, problem, state.problem_mask, before)
            memories.append(memory)
        predicted = self.decoder.predict(x, state.table, state.number_mask)[:, 0]
        return *likeliest(predicted, count), state._replace(before=tuple(memories))

    def write(self, state: SequenceState, symbols: Ints) -> SequenceState:
        """The symbols are read when the next ones are predicted."""
        last = torch.from_numpy(symbols).to(state.last.device).unsqueeze(1)
        return state._replace(last=last, place=state.place + 1)
