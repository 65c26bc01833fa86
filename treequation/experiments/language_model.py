"""A language model as an entry of a comparison: its recipe, which trains nothing, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from treequation.baselines.endpoint import Endpoint, Limits
from treequation.baselines.llm import answer_problems
from treequation.baselines.prompts import PROMPTS
from treequation.evaluation.scoring import Outcome, score_value
from treequation.evaluation.summary import Summary
from treequation.experiments.comparison import Entry
from treequation.records import STRICT, Count, checked
from treequation.text.problem import Problem
from treequation.training.recipe import RecipeError, read_toml
from treequation.training.sources import Problems

_REPORT_EVERY = 100  # problems


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The ``[llm]`` table of a recipe: a language model behind an OpenAI-compatible endpoint."""

    __pydantic_config__ = STRICT

    url: str
    model: str
    prompt: str = "steps"  # one of PROMPTS
    samples: Count = 1  # more than 1: Self-Consistency
    parallel: Count = 4  # requests at a time
    key_variable: str = "OPENAI_API_KEY"  # the environment variable with the API key, if the endpoint needs one
    cache: str = "runs/llm-cache"  # the folder of cached answers
    max_tokens: Count = 512  # the most tokens of an answer
    timeout: float = 60.0
    attempts: Count = 6
    requests_per_minute: float = 0.0
    prompt_price: float = 0.0
    answer_price: float = 0.0
    cost: float = 0.0
    # `analyze language-models` gives it this share of the problems, from the first on.
    share: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    megabytes: float = 0.0  # of its file, for the table; 0 if unknown
    pid_file: str = ""  # a file with the process id of a local server, to measure its processor time


@dataclass(frozen=True, slots=True)
class LanguageModelRecipe:
    """A recipe that trains nothing."""

    __pydantic_config__ = STRICT

    llm: LanguageModel
    name: str = "llm"


def language_model(path: Path) -> LanguageModelRecipe | None:
    """The recipe in ``path``, if it is for a language model."""
    table = read_toml(path)
    if "llm" not in table:
        return None
    recipe = checked(LanguageModelRecipe, {"name": path.stem, **table}, str(path), RecipeError)
    if recipe.llm.prompt not in PROMPTS:
        raise RecipeError(f"{path}: llm.prompt is {recipe.llm.prompt!r}; it must be one of {', '.join(PROMPTS)}")
    return recipe


def endpoint_of(settings: LanguageModel, cache: Path | None = None) -> Endpoint:
    """The endpoint of a language model; it caches answers in ``cache``, or else in the recipe's folder."""
    shared = {name: getattr(settings, name) for name in Limits.__slots__ if hasattr(settings, name)}
    return Endpoint(
        settings.url,
        settings.model,
        cache=cache or Path(settings.cache),
        key_variable=settings.key_variable,
        limits=Limits(**shared),
    )


def prompt_model(
    recipe: LanguageModelRecipe,
    problems: Sequence[Problem],
    *,
    training_texts: Collection[str] = (),
    report: Callable[[str], None] = lambda message: None,
) -> list[Outcome]:
    """The outcomes of a language model's answers, in the order of the problems."""
    settings, endpoint = recipe.llm, endpoint_of(recipe.llm)
    report(f"{recipe.name}: {settings.model}, {len(problems):,} problems, {settings.samples} samples each")
    answers = answer_problems(
        endpoint,
        problems,
        prompt=settings.prompt,
        samples=settings.samples,
        parallel=settings.parallel,
        max_tokens=settings.max_tokens,
        report=lambda done: report(f"{recipe.name}: {done:,} problems answered") if done % _REPORT_EVERY == 0 else None,
    )
    report(f"{recipe.name}: {endpoint.requests:,} requests, {endpoint.spent:.4f} spent")
    return [
        score_value(
            problem,
            answer.value,
            confidence=answer.share,
            seen=problem.masked_text in training_texts if training_texts else None,
        )
        for problem, answer in zip(problems, answers, strict=True)
    ]


def enter_language_model(
    recipe: LanguageModelRecipe, problems: Problems, *, report: Callable[[str], None] = lambda message: None
) -> Entry:
    """Solves the test problems with a language model."""
    outcomes = prompt_model(recipe, problems.test, training_texts=problems.training_texts, report=report)
    return Entry(recipe.name, "llm", outcomes, accuracies=[Summary.of(outcomes).scores])
