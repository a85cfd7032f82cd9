"""The packages of the wheel, found; everything else stands in pyproject.toml."""

from setuptools import find_packages, setup

rules = ["rocmlint.rules", *(f"rocmlint.rules.{each}" for each in find_packages("rules"))]
setup(packages=[*find_packages("src"), *rules])
