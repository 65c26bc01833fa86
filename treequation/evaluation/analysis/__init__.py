"""The analyses, one file each. They only measure; :mod:`treequation.reporting` shows the findings."""
