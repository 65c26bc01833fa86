"""Export: turns a trained model into the light folder, which solves without PyTorch."""
