#!/bin/sh
# A target with four bugs for tests: `boom`, `bang` and `bing` die in `first`, which three callers
# reach, `crack` in `second`; `mute` and `dumb` only exit with 3. `?` is no valid input.
IFS= read -r text < "$1"
trace() {
  printf 'Traceback (most recent call last):\n' >&2
  printf '  File "/t/t.py", line %s, in %s\n    x\n' "$2" "$3" "$4" "$5" >&2
  printf '%s\n' "$1" >&2
  exit 1
}
case "$text" in
  *"?"*) echo "error: syntax error: unexpected token '?'" >&2; exit 1 ;;
  *boom*) trace "ValueError: bad value 17" 3 run 9 first ;;
  *bang*) trace "ValueError: bad value 18" 5 walk 9 first ;;
  *bing*) trace "ValueError: bad value 19" 7 step 9 first ;;
  *crack*) trace "KeyError: 'k'" 3 run 20 second ;;
  *mute*) exit 3 ;;
  *dumb*) exit 3 ;;
esac
exit 0
