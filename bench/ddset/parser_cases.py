"""Real failures in languages that only tree-sitter reads; the search was tuned on these."""

from __future__ import annotations

from typing import Final

from bench.ddset.failure import Failure, interpreter, python

_OVERWRITTEN: Final = """
import sys, tomllib
try:
    with open(sys.argv[1], "rb") as file:
        tomllib.load(file)
except tomllib.TOMLDecodeError as error:
    sys.exit(0 if "Cannot overwrite a value" in str(error) else 125)
except ValueError:
    sys.exit(125)
sys.exit(1)
"""

PARSER_FAILURES: Final = (
    Failure(
        "python-unbound-local",
        "",
        "input.py",
        "Python: an assignment further down makes a global name local, and unbound",
        """\
import json

count = 0
names = ["ann", "bob"]


def log(message, *, level=1):
    if level > 0:
        print("-", message)


def register(name):
    log(name)
    total = count + 1
    for known in names:
        if known == name:
            return total
    count = total
    names.append(name)
    return count


class Store:
    def __init__(self, path=None):
        self.path = path
        self.data = {"size": 3}

    def dump(self):
        return json.dumps(self.data)


log(Store().dump(), level=2)
register("eve")
""",
        interpreter("/usr/bin/python3 -I -", "UnboundLocalError"),
        ("/usr/bin/python3",),
    ),
    Failure(
        "perl-freed-value",
        "",
        "input.pl",
        "Perl: a list that loses an element while it is walked is an error of the interpreter",
        """\
use strict;
use warnings;

my %seen;
my @queue = (3, 1, 2);
my @done;

sub note {
    my ($text) = @_;
    print "note: $text\\n";
    return length $text;
}

foreach my $item (@queue, 7) {
    next if $seen{$item}++;
    push @done, $item * 2;
    if ($item == 1) {
        @queue = ();
    }
}

note(join ',', @done) if @done > 1;
""",
        interpreter("perl -", "Use of freed value in iteration"),
        ("perl",),
    ),
    Failure(
        "bash-circular-reference",
        "",
        "input.sh",
        "Bash: a function's reference must not have the name of what it refers to",
        """\
names=(ann bob)
total=0
greet() {
  local who=$1
  if [ -n "$who" ]; then
    echo "hello $who"
  fi
}
append() {
  local -n list=$1
  shift
  for word in "$@"; do
    list+=("$word")
  done
}
list=(one)
for name in "${names[@]}"; do
  greet "$name"
done
append list two three
total=$((total + ${#list[@]}))
echo "$total"
""",
        interpreter("bash --norc -s", "circular name reference"),
        ("bash",),
    ),
    Failure(
        "tcl-not-an-array",
        "",
        "input.tcl",
        "Tcl: a variable that has a value is no array any more",
        """\
proc double {n} {
    return [expr {$n * 2}]
}
set total 0
set size 4
foreach n {1 2 3} {
    incr total [double $n]
    if {$n > 2} {
        puts "large: $n"
    }
}
set size(last) $total
puts "total $total"
""",
        interpreter("sh -c 'cat | tclsh /dev/stdin'", "variable isn't array"),
        ("tclsh",),
    ),
    Failure(
        "toml-overwritten",
        "",
        "input.toml",
        "Python's tomllib: a key that has a value cannot have keys below it",
        """\
title = "settings"
enabled = true

[server]
host = "localhost"
ports = [8000, 8001]
limits.memory = 512
limits.memory.soft = 256

[client]
name = 'main'
timeout = 2.5
tags = ["a", "b"]
""",
        python(_OVERWRITTEN),
        (),
    ),
)
