"""Samples problems and their equations from a language model, many at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from transformers import Qwen2ForCausalLM
from transformers.models.qwen2.modeling_qwen2 import apply_rotary_pos_emb

LONGEST = 192  # tokens of a problem with its equation


class Sampler:
    """Samples many rows at once, token by token; on a GPU, a step is one captured graph.

    Every row has its own position, so when one ends, the next begins in its place, and no step is wasted. Texts are
    sampled; an equation is always the likeliest continuation.
    """

    def __init__(self, model: Qwen2ForCausalLM, *, end: int, equation: int, rows: int, starts: Sequence[int]) -> None:
        """``end`` and ``equation`` are the marks after a problem and before its equation; it draws from ``starts``."""
        self.end, self.equation, self.steps, self._rare = end, equation, 4 * LONGEST, math.log(0.04)
        self._model = model.to(torch.bfloat16).eval() if model.device.type == "cuda" else model.eval()
        self._device, config = model.device, model.config
        head = config.hidden_size // config.num_attention_heads
        size = (config.num_hidden_layers, rows, config.num_key_value_heads, LONGEST, head)
        self._keys, self._values = (torch.zeros(size, dtype=model.dtype, device=self._device) for _ in range(2))
        self._starts = torch.tensor(starts, device=self._device)
        zeros = torch.zeros(rows, dtype=torch.long, device=self._device)
        self._token, self._place, self._solves = zeros.clone(), zeros.clone(), zeros.bool()
        self._step, self._rows = zeros[:1].clone(), torch.arange(rows, device=self._device)
        self._given, self._written = (
            torch.full((self.steps, rows), -1, dtype=torch.long, device=self._device) for _ in range(2)
        )
        self._log_p = torch.zeros(self.steps, rows, device=self._device)
        self._graph: torch.cuda.CUDAGraph | None = None

    def write(self) -> list[tuple[list[int], list[int], float]]:
        """New problems: the tokens of the text, those of the equation, and the logarithm of its probability."""
        self._given.fill_(-1)
        self._begin(self._starts[torch.randint(len(self._starts), self._rows.shape, device=self._device)])
        self._run(self.steps)
        found, end, mark = [], self.end, self.equation
        for written, log_p in zip(self._written.T.tolist(), self._log_p.T.tolist(), strict=True):
            start = 0
            for stop in (place for place, token in enumerate(written) if token == end):
                if written[start:stop].count(mark) == 1:
                    middle = written.index(mark, start)
                    found.append((written[start:middle], written[middle + 1 : stop], sum(log_p[middle + 1 : stop + 1])))
                start = stop + 1
        return found

    def solve(self, questions: Sequence[Sequence[int]], longest: int = 64) -> list[tuple[list[int], float]]:
        """The likeliest equation of each question, token by token, and the logarithm of its probability."""
        solved = []
        for first in range(0, len(questions), len(self._rows)):
            some = questions[first : first + len(self._rows)]
            given = np.full(self._given.shape, -1)
            begin = np.full(len(self._rows), self.end)
            for row, question in enumerate(some):
                begin[row], given[: len(question) - 1, row] = question[0], question[1:]
            self._given.copy_(torch.from_numpy(given))
            self._begin(torch.from_numpy(begin).to(self._device))
            self._run(min(self.steps, max(map(len, some)) + longest))
            for row, question in enumerate(some):
                written = self._written[len(question) - 1 :, row].tolist()
                stop = written.index(self.end) if self.end in written else len(written) - 1
                log_p = self._log_p[len(question) - 1 :, row][: stop + 1].sum()
                solved.append((written[:stop], log_p.item()))
        return solved

    def _begin(self, first: Tensor) -> None:
        self._token.copy_(first)
        for state in (self._place, self._solves, self._step):
            state.zero_()
        self._written.fill_(-1)

    def _run(self, steps: int) -> None:
        if self._device.type == "cuda" and self._graph is None:
            before = [state.clone() for state in self._state()]
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                self._one_step()
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self._one_step()
            self._graph = graph
            torch._foreach_copy_(self._state(), before)
        for _ in range(steps):
            self._one_step() if self._graph is None else self._graph.replay()

    def _state(self) -> list[Tensor]:
        return [self._token, self._place, self._solves, self._step]

    @torch.no_grad()
    def _one_step(self) -> None:
        model, rows = self._model.model, len(self._rows)
        x = model.embed_tokens(self._token).unsqueeze(1)  # [R, 1, D]
        cos, sin = model.rotary_emb(x, self._place.unsqueeze(1))
        later = torch.arange(LONGEST, device=self._device) > self._place.unsqueeze(1)  # [R, T]
        bias = torch.zeros_like(later, dtype=x.dtype).masked_fill(later, -torch.inf)[:, None, None]
        for layer, block in enumerate(model.layers):
            attention, read = block.self_attn, block.input_layernorm(x)
            parts = (attention.q_proj(read), attention.k_proj(read), attention.v_proj(read))
            q, k, v = (part.view(rows, 1, -1, attention.head_dim).transpose(1, 2) for part in parts)
            q, k = apply_rotary_pos_emb(q, k, cos, sin)
            self._keys[layer][self._rows, :, self._place] = k[:, :, 0]
            self._values[layer][self._rows, :, self._place] = v[:, :, 0]
            q = q.view(rows, k.shape[1], -1, attention.head_dim) * attention.scaling  # [R, kv heads, heads of each, E]
            shares = (q @ self._keys[layer].transpose(2, 3) + bias).softmax(dim=-1)
            x = x + attention.o_proj((shares @ self._values[layer]).view(rows, 1, -1))
            x = x + block.mlp(block.post_attention_layernorm(x))
        log_p = self._model.lm_head(model.norm(x))[:, 0].float().log_softmax(dim=-1)  # [R, V]
        best, likeliest = log_p.max(dim=-1)
        common = log_p.masked_fill(log_p < best.unsqueeze(1) + self._rare, -torch.inf)
        drawn = (common - torch.empty_like(common).exponential_().log()).argmax(dim=-1)  # Gumbel's way to sample
        token = torch.where(self._solves, likeliest, drawn)
        given = self._given[self._step][0]
        token = torch.where(given >= 0, given, token)
        token = torch.where(self._place >= LONGEST - 1, self.end, token)
        self._written.index_copy_(0, self._step, token.unsqueeze(0))
        self._log_p.index_copy_(0, self._step, log_p.gather(1, token.unsqueeze(1)).T)
        ends = token == self.end
        fresh = self._starts[torch.randint(len(self._starts), token.shape, device=self._device)]
        self._solves.copy_(~ends & (self._solves | (token == self.equation)))
        self._token.copy_(torch.where(ends, fresh, token))
        self._place.copy_(torch.where(ends, 0, self._place + 1))
        self._step.add_(1)
