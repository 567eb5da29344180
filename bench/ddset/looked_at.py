"""Real failures that were held out once, until what they showed has changed the search."""

from __future__ import annotations

from typing import Final

from bench.ddset.failure import Failure, interpreter, runs

LOOKED_AT: Final = (
    Failure(
        "c-switch-into-scope",
        "c",
        "input.c",
        "GCC: a case label behind an array of variable length jumps into its scope",
        """\
static int total;
static void add(int n) { total += n; }
int classify(int kind, int size) {
  int result = 0;
  switch (kind) {
    int buffer[size];
    case 1:
      result = size + 1;
      break;
    case 2:
      add(result);
      break;
    default:
      result = -1;
  }
  return result;
}
""",
        runs('gcc -fsyntax-only -w "$1"', "switch jumps into scope of identifier"),
        ("gcc",),
    ),
    Failure(
        "python-class-scope",
        "",
        "input.py",
        "Python: a comprehension in a class does not see the names of the class",
        """\
import string

LETTERS = string.ascii_lowercase


def shout(text):
    return text.upper() + "!"


class Grid:
    width = 3
    height = 2
    letters = LETTERS[:6]
    cells = [[letters for _ in range(2)] for _ in range(4)]

    def __init__(self, name):
        self.name = name
        self.rows = [row for row in range(5) if row % 2 == 0]

    def describe(self):
        if self.rows:
            return shout(self.name)
        return None


print(Grid("small").describe())
""",
        interpreter("/usr/bin/python3 -I -", "NameError: name"),
        ("/usr/bin/python3",),
    ),
    Failure(
        "ocaml-generalized",
        "",
        "input.ml",
        "OCaml: a module's value whose type is not known cannot be compiled",
        """\
type shape = Circle of float | Square of float

let area shape =
  match shape with
  | Circle r -> 3.14 *. r *. r
  | Square a -> a *. a

let pending = ref []

let rec sum = function
  | [] -> 0.
  | first :: rest -> first +. sum rest

let total shapes = sum (List.map area shapes)

let () =
  let shapes = [ Circle 1.; Square 2. ] in
  if total shapes > 4. then print_endline "large"
""",
        runs('ocamlc -c -o out.cmo "$1"', "cannot be generalized"),
        ("ocamlc",),
    ),
    Failure(
        "make-self-reference",
        "",
        "input.mk",
        "make: a variable that refers to itself is an error where it is expanded",
        """\
CC = gcc
CFLAGS = -O2 -Wall
SOURCES = main.c util.c
OBJECTS = $(SOURCES:.c=.o)

CFLAGS = $(CFLAGS) -g

all: program

program:
\t$(CC) $(CFLAGS) -o $@ $(OBJECTS)

clean:
\techo removing $(OBJECTS)

.PHONY: all clean
""",
        interpreter("make -n -f -", "references itself"),
        ("make",),
    ),
)
