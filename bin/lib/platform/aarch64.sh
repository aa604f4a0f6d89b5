# shellcheck shell=bash
# shellcheck disable=SC2034 # bin/lib/check/platforms uses them
# Linux on aarch64, under QEMU's emulation of a process. See bin/lib/check/platforms.

platform_packages=(qemu-user-static libc6-arm64-cross)
platform_wheel=manylinux_2_17_aarch64

# A JVM starts other processes by bin/java and lib/jspawnhelper, so these run QEMU.
platform_prepare() {
    local program
    for program in bin/java lib/jspawnhelper; do
        mv "$1/$program" "$1/$program.elf"
        printf '#!/bin/sh\nexec qemu-aarch64-static -L /usr/aarch64-linux-gnu "%s" "$@"\n' "$1/$program.elf" >"$1/$program"
        chmod +x "$1/$program" "$1/$program.elf"
    done
}

# C1 only: compiling with C2 takes long under QEMU.
platform_java=("$home/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx1g -XX:+ExitOnOutOfMemoryError
    --enable-native-access=ALL-UNNAMED)

platform_pages=(QEMU_PAGESIZE=65536)

platform_path() {
    printf '%s\n' "$1"
}

platform_file() {
    printf '%s\n' "$1"
}
