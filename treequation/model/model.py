"""The whole model: an encoder that reads the problem and a decoder that writes its equation, layer by layer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer, PreTrainedModel

from treequation.data.batches import Batch
from treequation.expression.slots import NONE
from treequation.model.config import TreequationConfig
from treequation.model.criterion import Criterion, Targets
from treequation.model.decoder import DecoderState, ExpressionDecoder, Proposal
from treequation.model.regularisers import denoising_loss, disagreement
from treequation.storage import check_seal, seal
from treequation.text.encoding import NUMBER_MARKER, ProblemEncoder

KIND, VERSION = "treequation model", 1


class TreequationModel(PreTrainedModel):
    """Solves word problems. Make one with :meth:`from_encoder`, save it, and load it with ``from_pretrained``.

    A saved folder carries everything that solving needs: weights, tokenizer, constants, operators, number format.
    """

    config_class = TreequationConfig
    base_model_prefix = "treequation"

    def __init__(self, config: TreequationConfig, encoder: PreTrainedModel | None = None) -> None:
        super().__init__(config)
        self.encoder: PreTrainedModel = encoder or AutoModel.from_config(config.encoder_config)
        if getattr(self.encoder, "pooler", None) is not None:
            self.encoder.pooler = None  # nothing reads it
        width = self.encoder.config.hidden_size
        self.problem_norm = nn.LayerNorm(width)
        self.decoder = ExpressionDecoder(
            width,
            queries=config.queries,
            steps=config.steps,
            shared_layers=config.shared_layers,
            heads=config.attention_heads or max(1, width // 64),
            dropout=config.dropout,
            norm=config.norm,
            operators=len(config.operators),
            constants=len(config.constants),
            none_operand=config.none_loss == "operand",
            update_problem=config.update_problem,
            denoising=config.denoising > 0,
        )
        self.criterion = Criterion(config)
        self.tokenizer: Tokenizer | None = None
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        """PyTorch's own initialisation is right for our layers; the encoder brings its weights with it."""

    # --- making, saving, loading -------------------------------------------------------------------------------

    @classmethod
    def from_encoder(cls, encoder: str | Path, **settings: Any) -> TreequationModel:
        """A new model around any pretrained encoder that ``AutoModel`` knows, by name or folder."""
        tokenizer = AutoTokenizer.from_pretrained(encoder, use_fast=True)
        pretrained = AutoModel.from_pretrained(encoder, dtype=torch.float32)
        return cls.around(pretrained, tokenizer.backend_tokenizer, **settings)

    @classmethod
    def around(cls, encoder: PreTrainedModel, tokenizer: Tokenizer, **settings: Any) -> TreequationModel:
        """A new model around an encoder and its tokenizer, which gets the number marker."""
        tokenizer.add_special_tokens([NUMBER_MARKER])
        size = tokenizer.get_vocab_size()
        if size > encoder.config.vocab_size:
            encoder.resize_token_embeddings(size, mean_resizing=False)
        # RoBERTa and its kin keep the first positions for padding: those are no room for tokens.
        table = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
        kept = getattr(table, "padding_idx", None)
        room = encoder.config.max_position_embeddings - (0 if kept is None else kept + 1)
        settings["max_tokens"] = min(settings.get("max_tokens", room), room)
        model = cls(TreequationConfig(encoder.config, **settings), encoder)
        model.tokenizer = tokenizer
        return model

    def save_pretrained(self, save_directory: str | Path, *args: Any, **kwargs: Any) -> None:  # type: ignore[override]
        """Writes weights, configuration and tokenizer, and seals the folder with checksums."""
        super().save_pretrained(save_directory, *args, **kwargs)
        self._tokenizer().save(str(Path(save_directory) / "tokenizer.json"))
        seal(Path(save_directory), kind=KIND, version=VERSION)

    @classmethod
    def from_pretrained(  # type: ignore[override]
        cls, pretrained_model_name_or_path: str | Path, *model_args: Any, **kwargs: Any
    ) -> TreequationModel:
        """Loads a folder that :meth:`save_pretrained` wrote; a damaged one is refused."""
        folder = Path(pretrained_model_name_or_path)
        kwargs.setdefault("dtype", torch.float32)  # whatever it was trained in
        check_seal(folder, kind=KIND, version=VERSION)
        model: TreequationModel = super().from_pretrained(str(folder), *model_args, **kwargs)
        model.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        return model

    def _tokenizer(self) -> Tokenizer:
        if self.tokenizer is None:
            raise ValueError("this model has no tokenizer; make it with from_encoder, around or from_pretrained")
        return self.tokenizer

    @property
    def problem_encoder(self) -> ProblemEncoder:
        """Turns problems into what this model reads."""
        return ProblemEncoder(
            self._tokenizer(),
            max_tokens=self.config.max_tokens,
            keep_number_text=self.config.keep_number_text,
        )

    @property
    def padding(self) -> int:
        """The token id that fills up a batch."""
        return self.encoder.config.pad_token_id or 0

    # --- computing ---------------------------------------------------------------------------------------------

    def start(self, batch: Batch) -> DecoderState:
        """Reads the problems: the state before the decoder's first step."""
        mask = torch.arange(batch.ids.shape[1], device=batch.ids.device) < batch.lengths.unsqueeze(1)  # [B, T]
        states = self.encoder(input_ids=batch.ids, attention_mask=mask.long()).last_hidden_state  # [B, T, D]
        number_mask = torch.arange(batch.positions.shape[1], device=batch.ids.device) < batch.numbers.unsqueeze(1)
        return self.decoder.start(self.problem_norm(states), mask, batch.positions, number_mask)

    def results(
        self, state: DecoderState, proposal: Proposal, choose: Callable[[], tuple[Tensor, Tensor, Tensor]]
    ) -> Tensor:
        """The K expressions' embeddings: of the queries' own states, or of the ``choose``-n operator and operands."""
        if self.config.teacher == "query":
            return self.decoder.results(*proposal.states)
        operator, left, right = choose()  # [B, K] each

        def number(slots: Tensor) -> Tensor:
            return state.numbers.gather(1, slots.unsqueeze(-1).expand(-1, -1, state.numbers.shape[-1]))

        return self.decoder.results(self.decoder.operators[operator], number(left), number(right))

    def advance(
        self,
        state: DecoderState,
        proposal: Proposal,
        rows: Tensor,
        said: tuple[Tensor, Tensor, Tensor],
        valid: Tensor,
        joining: Tensor,
    ) -> DecoderState:
        """Goes on with some ``rows`` [R], whose valid expressions, of operator, left and right [R, K], join.

        ``joining`` [R, V] has the queries of the valid ones; a row with fewer than V is filled up with others. Only
        they are computed and join the problem. In the number vocabulary every query has its slot all the same.
        """
        chosen = DecoderState(*(part[rows] for part in state))
        wide = joining.unsqueeze(-1).expand(-1, -1, state.queries.shape[-1])  # [R, V, D]
        operator, left, right = (part[rows].gather(1, wide) for part in proposal.states)
        results = self.results(
            chosen,
            proposal._replace(states=(operator, left, right)),
            lambda: (said[0].gather(1, joining), said[1].gather(1, joining), said[2].gather(1, joining)),
        )
        grown = self.decoder.grow(chosen, results, valid.gather(1, joining))
        slots = torch.zeros_like(chosen.queries).scatter(1, wide, results)  # [R, K, D]
        return grown._replace(
            numbers=torch.cat([chosen.numbers, slots], dim=1),
            number_mask=torch.cat([chosen.number_mask, valid], dim=1),
        )

    def forward(self, batch: Batch) -> Tensor:
        """The loss of each problem [B], summed over its layers, with gold expressions for the next layer.

        Where a problem has several right equations, it is the loss of the one that the model finds likeliest.
        """
        config = self.config
        twice = config.r_drop > 0 and self.training
        if twice:
            batch = Batch(*(torch.cat([part, part]) for part in batch))
        state = self.start(batch)
        rows, layers, width = batch.operators.shape
        variants = rows // len(batch.ids)
        if variants > 1:
            state = DecoderState(*(part.repeat_interleave(variants, dim=0) for part in state))
        first_result = state.numbers.shape[1]
        slots = batch.left.new_zeros(rows, layers * config.queries)  # where each gold result came to stand
        loss = torch.zeros(rows, device=batch.ids.device)
        for layer in range(layers):
            before = state
            state, proposal = self.decoder.step(layer, before)
            targets = Targets(
                batch.operators[:, layer],
                *(_settled(labels[:, layer], slots, first_result) for labels in (batch.left, batch.right)),
            )
            aligned = self.criterion(proposal, targets)
            layer_loss = aligned.loss
            if config.denoising and self.training:
                layer_loss = layer_loss + denoising_loss(self.decoder, layer, before, targets, config.denoising)
            if twice:
                layer_loss = layer_loss + config.r_drop * disagreement(proposal, aligned, targets, first_result)
            loss = loss + layer_loss.masked_fill(layer >= batch.layers, 0.0)
            if layer + 1 == layers:
                break
            place = layer * config.queries
            slots[:, place : place + width] = first_result + place + aligned.assignment
            said = aligned.operator, aligned.left, aligned.right  # [B, K] each
            if config.sampled_results and self.training:
                said = self._with_surplus(said, proposal, state.numbers.shape[1])
            results = self.results(state, proposal, lambda said=said: said)  # type: ignore[misc]
            state = self.decoder.grow(state, results, said[0] != NONE)
        if variants > 1:
            loss = loss.masked_fill(batch.layers == 0, torch.inf).unflatten(0, (-1, variants)).amin(dim=1)
        return loss.unflatten(0, (2, -1)).mean(dim=0) if twice else loss

    def _with_surplus(
        self, gold: tuple[Tensor, Tensor, Tensor], proposal: Proposal, slots: int
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Gold expressions and, in some problems, what the other queries propose where they should say *None*."""
        sampled = torch.rand(len(gold[0]), 1, device=gold[0].device) < self.config.sampled_results  # [B, 1]
        surplus = (gold[0] == NONE) & sampled  # [B, K]; a query that does say None adds nothing
        parts = (proposal.operator, proposal.left[..., :slots], proposal.right[..., :slots])
        operator, left, right = (
            torch.where(surplus, part.argmax(dim=-1), known) for part, known in zip(parts, gold, strict=True)
        )
        return operator, left, right


def _settled(labels: Tensor, slots: Tensor, first_result: int) -> Tensor:
    """Labels [B, W] with gold results replaced by the slots of the queries that they were matched to."""
    is_result = labels >= first_result
    return torch.where(is_result, slots.gather(1, (labels - first_result).clamp(min=0)), labels)


AutoModel.register(TreequationConfig, TreequationModel)
