"""Trees: nodes, places, edits, rendering to text, and the order that says what is smaller."""

from marrow.tree.edit import ChangeText, Delete, Edit, EditError, Replace, Splice
from marrow.tree.node import FOREIGN, QUANTIFIED, SEPARATOR, Branch, Glue, Kind, Node, Token
from marrow.tree.order import Size, size, smaller
from marrow.tree.place import ROOT, Place
from marrow.tree.tree import Tree, deletable, minimum

__all__ = [
    "FOREIGN",
    "QUANTIFIED",
    "ROOT",
    "SEPARATOR",
    "Branch",
    "ChangeText",
    "Delete",
    "Edit",
    "EditError",
    "Glue",
    "Kind",
    "Node",
    "Place",
    "Replace",
    "Size",
    "Splice",
    "Token",
    "Tree",
    "deletable",
    "minimum",
    "size",
    "smaller",
]
