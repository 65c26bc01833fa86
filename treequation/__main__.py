"""``python -m treequation`` runs the command ``treequation``."""

from treequation.cli import main

if __name__ == "__main__":
    main()
