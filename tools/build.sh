# shellcheck shell=bash
# SPDX-License-Identifier: MIT

verb_build() {
    verb_deps
    configure build --prefix=/usr --sysconfdir=/etc -Dtests=disabled
    ninja -C build
    give_back build
}

# An existing build folder is told the same options again, which costs nothing where they are the same.
configure() {
    local dir=$1
    shift
    if [ -f "$dir/build.ninja" ]; then
        meson configure "$dir" "$@"
    else
        meson setup "$dir" "$@"
    fi
}

# Under sudo the folder would be root's and a later build without sudo would fail.
give_back() { [ "$(id -u)" != 0 ] || chown -R --reference=. "$@"; }

systemd_runs() { [ -d /run/systemd/system ]; }

verb_install() {
    need_root install
    verb_build
    meson install -C build --no-rebuild --quiet
    if [ -e /usr/lib/sysusers.d/ebswarm.conf ] && command -v systemd-sysusers >/dev/null; then
        systemd-sysusers ebswarm.conf
    fi
    systemd_runs && systemctl daemon-reload
    say "installed; nothing is enabled. To warm volumes at every boot: systemctl enable --now ebswarmd.socket ebswarmd.service"
}

verb_uninstall() {
    need_root uninstall
    [ -f build/meson-logs/install-log.txt ] || die "build/ knows of no installation; './setup install' first, then uninstall"
    if systemd_runs; then
        systemctl disable --now ebswarmd.service ebswarmd.socket 2>/dev/null || true
    fi
    # The administrator's configuration is not ours to delete.
    grep -v -e '^#' -e '^/etc/' build/meson-logs/install-log.txt | while IFS= read -r file; do
        if [ -d "$file" ] && [ ! -L "$file" ]; then
            rmdir --ignore-fail-on-non-empty "$file"
        else
            rm -f "$file"
        fi
    done
    systemd_runs && systemctl daemon-reload
    say "uninstalled; /etc/ebswarm, /var/lib/ebswarm and the group ebswarm are left as they are"
}
