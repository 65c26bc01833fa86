"""Parts that compose with a decoder: add-ons to the encoder and auxiliary losses, each by the name a recipe uses.

An add-on changes what the encoder has read; ``model.addon`` names one. An auxiliary loss is added to the decoder's own
while training; ``model.auxiliary`` names one or, joined by ``+``, several. Importing :mod:`treequation.baselines` adds
the published ones.

A training step may be captured as a graph, so no part decides anything on the host while it computes. What has to be
chosen, such as pairs of problems or wrong equations, is chosen once before training, as integers
(:meth:`Part.choose`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
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
    """The loss of some problems, and what an auxiliary loss may hold on to."""

    loss: Tensor  # [B] summed over the symbols or expressions of each problem
    root: Tensor  # [B, D] the summary that the equation is written from
    goals: Tensor | None = None  # [B, L, D] of a goal-driven decoder: the goal at each place of the prefix equation
    trees: Tensor | None = None  # [B, L + 1, D] and the embedding of the sub-tree that begins there
    said: Sequence[Tensor] = ()  # L tensors [B, V]: log-probabilities of the symbols at each place


class PartLoss(NamedTuple):
    """What an auxiliary loss gives, [A] each."""

    weighted: Tensor  # what the model is to learn by it
    own: Tensor | None = None  # what the part itself is to learn, such as a judge that judges; it has no weight


class Chosen(NamedTuple):
    """What parts chose for N training problems. Fields that nobody asked for are empty."""

    tags: Sequence[Sequence[int]] = ()  # for each problem the classes that it belongs to
    equations: Sequence[Sequence[Sequence[int]]] = ()  # prefix symbols: the gold equation's, then wrong ones'
    mates: npt.NDArray[np.int64] | None = None  # [N, C, 4]; one of C is drawn at each step. See `Batch.mates`


class Part(nn.Module):
    """An add-on or an auxiliary loss."""

    NAME: ClassVar[str]  # the recipe's name of it
    DECODERS: ClassVar[tuple[str, ...]] = ()  # those that it works with; none: all
    CHOOSES: ClassVar[tuple[str, ...]] = ()  # the fields of `Chosen` that it fills

    def __init__(self, config: TreequationConfig, width: int) -> None:
        """``width`` is that of the states that the decoder reads."""
        super().__init__()

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem] = ()) -> Chosen:
        """What the part needs to know of the training problems, all of which have equations."""
        return Chosen()


class Addon(Part):
    """Changes what the encoder has read, in training and in solving."""

    READS_RANKS: ClassVar[bool] = False  # needs the order of the numbers' values, `Batch.ranks`

    def forward(self, problem: Tensor, mask: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """New states [B, T′, D] and their mask [B, T′]. The tokens come first, and the summary is the first of them."""
        raise NotImplementedError

    def loss(self, read: Read, batch: Batch) -> Tensor | None:
        """What the add-on itself is to learn, [B]; None if nothing."""
        return None


class Auxiliary(Part):
    """A loss beside the decoder's own."""

    WEIGHT: ClassVar[float] = 1.0  # its paper's
    PER_SYMBOL: ClassVar[bool] = False  # whether that is a weight beside the mean over symbols; ours is the sum
    BEGINS: ClassVar[tuple[float, float]] = (0.0, 0.0)  # shares of the run: it grows from the first to the second
    decodes_mates = False  # whether mates are decoded as well, or only read

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        self.scale = self._factor = self.WEIGHT * config.auxiliary_weight

    def weigh(self, problems: Sequence[Problem]) -> None:
        """Turns a weight beside a mean over symbols into one beside the sum over an equation."""
        lengths = [prefix_length(problem.graph) for problem in problems if problem.graph is not None]
        if self.PER_SYMBOL and lengths:
            self.scale = self._factor * float(np.mean(lengths))

    def weight(self, progress: Tensor | None) -> Tensor | float:
        """The weight after this share of the run; in full where nobody says how far the run is."""
        begin, end = self.BEGINS
        if progress is None or end == 0.0:
            return self.scale
        return self.scale * ((progress - begin) / max(end - begin, 1e-6)).clamp(0.0, 1.0)

    def forward(self, traced: Traced, read: Read, batch: Batch) -> PartLoss:
        """The loss [A] of the first A rows of the batch, those that are no mates."""
        raise NotImplementedError


_addons: dict[str, type[Addon]] = {}
_auxiliaries: dict[str, type[Auxiliary]] = {}
ADDONS: Mapping[str, type[Addon]] = MappingProxyType(_addons)
"""The registered add-ons by name; read-only, and it grows as they register."""
AUXILIARIES: Mapping[str, type[Auxiliary]] = MappingProxyType(_auxiliaries)
"""The registered auxiliary losses by name."""


def register_part(part: P) -> P:
    """Makes an add-on or an auxiliary loss known by its ``NAME``; used as a decorator of the class."""
    known: dict[str, type] = _addons if issubclass(part, Addon) else _auxiliaries
    if known.setdefault(part.NAME, part) is not part:
        raise ValueError(f"the part {part.NAME} is registered already, as {known[part.NAME].__name__}")
    return part


def auxiliary_names(setting: str) -> list[str]:
    """The names in ``model.auxiliary``.

    >>> auxiliary_names("analogy+discriminator"), auxiliary_names("")
    (['analogy', 'discriminator'], [])
    """
    return [name.strip() for name in setting.split("+")] if setting else []


def check_parts(config: TreequationConfig) -> None:
    """Raises :class:`ValueError` for names that are unknown, or parts that do not go together."""
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
    owner: dict[str, str] = {}
    for part in parts:
        for field in part.CHOOSES:
            if owner.setdefault(field, part.NAME) != part.NAME:
                raise ValueError(f"auxiliary: {owner[field]} and {part.NAME} cannot be combined: both choose {field}")
