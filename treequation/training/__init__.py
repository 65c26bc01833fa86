"""Training: recipes, the loop, checkpoints."""

from treequation.training.epoch_reports import EpochReport
from treequation.training.loop import RunResult, TrainingError, train
from treequation.training.recipe import Recipe, RecipeError, read_recipe

__all__ = ["EpochReport", "Recipe", "RecipeError", "RunResult", "TrainingError", "read_recipe", "train"]
