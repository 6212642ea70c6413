# shellcheck shell=bash
# SPDX-License-Identifier: MIT

# What the daemon would warm: its own discovery decides, with the configuration there is.
volumes_to_warm() {
    local list
    list=$(ebswarmctl list) || return
    awk '$5 == "warm" { print $1 }' <<<"$list"
}

verb_warm() {
    need_root warm
    verb_install
    local volumes
    volumes=$(volumes_to_warm) || die "cannot tell which volumes this machine has (the reason is above)"
    if [ -n "$volumes" ]; then
        say "warming this machine's volumes: ${volumes//$'\n'/ }"
        ebswarmd --once
    else
        warm_demo
    fi
}

demo_dir='' demo_coldvol=''

demo_end() {
    [ -z "$demo_coldvol" ] || "$demo_coldvol" down demo || true
    [ -z "$demo_dir" ] || rm -rf "$demo_dir"
    demo_coldvol='' demo_dir=''
}

warm_demo() {
    local coldvol=$PWD/build/tests/coldvol/coldvol device rc=0
    # Not /tmp: a tmpfs has no O_DIRECT before Linux 6.6.
    demo_dir=$(mktemp -d /var/tmp/ebswarm-demo.XXXXXX)
    trap demo_end EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    if [ -c /dev/fuse ] && [ -c /dev/loop-control ]; then
        say "this machine has no EBS volume: warming a SIMULATED cold volume of 2 GiB (a FUSE file behind a loop device)"
        [ -x "$coldvol" ] || die "build/ has no simulated volume: was libfuse3-dev there when it was configured?"
        # Its caps are those of a gp3 volume as it comes: 3000 IOPS, 125 MiB/s.
        demo_coldvol=$coldvol
        device=$("$coldvol" up demo size=2G iops=3000 throughput=125)
    else
        say "this machine has neither an EBS volume nor loop and FUSE (a container?): reading a plain file of 256 MiB instead," \
            "which shows the program at work but is not cold"
        device=$demo_dir/volume
        dd if=/dev/zero of="$device" bs=1M count=256 conv=fsync status=none
    fi
    mkdir "$demo_dir/state"
    STATE_DIRECTORY=$demo_dir/state ebswarmd --once "$device" || rc=$?
    if [ -n "$demo_coldvol" ]; then
        say "what the simulated volume itself saw:"
        "$coldvol" record demo | grep -E '^(writes|pages_unread)='
    fi
    say "the simulated volume and its checkpoint are taken away again"
    return "$rc"
}
