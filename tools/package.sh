# shellcheck shell=bash
# SPDX-License-Identifier: MIT

# Builds the Debian packages into dist/, or for another architecture into dist/ARCHITECTURE/. In a copy, since dpkg-buildpackage writes
# into the tree and beside it.
verb_package() {
    local copy out=dist
    local -a options=()
    case ${1:-} in
    '') verb_deps package ;;
    arm64)
        verb_deps arm64
        out=dist/arm64
        # The tests of the tree run for it in a step of their own.
        options=(--host-arch=arm64 '--build-profiles=cross,nocheck')
        ;;
    *) code=2 die "package: '$1'? There are the machine's own packages, and arm64" ;;
    esac
    copy=$(mktemp -d /var/tmp/ebswarm-package.XXXXXX)
    mkdir "$copy/ebswarm"
    tar -c --exclude='./build*' --exclude=./dist --exclude=./.git . | tar -x -C "$copy/ebswarm"
    (cd "$copy/ebswarm" && dpkg-buildpackage --no-sign --build=binary "${options[@]}") >"$copy/log" 2>&1 || {
        tail -n 60 "$copy/log" >&2
        die "dpkg-buildpackage failed (above); all of it is in $copy/log"
    }
    mkdir -p "$out"
    rm -f "$out"/*.deb
    mv "$copy"/*.deb "$out/"
    rm -rf "$copy"
    give_back dist
    say "built $(cd "$out" && echo ./*.deb)"
}
