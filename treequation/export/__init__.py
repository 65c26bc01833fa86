"""Export: from a trained model to the light folder that solves without PyTorch."""
