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
    need_root bench
    verb_deps bench
    [ -x tests/bench/run ] || die "tests/bench/run is not there"
    verb_build
    tests/bench/run "$@"
}

verb_fuzz() {
    local seconds=${1:-} fuzzer
    [[ $seconds =~ ^[1-9][0-9]*$ ]] || code=2 die "fuzz: how long? ./setup fuzz SECONDS (for each fuzzer)"
    verb_deps test
    CC=clang configure build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
    ninja -C build-fuzz
    mapfile -t fuzzers < <(find build-fuzz -type f -executable -name 'fuzz-*' | sort)
    ((${#fuzzers[@]})) || die "no fuzzer was built"
    for fuzzer in "${fuzzers[@]}"; do
        local corpus=tests/fuzz/corpus/${fuzzer##*/fuzz-}
        say "${fuzzer##*/} for $seconds s"
        mkdir -p "$corpus"
        "$fuzzer" -max_total_time="$seconds" -print_final_stats=1 "$corpus"
    done
    give_back build-fuzz tests/fuzz
}
