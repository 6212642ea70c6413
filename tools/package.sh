# shellcheck shell=bash
# SPDX-License-Identifier: MIT

# Builds the Debian packages into dist/. In a copy, since dpkg-buildpackage writes into the tree and beside it.
verb_package() {
    verb_deps package
    local copy
    copy=$(mktemp -d /var/tmp/ebswarm-package.XXXXXX)
    mkdir "$copy/ebswarm"
    tar -c --exclude='./build*' --exclude=./dist --exclude=./.git . | tar -x -C "$copy/ebswarm"
    (cd "$copy/ebswarm" && dpkg-buildpackage --no-sign --build=binary "$@") >"$copy/log" 2>&1 || {
        tail -n 60 "$copy/log" >&2
        die "dpkg-buildpackage failed (above); all of it is in $copy/log"
    }
    mkdir -p dist
    rm -f dist/*.deb
    mv "$copy"/*.deb dist/
    rm -rf "$copy"
    give_back dist
    say "built $(cd dist && echo ./*.deb)"
}
