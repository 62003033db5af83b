#!/usr/bin/env bash
# signature.sh TOOL...: all tools print the same signature, with every kernel that this machine runs and any number of
# threads.
set -euo pipefail
expected=$("$1" signature --kernel scalar --threads 1)
kernels=0
for tool in "$@"; do
  for kernel in scalar ssse3 sse4 avx2 avx512; do
    if ! found=$(ASSAY_KERNEL=$kernel "$tool" signature --threads 2 2>&1); then
      [[ $found == *"this machine runs"* ]] && continue  # an instruction set that it does not have
      echo "$tool with $kernel failed: $found" >&2
      exit 1
    fi
    kernels=$((kernels + 1))
    if [ "$found" != "$expected" ]; then
      echo "$tool with $kernel: signature $found, expected $expected" >&2
      diff <("$1" signature --kernel scalar --json) <("$tool" signature --kernel "$kernel" --json) >&2 || true
      exit 1
    fi
  done
done
[ "$kernels" -ge "$#" ]  # at least the scalar kernel of each was checked
echo "$kernels kernels agree on $expected"
