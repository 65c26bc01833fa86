"""Graph convolutions over the tokens: numbers receive messages from smaller ones and from nearby words.

After Zhang et al., "Graph-to-Tree Learning for Solving Math Word Problems" (Graph2Tree, ACL 2020), as its code has it:
four branches of two layers each, two on the comparison graph and two on the attribute graph, neither normalised. The
paper's words for a number come from a parser; here, as for MAWPS, they are the three on either side of it, where the
number itself does not count, however many tokens it has. The last three words of the problem are also included, as
those of the number in question. The summary is not changed.
"""

from __future__ import annotations

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from treequation.baselines.addons.number_tokens import DIGITS, SIGNS, tokens_of
from treequation.data.batches import Batch
from treequation.model.base import first_places
from treequation.model.config import TreequationConfig
from treequation.model.parts import Addon, register_part

BRANCHES, NEAR = 4, 3


def comparison_graph(batch: Batch, tokens: int) -> Tensor:
    """Which token receives from which, [B, T, T]: a number from those that are not larger, each token from itself."""
    ranks, positions = batch.ranks, batch.positions  # [B, N]
    found = first_places(batch.numbers, ranks.shape[1])
    # The rank of the number at each token, from 1; 0 elsewhere. Padding is written to an extra column.
    place = positions.masked_fill(~found, tokens)
    rank = ranks.new_zeros(len(ranks), tokens + 1).scatter(1, place, ranks + 1)[:, :tokens]
    number = rank > 0
    below = (rank.unsqueeze(2) >= rank.unsqueeze(1)) & number.unsqueeze(2) & number.unsqueeze(1)
    return below | torch.eye(tokens, dtype=torch.bool, device=ranks.device)


def attribute_graph(batch: Batch, tokens: int, figures: Tensor | None = None) -> Tensor:
    """Undirected edges [B, T, T] between a number and the words near it, and between equal words near numbers.

    Tokens that write out a number are no words, if ``figures`` [V] says which tokens can.
    """
    place = torch.arange(tokens, device=batch.ids.device)
    found = first_places(batch.numbers, batch.positions.shape[1])
    number = torch.zeros_like(batch.ids, dtype=torch.long).scatter_add(1, batch.positions, found.long()) > 0  # [B, T]
    there = place < batch.lengths.unsqueeze(1)
    written = torch.zeros_like(number) if figures is None else written_out(number, figures[batch.ids])
    order = (~written).long().cumsum(dim=1)  # [B, T]
    near = (order.unsqueeze(2) - order.unsqueeze(1)).abs() <= NEAR  # [B, T, T]
    word = (number.unsqueeze(1) & near).any(dim=2)  # [B, T] near some number
    word = (word | (place >= batch.lengths.unsqueeze(1) - 1 - NEAR)) & there & ~number & ~written
    own = number.unsqueeze(2) & word.unsqueeze(1) & near
    equal = (batch.ids.unsqueeze(2) == batch.ids.unsqueeze(1)) & word.unsqueeze(2) & word.unsqueeze(1)
    return own | own.transpose(1, 2) | equal | torch.eye(tokens, dtype=torch.bool, device=place.device)


def written_out(number: Tensor, figure: Tensor) -> Tensor:
    """The tokens [B, T] that write out the number before them: there are only figures between its marker and them."""
    place = torch.arange(number.shape[1], device=number.device)
    marker, other = (torch.where(which, place, -1).cummax(dim=1).values for which in (number, ~number & ~figure))
    return (marker > other) & ~number


class Branch(nn.Module):
    """Two graph convolutions, the second to a quarter of the width."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width // BRANCHES)
        self.drop = nn.Dropout(dropout)

    def forward(self, states: Tensor, graph: Tensor) -> Tensor:
        """From [B, T, D] to [B, T, D/4], along the edges [B, T, T]."""
        return graph @ self.second(self.drop(torch.relu(graph @ self.first(states))))


@register_part
class QuantityGraph(Addon):
    """The four branches, concatenated, then a feed-forward layer."""

    NAME = "graph"
    READS_RANKS = True

    def __init__(self, config: TreequationConfig, width: int) -> None:
        super().__init__(config, width)
        if width % BRANCHES:
            raise ValueError(f"addon graph has {BRANCHES} branches, which do not divide the width {width}")
        self.register_buffer("figures", None, persistent=False)
        self.branches = nn.ModuleList(Branch(width, config.dropout) for _ in range(BRANCHES))
        self.norm = nn.LayerNorm(width)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, width), nn.ReLU(), nn.Dropout(config.dropout), nn.Linear(width, width)
        )

    def learn_tokens(self, tokenizer: Tokenizer) -> None:
        """Notes which tokens write out numbers."""
        self.figures = tokens_of(tokenizer, DIGITS + SIGNS)

    def forward(self, problem: Tensor, mask: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """X = LN(branches) + H, then FFN(X) + X; the first token, the summary, is not changed."""
        tokens = problem.shape[1]
        comparison, attribute = comparison_graph(batch, tokens), attribute_graph(batch, tokens, self.figures)
        graphs = (each.to(problem.dtype) for each in (comparison, comparison, attribute, attribute))
        gathered = [branch(problem, graph) for branch, graph in zip(self.branches, graphs, strict=True)]
        x = self.norm(torch.cat(gathered, dim=-1)) + problem
        return torch.cat([problem[:, :1], (self.feed_forward(x) + x)[:, 1:]], dim=1), mask
