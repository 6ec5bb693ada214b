"""The wheel holds machine code, but nothing of one version of Python; all else is in pyproject.toml."""

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel


class Wheel(bdist_wheel):
    """A wheel for any Python on one kind of machine."""

    def finalize_options(self) -> None:
        """Not pure: it carries libraries."""
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        """Libraries are loaded by their names, not by Python's import."""
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"bdist_wheel": Wheel})
