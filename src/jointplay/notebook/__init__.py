"""What notebooks show for a System, a Solution, a check, sensitivities: tables and pictures as HTML; a slider.

The objects themselves know only that this package exists; it is imported when a notebook shows them.
"""

from __future__ import annotations

from .pages import check_html, sensitivities_html, solution_html, system_html
from .slider import Explorer, explore

__all__ = ["Explorer", "check_html", "explore", "sensitivities_html", "solution_html", "system_html"]
