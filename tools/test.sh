# shellcheck shell=bash
# SPDX-License-Identifier: MIT

verb_test() {
    verb_deps test
    # No exec: the folders that a sudo run made are handed back afterwards.
    local rc=0
    /usr/bin/python3 tests/run "$@" || rc=$?
    give_back ./build-*
    return "$rc"
}

verb_lint() { verb_test lint; }

verb_bench() {
    local what=warming
    if [[ ${1:-} =~ ^[a-z]+$ ]]; then what=$1 && shift; fi
    [ -x "tests/bench/$what" ] || code=2 die "bench: no '$what'; there are $(find tests/bench -type f -executable -printf '%f ')"
    need_root bench
    verb_deps bench
    verb_build
    "tests/bench/$what" "$@"
}

# What is found stays in build-fuzz/: only seeds that are worth keeping belong in tests/fuzz/.
verb_fuzz() {
    local seconds=${1:-} fuzzer name found rc=0
    local -a fuzzers
    [[ $seconds =~ ^[1-9][0-9]*$ ]] || code=2 die "fuzz: how long? ./setup fuzz SECONDS (for each fuzzer)"
    verb_deps test
    CC=clang configure build-fuzz -Dfuzz=true -Dtests=disabled -Db_sanitize=address,undefined -Db_lundef=false
    ninja -C build-fuzz
    mapfile -t fuzzers < <(find build-fuzz -type f -executable -name 'fuzz-*' | sort)
    ((${#fuzzers[@]})) || die "no fuzzer was built"
    for fuzzer in "${fuzzers[@]}"; do
        name=${fuzzer##*/fuzz-}
        found=build-fuzz/corpus/$name
        say "$name for $seconds s"
        mkdir -p "$found"
        "$fuzzer" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="build-fuzz/$name-" \
            "$found" "tests/fuzz/$name" || { rc=1 && say "$name FAILED (above); its input is build-fuzz/$name-*"; }
    done
    give_back build-fuzz
    return "$rc"
}
