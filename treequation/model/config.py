"""Everything that decides what a model is; saved with its weights as ``config.json``."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

from transformers import AutoConfig, PretrainedConfig

from treequation.expression.graph import PAPER_OPERATORS, Operator
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.problem import NumberFormat

CHOICES = {
    "teacher": ("query", "gold"),
    "norm": ("pre", "post"),
    "matching": ("bipartite", "prefix", "sequence", "random"),
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
    "none_weight": (0.0, None),
    "label_variants": (1, None),
    "label_smoothing": (0.0, 0.99),
    "denoising": (0.0, 1.0),
    "r_drop": (0.0, None),
    "symbols": (1, None),
    "expressions": (1, None),
    "decoder_layers": (1, None),
    "sampled_results": (0.0, 1.0),
    "token_dropout": (0.0, 0.99),
    "max_tokens": (1, None),
}


def check_choice(name: str, value: object, allowed: Collection[str]) -> None:
    """Raises :class:`ValueError` for anything that is not allowed; an empty choice says nothing."""
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(filter(None, allowed))}")


def check_range(name: str, value: float, least: float, most: float | None) -> None:
    """Raises :class:`ValueError` for a value below ``least`` or above ``most``, if there is such a bound."""
    if not value >= least or (most is not None and not value <= most):  # so that "not a number" fails, too
        limits = f"at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} is {value}; it must be {limits}")


class TreequationConfig(PretrainedConfig):
    """The configuration of a :class:`~treequation.model.WordProblemModel`. The defaults are the paper's.

    Most settings are of our own decoder; the peers, on the same encoder, take those that they know.

    ``shared_layers`` 0 is the Standard model, one decoder layer a step; N > 0 is Layer-Shared(N), in which every
    step runs the same N layers, so that ``steps`` may be changed after training.
    """

    model_type = "treequation"

    def __init__(
        self,
        encoder: dict[str, Any] | PretrainedConfig | None = None,
        *,
        decoder: str = "expression-tree",
        queries: int = 6,
        steps: int = 8,
        shared_layers: int = 0,
        layers_per_step: int = 1,  # decoder layers of each step's own, where they are not shared
        decoder_width: int = 0,  # 0: the encoder's; a narrower decoder solves faster
        feed_forward: int = 4,  # inner width of a decoder layer, in multiples of its width
        attention_heads: int = 0,  # 0: one for every 64 dimensions
        dropout: float = 0.1,
        norm: str = "pre",
        teacher: str = "query",
        fresh_queries: bool = False,  # every step begins with the learned queries again
        chained: bool = False,  # left operand, then right, then operator, each found knowing those before; wants "gold"
        matching: str = "bipartite",
        none_loss: str = "operator",
        none_weight: float = 1.0,
        swap_operands: bool = False,  # + and × match their label in either order of operands
        label_variants: int = 1,  # equations that differ by re-association, of which the likeliest is trained
        label_smoothing: float = 0.0,
        denoising: float = 0.0,  # how often a part of a gold expression is replaced for queries that must restore it
        r_drop: float = 0.0,  # weight of the disagreement between two passes with different dropout
        symbols: int = 100,  # of the longest equation that a peer writes symbol by symbol
        expressions: int = 16,  # of the longest equation that a peer writes expression by expression
        decoder_layers: int = 6,  # of a peer's Transformer decoder
        amounts: bool = False,  # answers are amounts: a difference below zero is turned round
        update_problem: bool = True,  # MLPᵘ of equation 6; without it results join the problem's states as they are
        sampled_results: float = 0.0,  # share of problems whose surplus expressions join the results in training
        operators: list[str] | None = None,
        constants: list[str] | None = None,
        number_format: dict[str, Any] | None = None,
        keep_number_text: bool = True,
        token_dropout: float = 0.0,  # share of the words that are hidden from the encoder in training
        mask_token: int = 0,  # what is read in the place of a hidden word
        max_tokens: int = 512,
        trained_on: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
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
        self.norm = norm
        self.teacher = teacher
        self.fresh_queries = fresh_queries
        self.chained = chained
        self.matching = matching
        self.none_loss = none_loss
        self.none_weight = none_weight
        self.swap_operands = swap_operands
        self.label_variants = label_variants
        self.label_smoothing = label_smoothing
        self.denoising = denoising
        self.r_drop = r_drop
        self.symbols = symbols
        self.expressions = expressions
        self.decoder_layers = decoder_layers
        self.amounts = amounts
        self.update_problem = update_problem
        self.sampled_results = sampled_results
        self.operators = operators or [operator.value for operator in PAPER_OPERATORS]
        self.constants = constants or []
        self.number_format = number_format or {}
        self.keep_number_text = keep_number_text
        self.token_dropout = token_dropout
        self.mask_token = mask_token
        self.max_tokens = max_tokens
        self.trained_on = trained_on or []
        for name, allowed in CHOICES.items():
            check_choice(name, getattr(self, name), allowed)
        for name, limits in RANGES.items():
            check_range(name, getattr(self, name), *limits)
        if chained and (teacher != "gold" or none_loss == "operand" or swap_operands):
            raise ValueError(
                "chained needs teacher = gold, and goes with neither none_loss = operand nor swap_operands"
            )
        super().__init__(**kwargs)

    @property
    def encoder_config(self) -> PretrainedConfig:
        """The encoder's own configuration."""
        settings = dict(self.encoder)
        return AutoConfig.for_model(settings.pop("model_type"), **settings)

    @property
    def vocabulary(self) -> Vocabulary:
        """The operators and constants that the model knows."""
        return Vocabulary(
            tuple(Fraction(value) for value in self.constants), tuple(Operator(o) for o in self.operators)
        )

    @property
    def format(self) -> NumberFormat:
        """How the model's numbers are read out of a text."""
        return NumberFormat(**self.number_format)


AutoConfig.register("treequation", TreequationConfig)
