"""The configuration of a model, saved with its weights as ``config.json``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from transformers import AutoConfig, PretrainedConfig

from treequation.expression.graph import PAPER_OPERATORS, Operator
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.problem import NumberFormat

CHOICES = {
    "teacher": ("query", "gold"),
    "matching": ("bipartite", "sequence", "random"),
    "none_loss": ("operator", "operand", "off"),
}
RANGES = {
    "queries": (1, None),
    "steps": (1, None),
    "shared_layers": (0, None),
    "layers_per_step": (1, None),
    "decoder_width": (0, None),
    "feed_forward": (1, None),
    "attention_heads": (0, None),
    "dropout": (0.0, 0.99),
    "denoising": (0.0, 1.0),
    "symbols": (1, None),
    "expressions": (1, None),
    "decoder_layers": (1, None),
    "token_dropout": (0.0, 0.99),
    "max_tokens": (1, None),
}


def check_choice(name: str, value: object, allowed: Collection[str]) -> None:
    """Raises :class:`ValueError` for a value that is not allowed. The message does not list the empty choice."""
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(filter(None, allowed))}")


def check_range(name: str, value: float, minimum: float, maximum: float | None) -> None:
    """Raises :class:`ValueError` for a value below the minimum, or above the maximum if there is one."""
    if not value >= minimum or (maximum is not None and not value <= maximum):  # written so that NaN fails
        limits = f"at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
        raise ValueError(f"{name} is {value}; it must be {limits}")


PAPER, CHAINED = "expression-tree", "chained"
# Settings of earlier versions that were removed, with their defaults.
GONE = {
    "norm": "pre", "fresh_queries": False, "chained": False, "none_weight": 1.0, "swap_operands": False,
    "label_variants": 1, "label_smoothing": 0.0, "r_drop": 0.0, "sampled_results": 0.0, "auxiliary_weight": 1.0,
}  # fmt: skip
_PEERS_HAD = ("norm", "auxiliary_weight")


def translated(decoder: str, settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Converts a decoder and its settings from an earlier version to this one.

    ``expression-tree`` with ``chained`` has become a decoder of its own. The peers ignored most removed settings.

    >>> translated("expression-tree", {"queries": 2, "chained": True, "fresh_queries": True, "teacher": "gold"})
    ('chained', {'queries': 2})
    """
    settings = dict(settings)
    if decoder == PAPER and settings.get("chained") and settings.get("fresh_queries"):
        decoder = CHAINED
        for name in ("chained", "fresh_queries", "teacher"):
            settings.pop(name, None)
    ours = decoder in (PAPER, CHAINED)
    for name, default in GONE.items():
        value = settings.pop(name, default)
        if value != default and (ours or name in _PEERS_HAD):
            instead = " (choose decoder = chained)" if name in ("chained", "fresh_queries") else ""
            raise ValueError(
                f"{name} is {value!r}, but it is no longer a setting: only {default!r} is supported{instead}"
            )
    return decoder, settings


class TreequationConfig(PretrainedConfig):
    """The configuration of a :class:`~treequation.model.WordProblemModel`. The defaults are the paper's.

    Most settings belong to the paper's decoder; ours and the peers use those that apply to them. Our decoder,
    ``chained``, has no ``teacher`` and no ``none_loss = "operand"``; the paper's does not have the three marked "ours".

    ``shared_layers`` 0 is the Standard model with one decoder layer per step. N > 0 is Layer-Shared(N): every step runs
    the same N layers, so ``steps`` may be changed after training.
    """

    model_type = "treequation"

    def __init__(
        self,
        encoder: dict[str, Any] | PretrainedConfig | None = None,
        *,
        decoder: str = PAPER,
        queries: int = 6,
        steps: int = 8,
        shared_layers: int = 0,
        decoder_width: int = 0,  # 0: the encoder's; a narrower decoder solves faster
        feed_forward: int = 4,  # inner width of a decoder layer, in multiples of its width
        attention_heads: int = 0,  # 0: one for every 64 dimensions
        dropout: float = 0.1,
        teacher: str = "query",  # a result is made from its query's states, or from the "gold" operator and operands
        matching: str = "bipartite",
        none_loss: str = "operator",  # which heads must predict None; "off": none of them
        layers_per_step: int = 1,  # ours: decoder layers per step, if they are not shared
        update_problem: bool = True,  # ours: whether to apply MLPᵘ of equation 6 when results are added
        denoising: float = 0.0,  # ours: the probability that a denoising query's operator or operand is replaced
        symbols: int = 100,  # maximum length of an equation, for peers that write symbols
        expressions: int = 16,  # maximum length of an equation, for peers that write expressions
        decoder_layers: int = 6,  # of a peer's Transformer decoder
        addon: str = "",  # changes the encoder's states before the decoder reads them; see :mod:`.parts`
        auxiliary: str = "",  # additional losses, joined by "+"
        amounts: bool = False,  # answers are amounts: the operands of a negative difference are swapped
        operators: list[str] | None = None,
        constants: list[str] | None = None,
        codes: list[str] | None = None,  # of a peer's M-trees
        number_format: dict[str, Any] | None = None,
        keep_number_text: bool = True,
        token_dropout: float = 0.0,  # probability that a token is masked in training
        mask_token: int = 0,  # the id that replaces a masked token
        separators: list[int] | None = None,  # tokens that end a clause
        max_tokens: int = 512,
        trained_on: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        decoder, kwargs = translated(decoder, kwargs)
        if isinstance(encoder, PretrainedConfig):
            encoder = encoder.to_dict()
        self.encoder = encoder or {}
        self.decoder = decoder
        self.queries = queries
        self.steps = steps
        self.shared_layers = shared_layers
        self.layers_per_step = layers_per_step
        self.decoder_width = decoder_width
        self.feed_forward = feed_forward
        self.attention_heads = attention_heads
        self.dropout = dropout
        self.teacher = teacher
        self.matching = matching
        self.none_loss = none_loss
        self.denoising = denoising
        self.symbols = symbols
        self.expressions = expressions
        self.decoder_layers = decoder_layers
        self.addon = addon
        self.auxiliary = auxiliary
        self.amounts = amounts
        self.update_problem = update_problem
        self.operators = operators or [operator.value for operator in PAPER_OPERATORS]
        self.constants = constants or []
        self.codes = codes or []
        self.number_format = number_format or {}
        self.keep_number_text = keep_number_text
        self.token_dropout = token_dropout
        self.mask_token = mask_token
        self.separators = separators or []
        self.max_tokens = max_tokens
        self.trained_on = trained_on or []
        for name, allowed in CHOICES.items():
            check_choice(name, getattr(self, name), allowed)
        for name, limits in RANGES.items():
            check_range(name, getattr(self, name), *limits)
        if decoder == PAPER and (layers_per_step > 1 or denoising or not update_problem):
            raise ValueError("layers_per_step, update_problem and denoising need decoder = chained")
        if decoder == CHAINED and none_loss == "operand":
            raise ValueError("none_loss = operand needs decoder = expression-tree")
        super().__init__(**kwargs)

    @property
    def encoder_config(self) -> PretrainedConfig:
        """The encoder's own configuration."""
        settings = dict(self.encoder)
        return AutoConfig.for_model(settings.pop("model_type"), **settings)

    def heads(self, width: int) -> int:
        """The attention heads of a decoder that is ``width`` wide."""
        return self.attention_heads or max(1, width // 64)

    @property
    def vocabulary(self) -> Vocabulary:
        """The operators and constants that the model knows."""
        return Vocabulary(
            tuple(Fraction(value) for value in self.constants), tuple(Operator(o) for o in self.operators)
        )

    @property
    def format(self) -> NumberFormat:
        """How numbers are read from a text."""
        return NumberFormat(**self.number_format)


AutoConfig.register("treequation", TreequationConfig)
