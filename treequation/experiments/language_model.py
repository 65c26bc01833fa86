"""A language model as an entry of a comparison: a recipe that trains nothing, and what the model answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from treequation.baselines.endpoint import Endpoint, Limits
from treequation.baselines.llm import Answered, answer_problems
from treequation.baselines.prompts import PROMPTS
from treequation.evaluation.scoring import score_value
from treequation.evaluation.summary import Summary
from treequation.experiments.comparison import Entry
from treequation.records import STRICT, Count, checked
from treequation.text.problem import Problem
from treequation.training.recipe import RecipeError, read_toml
from treequation.training.sources import Problems

_TOLD_EVERY = 100  # problems


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The ``[llm]`` table of a recipe: a language model behind an OpenAI-compatible endpoint."""

    __pydantic_config__ = STRICT

    url: str
    model: str
    prompt: str = "steps"  # how it is asked: one of PROMPTS
    samples: Count = 1  # more than 1: Self-Consistency
    parallel: Count = 4  # requests at a time
    key_variable: str = "OPENAI_API_KEY"  # the environment variable that holds the key, if the endpoint needs one
    cache: str = "runs/llm-cache"  # where answers are kept
    most_tokens: Count = 512  # of an answer; what is longer is cut
    timeout: float = 60.0
    attempts: Count = 6
    requests_per_minute: float = 0.0
    prompt_price: float = 0.0
    answer_price: float = 0.0
    cost: float = 0.0
    share: Annotated[float, Field(gt=0.0, le=1.0)] = (
        1.0  # of the problems of `analyze language-models` that it is asked, the first ones
    )
    megabytes: float = 0.0  # of its file, for the table; 0: not known
    pid_file: str = ""  # has the process id of a server on this machine, whose processor time is measured as well


@dataclass(frozen=True, slots=True)
class LanguageModelRecipe:
    """A recipe that trains nothing."""

    __pydantic_config__ = STRICT

    llm: LanguageModel
    name: str = "llm"


def language_model(path: Path) -> LanguageModelRecipe | None:
    """The recipe in ``path`` if it is one of a language model."""
    table = read_toml(path)
    if "llm" not in table:
        return None
    recipe = checked(LanguageModelRecipe, {"name": path.stem, **table}, str(path), RecipeError)
    if recipe.llm.prompt not in PROMPTS:
        raise RecipeError(f"{path}: llm.prompt is {recipe.llm.prompt!r}; there are {', '.join(PROMPTS)}")
    return recipe


def endpoint_of(settings: LanguageModel, cache: Path | None = None) -> Endpoint:
    """The endpoint of a language model; it keeps answers in ``cache``, or else where the recipe says."""
    shared = {name: getattr(settings, name) for name in Limits.__slots__ if hasattr(settings, name)}
    return Endpoint(
        settings.url,
        settings.model,
        cache=cache or Path(settings.cache),
        key_variable=settings.key_variable,
        limits=Limits(**shared),
    )


def ask(
    recipe: LanguageModelRecipe, problems: Sequence[Problem], *, report: Callable[[str], None] = lambda message: None
) -> list[Answered]:
    """What a language model answers, in the order of the problems."""
    settings, endpoint = recipe.llm, endpoint_of(recipe.llm)
    report(f"{recipe.name}: asking {settings.model} {len(problems):,} problems, {settings.samples} samples each")
    answers = answer_problems(
        endpoint,
        problems,
        prompt=settings.prompt,
        samples=settings.samples,
        parallel=settings.parallel,
        most_tokens=settings.most_tokens,
        report=lambda done: report(f"{recipe.name}: {done:,} problems asked") if done % _TOLD_EVERY == 0 else None,
    )
    report(f"{recipe.name}: {endpoint.requests:,} requests, {endpoint.spent:.4f} spent")
    return answers


def enter_language_model(
    recipe: LanguageModelRecipe, problems: Problems, *, report: Callable[[str], None] = lambda message: None
) -> Entry:
    """Asks a language model the test problems."""
    answers = ask(recipe, problems.test, report=report)
    texts = problems.training_texts
    outcomes = [
        score_value(problem, answer.value, confidence=answer.share, seen=problem.masked_text in texts)
        for problem, answer in zip(problems.test, answers, strict=True)
    ]
    return Entry(recipe.name, "llm", outcomes, accuracies=[Summary.of(outcomes).scores])
