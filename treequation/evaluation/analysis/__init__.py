"""The analyses, a file each: what is measured. How a finding is shown is in :mod:`treequation.reporting`."""
