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
import time
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from problem_sampler import LONGEST, Sampler
from problem_selection import Judge, constants_of, select
from tokenizers import Tokenizer
from torch import nn
from transformers import Qwen2ForCausalLM

from treequation.data import jsonl
from treequation.expression.evaluation import evaluate
from treequation.expression.printing import to_infix
from treequation.training.recipe import Data
from treequation.training.sources import load_sources

TRAIN = ("written-en:train", "written-zh:train", "gsm8k:train")
HELD_OUT = ("written:dev", "written:test", "svamp:test", "mawps:test", "asdiv:test", "math23k:test", "mathqa:test")
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


def accuracy(tokens: Tokens, sampler: Sampler, rows: Sequence[Row], sure: float) -> str:
    """The share of problems that the model solves, and of those that it is sure of, as a line."""
    solved = sampler.solve([tokens.question(row) for row in rows])
    right = [_same_value(row, tokens.text(ids)) for row, (ids, _) in zip(rows, solved, strict=True)]
    certain = [good for good, (_, log_p) in zip(right, solved, strict=True) if math.exp(log_p) >= sure]
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
    sampler = Sampler(
        model, end=tokens.end, equation=tokens.equation, rows=given.rows, starts=[example[0] for example in examples]
    )
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
