"""The base class of all models: the encoder, training with auxiliary losses, saving and loading.

A subclass adds a decoder: its labels and loss for training, its search for solving. Nothing else differs between the
models, so they can be compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, cast

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer, PreTrainedModel
from transformers.utils import logging

from treequation.data.batches import Batch, Layout
from treequation.data.labels import LabelSets
from treequation.decoding.search import Equation, Reader
from treequation.expression.graph import ExpressionGraph
from treequation.model.config import TreequationConfig
from treequation.model.packed import Unpacked, encode
from treequation.model.parts import ADDONS, AUXILIARIES, Addon, Auxiliary, Chosen, Traced, auxiliary_names, check_parts
from treequation.model.registry import DECODERS
from treequation.storage import DamagedFolderError, check_seal, seal
from treequation.text.encoding import NUMBER_MARKER, EncodedProblem, ProblemEncoder
from treequation.text.problem import Problem

KIND, VERSION = "treequation model", 1
SEPARATORS = (",", ".", ";", "，", "．", "。", "；", "、")  # a clause ends with one of these tokens
SPACES = ("", "Ġ", "▁")  # how the token of a sign begins; the latter two stand for a space before it
MASK_TOKENS = ("[MASK]", "<mask>", "[UNK]", "<unk>")  # the first of these that a tokenizer has


class Read(NamedTuple):
    """The encoder's output, and the number vocabulary before the first step."""

    problem: Tensor  # [B, T, D]
    problem_mask: Tensor  # [B, T] False for padding
    numbers: Tensor  # [B, S, D] constants, then the numbers of the text
    number_mask: Tensor  # [B, S]


class WordProblemModel(PreTrainedModel, ABC):
    """An encoder and some decoder. Make one with :meth:`from_encoder`, save it, load it with ``from_pretrained``.

    A saved folder carries everything that solving needs: weights, tokenizer, constants, operators, number format.
    """

    config_class = TreequationConfig
    base_model_prefix = "treequation"
    DECODER: ClassVar[str]  # the recipe's name of it
    DECODER_CLASS: ClassVar[type[nn.Module]]  # made from the configuration and the decoder's width
    BEAM: ClassVar[int] = 1  # the beam of the decoder's paper
    TRACES_GOALS: ClassVar[bool] = False  # whether its loss returns the goals of the prefix equation
    CHOOSES: ClassVar[tuple[str, ...]] = ()  # the fields of `Chosen` that the decoder fills itself

    def __init__(self, config: TreequationConfig, encoder: PreTrainedModel | None = None) -> None:
        super().__init__(config)
        self.encoder: PreTrainedModel = encoder or AutoModel.from_config(config.encoder_config)
        if getattr(self.encoder, "pooler", None) is not None:
            self.encoder.pooler = None  # nothing uses it
        encoder_width: int = self.encoder.config.hidden_size
        self.width: int = config.decoder_width or encoder_width
        same_width = self.width == encoder_width
        self.problem_projection = nn.Identity() if same_width else nn.Linear(encoder_width, self.width)
        self.problem_norm = nn.LayerNorm(self.width)
        self.tokenizer: Tokenizer | None = None
        check_parts(config, self.CHOOSES)
        self.addon: Addon | None = ADDONS[config.addon](config, self.width) if config.addon else None
        self.auxiliaries = nn.ModuleDict(
            {name: AUXILIARIES[name](config, self.width) for name in auxiliary_names(config.auxiliary)}
        )
        self.progress: Callable[[], Tensor] | None = None  # how much of the run is done, from 0 to 1, on the device
        self.decoder = self.DECODER_CLASS(config, self.width)
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        """Does nothing: our layers keep PyTorch's initialisation, and the encoder has its own weights."""

    # --- for each decoder to define ----------------------------------------------------------------------------

    @classmethod
    def settings_from(
        cls, graphs: Sequence[ExpressionGraph], min_count: int, known: TreequationConfig | None = None
    ) -> dict[str, Any]:
        """Settings that the decoder derives from the training equations, besides their constants and operators.

        What occurs in fewer than ``min_count`` equations is left out. What is ``known`` already keeps its index.
        """
        return {}

    @property
    @abstractmethod
    def max_steps(self) -> int:
        """The maximum number of steps per problem, including the one that stops."""

    @abstractmethod
    def label_sets(self, graph: ExpressionGraph) -> LabelSets:
        """The decoder's labels for an equation.

        Raises :class:`~treequation.data.labels.LabelError` for an equation that the decoder cannot write.
        """

    @abstractmethod
    def loss(self, read: Read, batch: Batch) -> Traced:
        """The loss of each problem [B], given its labels. It must not synchronise with the device."""

    @property
    def constants(self) -> Tensor:
        """The embeddings of the constants, [C, D]."""
        return cast(Tensor, self.get_parameter("decoder.constants"))

    @abstractmethod
    def search(self, batch: Batch, reader: Reader, *, beam: int, steps: int | None = None) -> Sequence[list[Equation]]:
        """The likeliest equations of each problem, the likeliest first; ``steps`` overrides ``max_steps``."""

    # --- training ----------------------------------------------------------------------------------------------

    def forward(self, batch: Batch) -> Tensor:
        """The loss of each problem [B]: the decoder's and, in training, the auxiliary losses. That of mates is zero."""
        read = self.read(batch, self.constants)
        auxiliaries = self._auxiliary_parts() if self.training else []
        own = batch.own
        if batch.mates is None or any(part.decodes_mates for part in auxiliaries):
            traced = self.loss(read, batch if batch.mates is None else batch._replace(layout=None))
        else:
            traced = self.loss(Read(*(part[:own] for part in read)), _first(batch, own))
        loss = traced.loss[:own]
        if not self.training:
            return padded(loss, len(batch.ids))
        if self.addon is not None and (addon_loss := self.addon.loss(read, batch)) is not None:
            loss = loss + addon_loss[:own]
        progress = self.progress() if self.progress is not None else None
        for part in auxiliaries:
            extra = part(traced, read, batch)
            loss = loss + part.weight(progress) * extra.weighted
            loss = loss if extra.own is None else loss + extra.own
        return padded(loss, len(batch.ids))

    def choose(self, problems: Sequence[Problem], encoded: Sequence[EncodedProblem]) -> Chosen:
        """The choices of the add-on and auxiliary losses for the training problems, made before the first step."""
        parts = [*([self.addon] if self.addon is not None else []), *self._auxiliary_parts()]
        chosen: dict[str, Any] = {}
        for part in parts:
            if isinstance(part, Auxiliary):
                part.weigh(problems)
            own = part.choose(problems, encoded)
            chosen |= {field: getattr(own, field) for field in part.CHOOSES}
        return Chosen(**chosen)

    def _auxiliary_parts(self) -> list[Auxiliary]:
        return cast("list[Auxiliary]", list(self.auxiliaries.values()))

    @property
    def reads_ranks(self) -> bool:
        """Whether batches need the ranks of the numbers' values."""
        return self.addon is not None and self.addon.READS_RANKS

    # --- making, saving, loading -------------------------------------------------------------------------------

    @classmethod
    def from_encoder(cls, encoder: str | Path, **settings: Any) -> Self:
        """A new model around any pretrained encoder that ``AutoModel`` knows, by name or folder."""
        tokenizer = AutoTokenizer.from_pretrained(encoder, use_fast=True)
        pretrained = AutoModel.from_pretrained(encoder, dtype=torch.float32)
        return cls.around(pretrained, tokenizer.backend_tokenizer, **settings)

    @classmethod
    def around(cls, encoder: PreTrainedModel, tokenizer: Tokenizer, **settings: Any) -> Self:
        """A new model around an encoder and its tokenizer, to which the number marker is added."""
        tokenizer.add_special_tokens([NUMBER_MARKER])
        size = tokenizer.get_vocab_size()
        if size > encoder.config.vocab_size:
            encoder.resize_token_embeddings(size, mean_resizing=False)
        # RoBERTa and its relatives reserve the first positions for padding.
        table = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
        reserved = getattr(table, "padding_idx", None)
        limit = encoder.config.max_position_embeddings - (0 if reserved is None else reserved + 1)
        settings["max_tokens"] = min(settings.get("max_tokens", limit), limit)
        settings["mask_token"] = next((i for t in MASK_TOKENS if (i := tokenizer.token_to_id(t)) is not None), 0)
        signs = [space + sign for sign in SEPARATORS for space in SPACES]
        settings["separators"] = [i for t in signs if (i := tokenizer.token_to_id(t)) is not None]
        model = cls(TreequationConfig(encoder.config, decoder=cls.DECODER, **settings), encoder)
        model._take(tokenizer)
        return model

    def save_pretrained(self, save_directory: str | Path, *args: Any, **kwargs: Any) -> None:  # type: ignore[override]
        """Writes weights, configuration and tokenizer, and a manifest with their checksums."""
        with _no_progress_bar():
            super().save_pretrained(save_directory, *args, **kwargs)
        self._tokenizer().save(str(Path(save_directory) / "tokenizer.json"))
        seal(Path(save_directory), kind=KIND, version=VERSION)

    @classmethod
    def from_pretrained(  # type: ignore[override]
        cls, pretrained_model_name_or_path: str | Path, *model_args: Any, **kwargs: Any
    ) -> Self:
        """Loads a folder that :meth:`save_pretrained` wrote; refuses one that is damaged or has another decoder.

        A class without a decoder of its own, such as this one, loads any registered decoder that is derived from it.
        """
        folder = Path(pretrained_model_name_or_path)
        check_seal(folder, kind=KIND, version=VERSION)
        name = TreequationConfig.from_pretrained(str(folder)).decoder
        if hasattr(cls, "DECODER"):
            known = {cls.DECODER: cls}
        else:
            known = {each.DECODER: each for each in DECODERS.values() if issubclass(each, cls)}
        if name not in known:
            mismatch = "which this version does not know"
            if name in DECODERS:
                mismatch = f"but {' or '.join(known)} is needed here"
            raise DamagedFolderError(f"the model in {folder} has the decoder {name}, {mismatch}")
        kwargs.setdefault("dtype", torch.float32)  # whatever precision it was trained in
        with _no_progress_bar():
            model: Self = super(WordProblemModel, known[name]).from_pretrained(str(folder), *model_args, **kwargs)
        model._take(Tokenizer.from_file(str(folder / "tokenizer.json")))
        return model

    def _take(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        if self.addon is not None:
            self.addon.learn_tokens(tokenizer)

    def _tokenizer(self) -> Tokenizer:
        if self.tokenizer is None:
            raise ValueError("this model has no tokenizer; make it with from_encoder, around or from_pretrained")
        return self.tokenizer

    @property
    def problem_encoder(self) -> ProblemEncoder:
        """Turns problems into token ids for this model."""
        return ProblemEncoder(
            self._tokenizer(),
            max_tokens=self.config.max_tokens,
            keep_number_text=self.config.keep_number_text,
        )

    @property
    def padding(self) -> int:
        """The id of the padding token."""
        return self.encoder.config.pad_token_id or 0

    # --- reading -----------------------------------------------------------------------------------------------

    def read(self, batch: Batch, constants: Tensor) -> Read:
        """Encodes the problems. A number's embedding is the encoder's state at its marker; ``constants`` are [C, D]."""
        mask = first_places(batch.lengths, batch.ids.shape[1])  # [B, T]
        ids = self._with_hidden_words(batch) if self.config.token_dropout and self.training else batch.ids
        problem = self._states(ids, mask, batch)  # [B, T, D]
        if self.addon is not None:
            problem, mask = self.addon(problem, mask, batch)  # an add-on may append states to the T tokens
        has_number = first_places(batch.numbers, batch.positions.shape[1])  # [B, N]
        numbers = pick_all(problem, batch.positions)  # [B, N, D]
        known = constants.to(problem.dtype).expand(problem.shape[0], -1, -1)  # [B, C, D]
        always = mask.new_ones(known.shape[:2])
        return Read(problem, mask, torch.cat([known, numbers], dim=1), torch.cat([always, has_number], dim=1))

    def _states(self, ids: Tensor, mask: Tensor, batch: Batch) -> Tensor:
        """The encoder's states with the decoder's width, [B, T, D]."""
        packing = batch.layout.packing if batch.layout is not None else None
        if packing is None:
            return cast(Tensor, self.problem_norm(self.problem_projection(self._encode(ids, mask, batch.layout))))
        packed = self.problem_norm(self.problem_projection(encode(self.encoder, ids, batch.lengths, packing)))
        return cast(Tensor, Unpacked.apply(packed, packing.padded, packing.rows, packing.places))

    def _encode(self, ids: Tensor, mask: Tensor, layout: Layout | None) -> Tensor:
        """The encoder's states [B, T, E]. With a layout, rows are encoded in groups of similar length."""
        if layout is None or len(layout.groups) == 1:
            return cast(Tensor, self.encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state)
        ids, mask = ids[layout.order], mask[layout.order]
        states, start = [], 0
        for rows, tokens in layout.groups:
            part = slice(start, start + rows), slice(tokens)
            read = self.encoder(input_ids=ids[part], attention_mask=mask[part].long()).last_hidden_state
            states.append(nn.functional.pad(read, (0, 0, 0, ids.shape[1] - tokens)))
            start += rows
        return cast(Tensor, Reordered.apply(torch.cat(states), layout.places, layout.order))

    def _with_hidden_words(self, batch: Batch) -> Tensor:
        """Token ids with some words masked, so that the model does not memorise texts; number markers stay."""
        hidden = torch.rand(batch.ids.shape, device=batch.ids.device) < self.config.token_dropout
        # Unused positions point at the first token, so that one stays as well.
        hidden = hidden.scatter(1, batch.positions, False)
        return batch.ids.masked_fill(hidden, self.config.mask_token)


class Reordered(torch.autograd.Function):
    """Permutes rows. The gradient is the inverse permutation; that of indexing is a slow scatter-add."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, order: Tensor, inverse: Tensor) -> Tensor:
        ctx.save_for_backward(inverse)
        return rows.index_select(0, order)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (inverse,) = ctx.saved_tensors
        return gradient.index_select(0, inverse), None, None


def summed(losses: Tensor, steps: Tensor) -> Tensor:
    """The sums [B] of the losses of each step [B, L], of which the first ``steps`` [B] count."""
    return losses.masked_fill(~first_places(steps, losses.shape[1]), 0.0).sum(dim=1)


def first_places(counts: Tensor, size: int) -> Tensor:
    """A mask [B, size] of the first places of each row, ``counts`` [B] of them."""
    return torch.arange(size, device=counts.device) < counts.unsqueeze(1)


def pick(rows: Tensor, places: Tensor) -> Tensor:
    """The row of [B, L, D] at one place [B] for each problem: [B, D]."""
    return pick_all(rows, places.unsqueeze(1)).squeeze(1)


def pick_all(rows: Tensor, places: Tensor) -> Tensor:
    """The rows of [B, L, D] at these places [B, P], for each problem: [B, P, D]."""
    return rows.gather(1, places.unsqueeze(-1).expand(-1, -1, rows.shape[-1]))


def look_up(table: Tensor, index: Tensor) -> Tensor:
    """The rows [..., D] of a small table that have these indices.

    A matrix product: the gradient of indexing is a scatter-add, slow for thousands of indices and few rows.
    """
    chosen = index.unsqueeze(-1) == torch.arange(len(table), device=index.device)
    return chosen.to(table.dtype) @ table


def padded(rows: Tensor, count: int) -> Tensor:
    """Rows [R, …], padded with zeros to ``count`` rows."""
    return rows if len(rows) == count else torch.cat([rows, rows.new_zeros(count - len(rows), *rows.shape[1:])])


def _first(batch: Batch, count: int) -> Batch:
    """The first rows of a batch."""
    return Batch(*(part if isinstance(part, Layout | None) else part[:count] for part in batch))


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Hides the library's progress bar, which would disturb those of our commands."""
    was_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_enabled:
            logging.enable_progress_bar()
