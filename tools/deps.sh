# shellcheck shell=bash
# SPDX-License-Identifier: MIT

# systemd only for systemd.pc, which says where units go; fuse3 and mount (losetup) for the simulated volume.
deps_build=(gcc libc6-dev meson ninja-build pkg-config systemd libsystemd-dev liburing-dev libjansson-dev
    libinih-dev libcurl4-openssl-dev libexpat1-dev libfuse3-dev fuse3 mount)
# libclang-rt has libFuzzer; libc6-dbg lets valgrind know libc's functions.
deps_test=(libcmocka-dev clang libclang-rt-14-dev clang-format clang-tidy cppcheck shellcheck mandoc valgrind libc6-dbg
    umockdev python3 python3-pytest python3-botocore procps e2fsprogs util-linux)
# A guest that boots the packages: its kernel and Debian are fetched, not installed. And what looks at the spec file.
deps_boot=(qemu-system-x86 mmdebstrap kmod busybox-static rpmlint)
# What is measured beside ebswarm, and what draws it.
deps_bench=(fio hdparm python3 python3-matplotlib)
deps_package=(debhelper dpkg-dev fakeroot lintian libcmocka-dev rpm)
# Half of EC2 is arm64.
deps_arm64=(crossbuild-essential-arm64 qemu-user-static pkgconf:arm64 liburing-dev:arm64 libsystemd-dev:arm64 libjansson-dev:arm64
    libinih-dev:arm64 libcurl4-openssl-dev:arm64 libexpat1-dev:arm64 libcmocka-dev:arm64)
fedora_build=(gcc meson systemd-devel liburing-devel jansson-devel inih-devel libcurl-devel expat-devel
    fuse3-devel fuse3 util-linux)

is_debian_12() {
    # shellcheck source=/dev/null
    [ -r /etc/os-release ] && (. /etc/os-release && [ "${ID:-} ${VERSION_ID:-}" = 'debian 12' ])
}

missing() {
    local package
    # With a foreign architecture a name without one may be two packages, of which each is printed.
    for package; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed* ]] || echo "$package"
    done
}

verb_deps() {
    local packages=("${deps_build[@]}") lacking
    case ${1:-} in
    '' | build) ;;
    test) packages+=("${deps_test[@]}" "${deps_package[@]}" "${deps_boot[@]}" "${deps_arm64[@]}") ;;
    bench) packages+=("${deps_bench[@]}") ;;
    package) packages+=("${deps_package[@]}") ;;
    arm64) packages+=("${deps_package[@]}" "${deps_arm64[@]}") ;;
    *) code=2 die "deps: no set '$1'; there are build (the default), test, bench, package and arm64" ;;
    esac
    [ -z "${SKIP_DEPS:-}" ] || return 0
    is_debian_12 || die "packages are installed by this script on Debian 12 only. Install what these are called here," \
        "then run again with SKIP_DEPS=1. Debian: ${packages[*]}. Fedora, RHEL, Amazon Linux (to build): ${fedora_build[*]}"
    mapfile -t lacking < <(missing "${packages[@]}")
    ((${#lacking[@]})) || return 0
    [ "$(id -u)" = 0 ] || die "these packages are missing: ${lacking[*]}. Installing them needs root: sudo ./setup deps ${1:-}"
    if [[ " ${lacking[*]} " == *:arm64* ]]; then dpkg --add-architecture arm64; fi
    say "installing ${lacking[*]}"
    apt_get update
    apt_get install -y --no-install-recommends "${lacking[@]}"
}

# apt's many lines matter only when it fails.
apt_get() {
    local log
    log=$(mktemp)
    DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 "$@" \
        >"$log" 2>&1 </dev/null || { cat "$log" >&2; rm -f "$log"; die "apt-get $1 failed (above)"; }
    rm -f "$log"
}
