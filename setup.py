"""The wheel holds machine code, but nothing of one version of Python; all else is in pyproject.toml."""

import os
import shutil
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

LEVELS = os.environ.get("JOINTPLAY_WHEEL_LEVELS", "").split()  # of processors; buildhook/backend.py says for whom
PLATFORM = os.environ.get("JOINTPLAY_WHEEL_PLATFORM")


class Package(build_py):
    """Libraries of kernels lie with the sources, for whatever machines they were made: a wheel takes those of one."""

    def run(self) -> None:
        """Nothing stays of what an earlier wheel took."""
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib) / "jointplay", ignore_errors=True)
        super().run()

    def find_data_files(self, package: str, src_dir: str) -> list[str]:
        """Data of a package, without libraries for other processors."""
        found: list[Any] = super().find_data_files(package, src_dir)
        libraries = [one for one in found if Path(one).parts[-3:-1] == ("native", "lib")]
        others = {one for one in libraries if Path(one).stem.partition("-")[2] not in LEVELS}
        return [one for one in found if one not in others]


class Wheel(bdist_wheel):
    """A wheel for any Python on one kind of machine."""

    def finalize_options(self) -> None:
        """Not pure: it carries libraries."""
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        """Libraries are loaded by their names, not by Python's import."""
        return "py3", "none", PLATFORM or super().get_tag()[2]


setup(cmdclass={"bdist_wheel": Wheel, "build_py": Package})
