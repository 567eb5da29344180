#!/bin/bash
# Make a backup.
set -eu
target="${1:-/tmp}/backup-$(date +%F)"
count=0
files=(a.txt "b c.txt" $HOME/*.md)

log() {
    local level=$1; shift
    echo "[$level] $*" >&2
}

for file in "${files[@]}"; do
    if [ -f "$file" ] && ! grep -q 'skip' "$file"; then
        cp "$file" "$target/${file##*/}.bak" || log error "cannot copy $file"
        count=$((count + 1))
    elif [[ $file == *.md ]]; then
        continue
    else
        cat <<EOF > "$target/missing"
missing: $file
EOF
    fi
done

case "$count" in
    0) log warn none ;;
    1|2) log info few; exit 0 ;;
    *) log info "many: $count" ;;
esac
while read -r line; do printf '%s\n' "$line"; done < "$target/list" | sort -u > out.txt
