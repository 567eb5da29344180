"""Load a YAML file with PyYAML: the program that fails."""

import sys

import yaml

with open(sys.argv[1]) as file:
    yaml.safe_load(file)
