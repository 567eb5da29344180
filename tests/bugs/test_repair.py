"""Causes by repair, on planted programs of records with lengths."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import marrow

# Records of a type, a length and that many bytes. A length that is not checked (the one bug) fails
# in the function of whichever type it is, and at two lines of `either`; `Z` divides by its first
# byte (another bug), and `T` has two lengths that are not checked at two lines of one function.
SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned char small[8];
__attribute__((noinline)) static void name(unsigned char *at, int size) {
  for (int i = 0; i < size; i++) small[i] = at[i];
}
__attribute__((noinline)) static int sum(unsigned char *at, int size) {
  int total = 0;
  for (int i = 0; i < size; i++) total += at[i];
  return total;
}
__attribute__((noinline)) static int either(unsigned char *at, int size) {
  int total = 0;
  if (size & 1) {
    for (int i = 0; i < size; i++) total += at[i];
  } else {
    for (int i = 0; i < size; i++) total -= at[i];
  }
  return total;
}
__attribute__((noinline)) static int tables(unsigned char *at) {
  int total = 0, first = at[0], second = at[1];
  for (int i = 0; i < first; i++) total += at[i];
  printf("first table\n"), fflush(stdout);
  for (int i = 0; i < second; i++) total -= at[i];
  return total;
}
__attribute__((noinline)) static int share(unsigned char *at) { return 100 / at[0]; }
int main(int argc, char **argv) {
  FILE *file = fopen(argv[argc - 1], "rb");
  unsigned char text[64];
  size_t read = fread(text, 1, 64, file);
  unsigned char *data = malloc(read ? read : 1);
  memcpy(data, text, read);
  if (read < 4 || data[0] != 0) return free(data), 0;
  printf("record %c of %d bytes\n", data[1], data[2]);
  fflush(stdout);
  if (data[1] == 'N') name(data + 3, data[2]);
  if (data[1] == 'S') printf("%d\n", sum(data + 3, data[2]));
  if (data[1] == 'E') printf("%d\n", either(data + 3, data[2]));
  if (data[1] == 'T') printf("%d\n", tables(data + 3));
  if (data[1] == 'Z') printf("%d\n", share(data + 3));
  free(data);
  return 0;
}
"""


FILES = {
    "name": b"\0N\xf0abcd",
    "sum": b"\0S\xf0abcd",
    "share": b"\0Z\x01\0",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no gcc")
    folder = tmp_path_factory.mktemp("program")
    (folder / "records.c").write_text(SOURCE)
    words = [compiler, "-g", "-O0", "-fsanitize=address", "records.c", "-o", "records"]
    if subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode:
        pytest.skip("no address sanitizer")
    return str(folder / "records")


def test_one_field_that_stops_two_failures(program: str, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text)
    result = marrow.triage(tmp_path, command=[program, "{}"])
    by_names = {
        tuple(sorted(Path(one).name for file in bug.files for one in file.names)): bug
        for bug in result.bugs
    }
    assert set(by_names) == {("name", "sum"), ("share",)}
    (link,) = by_names["name", "sum"].links
    assert "the same change at the same place stops both" in link.why
    notes = [note for note in by_names["name", "sum"].notes if note.startswith("what stops it")]
    assert len(notes) == 2
    assert all("byte 2 of " in note for note in notes)
    assert all("00 passes; all from" in note for note in notes)


def test_lines_of_one_function_are_joined_by_what_stops_them(program: str, tmp_path: Path) -> None:
    files = {
        "odd": b"\0E\xf1abcd",
        "even": b"\0E\xf0abcd",
        "first": b"\0T\0\xf0\1abcd",
        "second": b"\0T\0\1\xf0abcd",
    }
    for name, text in files.items():
        (tmp_path / name).write_bytes(text)
    result = marrow.triage(tmp_path, command=[program, "{}"])
    found = [sorted(Path(one.names[0]).name for one in bug.files) for bug in result.bugs]
    assert sorted(found) == [["even", "odd"], ["first"], ["second"]]
