"""What notebooks show for a System, a Solution, a check and sensitivities: tables and a picture, as HTML.

The objects themselves know only that this package exists; it is imported when a notebook asks.
"""

from __future__ import annotations

from .pages import check_html, sensitivities_html, solution_html, system_html

__all__ = ["check_html", "sensitivities_html", "solution_html", "system_html"]
