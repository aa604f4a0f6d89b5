# shellcheck shell=bash
# shellcheck disable=SC2034 # bin/lib/check/platforms uses them
# Windows on x86-64, under Wine. See bin/lib/check/platforms.

platform_packages=(wine64 wine)
platform_wheel=win_amd64

# Wine 8 has no GetAnycastIpAddressTable, which Java calls when it lists network interfaces, also for random numbers. The
# name of a function with the same parameters takes its place in Java's library.
platform_prepare() {
    LC_ALL=C sed -i 's/GetAnycastIpAddressTable/GetUnicastIpAddressTable/' "$1/bin/net.dll"
}

export WINEPREFIX=$cache/wine WINEDEBUG=-all
unset DISPLAY

# Java warns once in each process that Wine does not know groups of processors.
platform_java=(wine "$home/bin/java.exe" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m --enable-native-access=ALL-UNNAMED)

platform_warning='no directory can be forced'

platform_without=(
    [follow.PublishedOffsetsFileTest]='processes do not find out there whether they share mappings'
    [api.PublishedOffsetsTest]='processes do not find out there whether they share mappings'
    [trouble.TruncatedUnderMappingTest]='a mapped file cannot be truncated'
    [medium.RealFileMediumTest#shouldChangeAFileInUseLaterWhereItCannotAtOnce]='Wine changes a file in use, as Windows does not'
    [trouble.SecondProcessTest#shouldKeepTheLockWhenRefusingThisProcessASecondTime]='Java does not follow symbolic links under Wine'
)

# Z: is the root of this machine's files.
platform_path() {
    local entries entry path=
    IFS=: read -r -a entries <<<"$1"
    for entry in "${entries[@]}"; do
        path+=${path:+;}$(platform_file "$entry")
    done
    printf '%s\n' "$path"
}

platform_file() {
    case $1 in
    /*) printf 'Z:%s\n' "$1" ;;
    *) printf '%s\n' "$1" ;;
    esac
}
