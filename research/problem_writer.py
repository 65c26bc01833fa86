"""Writes new problems: a language model learns the written ones, makes up others, and solves them.

    python research/problem_writer.py QWEN2_FOLDER problems.jsonl --count 300000

The language model (a `transformers` folder of the Qwen2 kind) is trained on problems followed by their equations. So it
can write a problem, and solve it in the same breath. A problem is kept if its equation is sure, can be read, has a
sensible value, and if its text is new: not a training text, not a second time the same, and not like a held-out one.
The model's accuracy on `written:dev`, which it never sees, says how far its equations can be trusted.

Needs the extra `train` and, for hundreds of thousands of problems, a GPU.
"""

from __future__ import annotations

import argparse
import math
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import Qwen2ForCausalLM
from transformers.models.qwen2.modeling_qwen2 import apply_rotary_pos_emb

from treequation.baselines.nearest_neighbour import NearestNeighbour
from treequation.data import jsonl
from treequation.expression.evaluation import evaluate
from treequation.expression.graph import Constant
from treequation.expression.printing import to_infix
from treequation.text.problem import Problem
from treequation.training.recipe import Data
from treequation.training.sources import load_sources

TRAIN = ("written-en:train", "written-zh:train", "gsm8k:train")
HELD_OUT = ("written:dev", "written:test", "svamp:test", "mawps:test", "asdiv:test", "math23k:test", "mathqa:test")
LONGEST = 192  # tokens of a problem with its equation; longer ones are left out
TOO_LIKE = 0.9  # the similarity to a held-out text from which on a problem is left out
FORMAT = {"percent": "fraction", "fraction": "one", "words": True, "ordinals": False}  # of the project's own files


class Row(NamedTuple):
    """A problem as the language model reads it: where it is from, the text, and an equation over its literals."""

    source: str
    text: str
    equation: str


def rows_of(sources: Iterable[str], split: str = "train") -> list[Row]:
    """The problems of these sources that have an equation."""
    rows = []
    for source in sources:
        data = Data(train=(source,), fold=0, **FORMAT)
        for problem in load_sources([source], data, split=split):
            if problem.graph is not None and problem.graph.expressions:
                literals = [_literal(value) for value in problem.values]
                rows.append(Row(source, " ".join(problem.text.split()), to_infix(problem.graph, literals.__getitem__)))
    return rows


def _literal(value: Fraction) -> str:
    """The value as an equation writes it: 3, 0.25 or (1/3)."""
    if value.denominator == 1:
        return str(value.numerator)
    text = f"{float(value):.12f}".rstrip("0")
    return text if Fraction(text) == value else f"({value.numerator}/{value.denominator})"


class Tokens:
    """The tokens that the rows need, numbered anew, and some of our own: two marks, and one for each source."""

    def __init__(self, tokenizer: Tokenizer, rows: Sequence[Row]) -> None:
        self._tokenizer = tokenizer
        used = {id for row in rows for id in self._ids(row.text) + self._ids(row.equation)}
        letters = {id for token, id in tokenizer.get_vocab().items() if len(token) == 1}
        self.kept = sorted(used | letters)
        self._place = {id: place for place, id in enumerate(self.kept)}
        self.end, self.equation = len(self.kept), len(self.kept) + 1
        sources = dict.fromkeys(row.source for row in rows)
        self.sources = {source: self.equation + 1 + place for place, source in enumerate(sources)}
        self.count = self.equation + 1 + len(sources)

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def question(self, row: Row) -> list[int]:
        """Source, text, and the mark after which the equation follows."""
        return [self.sources[row.source], *(self._place[id] for id in self._ids(row.text)), self.equation]

    def whole(self, row: Row) -> list[int]:
        """The question, the equation, and the end."""
        return [*self.question(row), *(self._place[id] for id in self._ids(row.equation)), self.end]

    def text(self, ids: Iterable[int]) -> str:
        """What these tokens say; our own say nothing."""
        said: str = self._tokenizer.decode([self.kept[id] for id in ids if id < self.end], skip_special_tokens=False)
        return said.strip()


def language_model(folder: Path, tokens: Tokens) -> Qwen2ForCausalLM:
    """The model of the folder with a vocabulary of these tokens; the new ones begin near the mean of all."""
    model = Qwen2ForCausalLM.from_pretrained(folder, dtype=torch.float32)
    table = model.get_input_embeddings().weight.detach()
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(tokens.count - len(tokens.kept), table.shape[1], generator=generator)
    new = table.mean(dim=0) + 0.5 * table.std() * noise
    model.set_input_embeddings(nn.Embedding.from_pretrained(torch.cat([table[tokens.kept], new]), freeze=False))
    model.lm_head.weight = model.get_input_embeddings().weight
    return model


def train(
    model: Qwen2ForCausalLM,
    examples: Sequence[Sequence[int]],
    equation: int,
    *,
    epochs: int,
    tokens: int = 16_384,
    rate: float = 1e-4,
) -> None:
    """Trains on the examples, in batches of so many tokens; equations count twice as much as texts."""
    device = model.device
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
    plan = [batch for epoch in range(epochs) for batch in _batches(examples, tokens, np.random.default_rng(epoch))]
    began = time.perf_counter()
    model.train()
    for step, batch in enumerate(plan):
        for group in optimizer.param_groups:  # up in 60 steps, then down along a cosine
            group["lr"] = rate * min(1.0, (step + 1) / 60) * (0.51 + 0.49 * math.cos(math.pi * step / len(plan)))
        ids = torch.from_numpy(batch).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            # Attention looks back only, so padding at the end needs no mask.
            states = model.model(ids.clamp(min=0), use_cache=False).last_hidden_state[:, :-1]
            real = ids[:, 1:] >= 0
            scores = model.lm_head(states[real])
        loss = F.cross_entropy(scores.float(), ids[:, 1:][real], reduction="none")
        weight = 1.0 + ((ids[:, :-1] == equation).cumsum(dim=1) > 0)[real]
        optimizer.zero_grad()
        ((loss * weight).sum() / weight.sum()).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        if step % 100 == 0 or step == len(plan) - 1:
            text, own = (loss[weight == kind].mean().item() for kind in (1, 2))
            print(f"step {step}/{len(plan)}: loss {text:.3f} texts, {own:.3f} equations; {_since(began)}", flush=True)


def _batches(examples: Sequence[Sequence[int]], tokens: int, random: np.random.Generator) -> list[np.ndarray]:
    """Batches of like length in random order, padded with −1."""
    order = random.permutation(len(examples))
    order = order[np.argsort([-(-len(examples[place]) // 8) for place in order], kind="stable")]
    batches, start = [], 0
    while start < len(order):
        rows = order[start : start + max(1, tokens // len(examples[order[start]]))]
        start += len(rows)
        batch = np.full((len(rows), max(len(examples[row]) for row in rows)), -1)
        for place, row in enumerate(rows):
            batch[place, : len(examples[row])] = examples[row]
        batches.append(batch)
    return [batches[place] for place in random.permutation(len(batches))]


class Sampler:
    """Samples many rows at once, token by token; on a GPU, a step is one captured graph.

    Every row has its own position, so when one ends, the next begins in its place, and no step is wasted. Texts are
    sampled; an equation is always the likeliest continuation.
    """

    def __init__(self, model: Qwen2ForCausalLM, tokens: Tokens, *, rows: int, starts: Sequence[int]) -> None:
        """``starts`` are the first tokens to draw from."""
        self.tokens, self.steps, self._rare = tokens, 4 * LONGEST, math.log(0.04)
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
        found, end, mark = [], self.tokens.end, self.tokens.equation
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
            begin = np.full(len(self._rows), self.tokens.end)
            for row, question in enumerate(some):
                begin[row], given[: len(question) - 1, row] = question[0], question[1:]
            self._given.copy_(torch.from_numpy(given))
            self._begin(torch.from_numpy(begin).to(self._device))
            self._run(min(self.steps, max(map(len, some)) + longest))
            for row, question in enumerate(some):
                written = self._written[len(question) - 1 :, row].tolist()
                stop = written.index(self.tokens.end) if self.tokens.end in written else len(written) - 1
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
        token = torch.where(self._place >= LONGEST - 1, self.tokens.end, token)
        self._written.index_copy_(0, self._step, token.unsqueeze(0))
        self._log_p.index_copy_(0, self._step, log_p.gather(1, token.unsqueeze(1)).T)
        ends = token == self.tokens.end
        fresh = self._starts[torch.randint(len(self._starts), token.shape, device=self._device)]
        self._solves.copy_(~ends & (self._solves | (token == self.tokens.equation)))
        self._token.copy_(torch.where(ends, fresh, token))
        self._place.copy_(torch.where(ends, 0, self._place + 1))
        self._step.add_(1)


@dataclass(frozen=True)
class Judge:
    """Decides about one problem by itself."""

    constants: frozenset[Fraction]  # that equations may have though the text does not
    least: float  # probability of the equation

    def __call__(self, text: str, equation: str, log_p: float) -> tuple[str, Problem | None]:
        """What is wrong with the problem, or ``kept`` and the problem with its answer."""
        if log_p < math.log(self.least):
            return "unsure", None
        if "\ufffd" in text or not re.search(r"[.?!。？！…)）”\"]$", text):
            return "broken text", None
        try:
            problem = jsonl.read_row("", {"text": text, "equation": equation}).problem
        except Exception:  # noqa: BLE001 - a language model may write anything, and this is one of many
            return "broken equation", None
        if problem.graph is None or not problem.graph.expressions:
            return "no expression", None
        if any(isinstance(leaf, Constant) and leaf.value not in self.constants for leaf in problem.graph.leaves):
            return "number from nowhere", None
        value = evaluate(problem.graph, problem.values).value.number
        if not isinstance(value, Fraction) or not 0 < value < 10**9 or not _is_handy(value):
            return "odd value", None
        return "kept", Problem("", text, problem.numbers, problem.language, problem.format, problem.graph, value)


def _is_handy(value: Fraction) -> bool:
    """Whether people would give the value as an answer: few decimals, or a small denominator."""
    return value.denominator <= 60 or (10**4 * value).denominator == 1


def constants_of(problems: Iterable[Problem], least: int = 20) -> frozenset[Fraction]:
    """The constants that at least so many equations have."""
    counts = Counter(
        leaf.value for each in problems if each.graph for leaf in each.graph.leaves if isinstance(leaf, Constant)
    )
    return frozenset(value for value, count in counts.items() if count >= least)


def likeness(held_out: Sequence[Problem], problems: Sequence[Problem]) -> list[float]:
    """How similar each problem is to the most similar one that was held out."""
    return [copied.similarity for copied in NearestNeighbour(held_out).copy(problems)]


def select(
    candidates: Sequence[tuple[str, str, float]],
    judge: Judge,
    known: Iterable[str],
    held_out: Sequence[Problem],
    *,
    processes: int = 1,
) -> tuple[list[Problem], Counter[str]]:
    """The problems to keep, and how many were left out for which reason; ``known`` are the wordings of old problems."""
    counts: Counter[str] = Counter()
    seen, new = set(known), []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        each: Any = map if processes == 1 else lambda function, *columns: pool.map(function, *columns, chunksize=500)
        for reason, problem in each(judge, *zip(*candidates, strict=True)):
            if problem is not None and problem.wording in seen:
                reason, problem = "known text", None
            if problem is None:
                counts[reason] += 1
                continue
            seen.add(problem.wording)
            new.append(problem)
        parts = [new[start : start + 5_000] for start in range(0, len(new), 5_000)]
        alike = each(likeness, [held_out] * len(parts), parts)
        similar = [value for part in alike for value in part]
    kept = [problem for problem, value in zip(new, similar, strict=True) if value < TOO_LIKE]
    counts["like a held-out text"] += len(new) - len(kept)
    counts["kept"] = len(kept)
    return kept, counts


def accuracy(tokens: Tokens, sampler: Sampler, rows: Sequence[Row], sure: float) -> str:
    """The share of problems that the model solves, and of those that it is sure of, as a line."""
    solved = sampler.solve([tokens.question(row) for row in rows])
    right = [_same_value(row, tokens.text(ids)) for row, (ids, _) in zip(rows, solved, strict=True)]
    certain = [good for good, (_, log_p) in zip(right, solved, strict=True) if log_p >= math.log(sure)]
    share = f"{sum(right)} of {len(right)} right ({sum(right) / len(right):.1%})"
    return f"{share}; sure of {len(certain)}, of which {sum(certain)} are right"


def _same_value(row: Row, equation: str) -> bool:
    try:
        one, other = (
            jsonl.read_row("", {"text": row.text, "equation": each}).problem for each in (equation, row.equation)
        )
        values = [evaluate(each.graph, each.values).value.number for each in (one, other)]
    except Exception:  # noqa: BLE001 - as above
        return False
    return values[0] is not None and values[0] == values[1]


def _since(began: float) -> str:
    return f"{time.perf_counter() - began:.0f} s"


def main() -> None:
    """Trains the language model, measures it, and writes problems until there are enough."""
    parser = argparse.ArgumentParser(description="Writes new problems with a language model.")
    parser.add_argument("model", type=Path, help="a transformers folder of a Qwen2 model")
    parser.add_argument("output", type=Path, help="the JSON Lines file to write")
    parser.add_argument("--count", type=int, default=300_000, help="how many problems to write at least")
    parser.add_argument("--train", nargs="+", default=TRAIN, help="what the model learns from")
    parser.add_argument(
        "--measure", nargs="+", default=["written-en:dev", "written-zh:dev"], help="what it is tried on"
    )
    parser.add_argument("--held-out", nargs="+", default=HELD_OUT, help="nothing like these is kept")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rows", type=int, default=2_048, help="how many problems are sampled at a time")
    parser.add_argument("--sure", type=float, default=0.6, help="the least probability of an equation")
    parser.add_argument("--processes", type=int, default=1, help="how many processes judge the problems")
    given = parser.parse_args()
    torch.manual_seed(0)
    began = time.perf_counter()
    rows, trial = rows_of(given.train), rows_of(given.measure, "dev")
    source_of = {source.partition(":")[0]: source for source in given.train}  # a dev problem is read as a training one
    trial = [row._replace(source=source_of.get(row.source.partition(":")[0], given.train[0])) for row in trial]
    tokens = Tokens(Tokenizer.from_file(str(given.model / "tokenizer.json")), [*rows, *trial])
    model = language_model(given.model, tokens).to("cuda" if torch.cuda.is_available() else "cpu")
    examples = [example for row in rows if len(example := tokens.whole(row)) <= LONGEST]
    print(f"{len(examples)} problems to learn from, {tokens.count} tokens; {_since(began)}", flush=True)
    train(model, examples, tokens.equation, epochs=given.epochs)
    sampler = Sampler(model, tokens, rows=given.rows, starts=[example[0] for example in examples])
    for source in dict.fromkeys(row.source for row in trial):
        some = [row for row in trial if row.source == source and len(tokens.question(row)) < LONGEST]
        print(f"{source}: {accuracy(tokens, sampler, some, given.sure)}; {_since(began)}", flush=True)
    old = load_sources(given.train, Data(train=tuple(given.train), **FORMAT))
    apart = load_sources(given.held_out, Data(train=("",), fold=0, **FORMAT), split="test")
    known = {problem.wording for problem in (*old, *apart)}
    judge, kept = Judge(constants_of(old), given.sure), []
    while len(kept) < given.count:
        candidates = []
        while len(candidates) < max(1_000, given.count - len(kept)):
            candidates += [(tokens.text(text), tokens.text(own), log_p) for text, own, log_p in sampler.write()]
        new, counts = select(candidates, judge, known, apart, processes=given.processes)
        if not new:
            parser.exit(1, f"none of {len(candidates)} problems could be kept: {dict(counts)}; train for longer\n")
        kept += new
        known |= {problem.wording for problem in new}
        print(f"{len(kept)} problems; of {len(candidates)}: {dict(counts)}; {_since(began)}", flush=True)
        jsonl.write(kept, given.output)


if __name__ == "__main__":
    main()
