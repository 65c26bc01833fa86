"""Which tokens write out a number. An encoder reads them after the marker; to a peer, a number is one symbol."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer
from torch import Tensor

from treequation.model.base import SPACES

DIGITS, SIGNS = "0123456789", ".,/%()"


def tokens_of(tokenizer: Tokenizer, characters: str) -> Tensor:
    """For each token id, whether the token has only these characters, [V].

    >>> from tokenizers.models import WordLevel
    >>> tokens_of(Tokenizer(WordLevel({"a": 0, "##25": 1, "Ġ3": 2, ",": 3}, unk_token="a")), DIGITS).tolist()
    [False, True, True, False]
    """
    known = tokenizer.get_vocab()
    table = torch.zeros(max(known.values()) + 1, dtype=torch.bool)
    for token, id in known.items():
        text = token.lstrip("".join(SPACES) + "#")
        table[id] = bool(text) and not text.strip(characters)
    return table
