"""Parts that combine with any decoder: add-ons to the encoder and auxiliary losses, registered by name.

An add-on changes the encoder's output; ``model.addon`` names one. An auxiliary loss is added to the decoder's own in
training; ``model.auxiliary`` names one or, joined by ``+``, several. Importing :mod:`treequation.baselines` adds
the published ones.

A training step may be captured as a CUDA graph, so a part must not decide anything on the host while it computes.
Choices, such as pairs of problems or wrong equations, are made once before training, as integers (:meth:`Part.choose`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer
from torch import Tensor, nn

from treequation.data.batches import Batch
from treequation.expression.notations import prefix_length
from treequation.model.config import TreequationConfig
from treequation.text.encoding import EncodedProblem
from treequation.text.problem import Problem

if TYPE_CHECKING:
    from treequation.model.base import Read

P = TypeVar("P", bound="type[Part]")


class Traced(NamedTuple):
    """The loss of each problem, and intermediate values that auxiliary losses may use."""

    loss: Tensor  # [B] summed over the symbols or expressions of each problem
    root: Tensor  # [B, D] the state that decoding starts from
    goals: Tensor | None = None  # [B, L, D] the goal at each place of the prefix equation, if goal-driven
    trees: Tensor | None = None  # [B, L + 1, D] the embedding of the sub-tree that begins there
    log_probabilities: Sequence[Tensor] = ()  # L tensors [B, V]: of the symbols at each place


class PartLoss(NamedTuple):
    """The two terms of an auxiliary loss, [A] each."""

    weighted: Tensor  # trains the model; multiplied by the part's weight
    own: Tensor | None = None  # trains the part itself, such as a discriminator; it has no weight


class Chosen(NamedTuple):
    """The parts' choices for N training problems. Fields that no part fills are empty."""

    tags: Sequence[Sequence[int]] = ()  # the classes of each problem
    equations: Sequence[Sequence[Sequence[int]]] = ()  # the symbols of the gold equation, then of wrong ones
    mates: npt.NDArray[np.int64] | None = None  # [N, C, 4]; one of C is drawn at each step. See `Batch.mates`


class Part(nn.Module):
    """An add-on or an auxiliary loss."""

    NAME: ClassVar[str]  # in a recipe
    DECODERS: ClassVar[tuple[str, ...]] = ()  # the decoders that it works with; empty: all
    CHOOSES: ClassVar[tuple[str, ...]] = ()  # the fields of `Chosen` that it fills

    def __init__(self, config: TreequationConfig, width: int) -> None:
        """``width`` is the decoder's."""
        super().__init__()

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """The part's choices for the training problems, all of which have equations."""
        return Chosen()


class Addon(Part):
    """Changes the encoder's output, both in training and in solving."""

    READS_RANKS: ClassVar[bool] = False  # whether it needs `Batch.ranks`, the order of the numbers' values

    def learn_tokens(self, tokenizer: Tokenizer) -> None:
        """Is told the tokenizer as soon as the model has one, before it moves to a device."""
        return

    def forward(self, problem: Tensor, mask: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """New states [B, T′, D] and their mask [B, T′]. The T tokens come first, so state 0 remains the summary."""
        raise NotImplementedError

    def loss(self, read: Read, batch: Batch) -> Tensor | None:
        """The add-on's own loss [B], or None."""
        return None


class Auxiliary(Part):
    """A loss in addition to the decoder's own."""

    WEIGHT: ClassVar[float] = 1.0  # from its paper
    PER_SYMBOL: ClassVar[bool] = False  # whether the paper weighs it against the mean over symbols; ours is the sum
    BEGINS: ClassVar[tuple[float, float]] = (0.0, 0.0)  # shares of the run between which the weight grows from zero
    decodes_mates = False  # whether mates are decoded as well, or only encoded

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.scale = self.WEIGHT

    def weigh(self, problems: Sequence[Problem]) -> None:
        """Converts a weight for the mean over symbols into one for the sum over an equation."""
        lengths = [prefix_length(problem.graph) for problem in problems if problem.graph is not None]
        if self.PER_SYMBOL and lengths:
            self.scale = self.WEIGHT * float(np.mean(lengths))

    def weight(self, progress: Tensor | None) -> Tensor | float:
        """The weight after this share of the run; the full weight if the share is not known."""
        begin, end = self.BEGINS
        if progress is None or end == 0.0:
            return self.scale
        return self.scale * ((progress - begin) / max(end - begin, 1e-6)).clamp(0.0, 1.0)

    def forward(self, traced: Traced, read: Read, batch: Batch) -> PartLoss:
        """The loss [A] of the first A rows of the batch, which are not mates."""
        raise NotImplementedError


ADDONS: dict[str, type[Addon]] = {}
"""The registered add-ons by name."""
AUXILIARIES: dict[str, type[Auxiliary]] = {}
"""The registered auxiliary losses by name."""


def register_part(part: P) -> P:
    """A class decorator that registers an add-on or an auxiliary loss by its ``NAME``."""
    known: dict[str, type] = ADDONS if issubclass(part, Addon) else AUXILIARIES
    if known.setdefault(part.NAME, part) is not part:
        raise ValueError(f"the part {part.NAME} is already registered, as {known[part.NAME].__name__}")
    return part


def auxiliary_names(setting: str) -> list[str]:
    """The names in ``model.auxiliary``.

    >>> auxiliary_names("analogy+discriminator"), auxiliary_names("")
    (['analogy', 'discriminator'], [])
    """
    return [name.strip() for name in setting.split("+")] if setting else []


def check_parts(config: TreequationConfig, chosen: Sequence[str] = ()) -> None:
    """Raises :class:`ValueError` for unknown names, and for parts that cannot be combined.

    ``chosen`` are the fields of :class:`Chosen` that the decoder fills itself.
    """
    for key, names, known in (
        ("addon", [config.addon] if config.addon else [], ADDONS),
        ("auxiliary", auxiliary_names(config.auxiliary), AUXILIARIES),
    ):
        for name in names:
            if name not in known:
                raise ValueError(f"{key} is {name!r}; it must be one of {', '.join(known)}")
            if known[name].DECODERS and config.decoder not in known[name].DECODERS:
                raise ValueError(f"{key} {name} needs the decoder {' or '.join(known[name].DECODERS)}")
    parts: list[type[Part]] = [ADDONS[config.addon]] if config.addon else []
    parts += [AUXILIARIES[name] for name in auxiliary_names(config.auxiliary)]
    owner = dict.fromkeys(chosen, f"the decoder {config.decoder}")
    for part in parts:
        for field in part.CHOOSES:
            if owner.setdefault(field, part.NAME) != part.NAME:
                raise ValueError(f"auxiliary: {owner[field]} and {part.NAME} cannot be combined: both choose {field}")
