"""Reporting: results as tables, figures, pages and the HTML report."""
