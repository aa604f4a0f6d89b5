# shellcheck shell=bash
# Functions that the scripts in this directory share. Sourced, never run.

firn_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# The modules with an API that is compared between versions; all that are published.
firn_libraries=queue-core,tier-file,tier-pmem,migrator,queue-bytes,shadow,forward,netty-server
firn_published=bom,$firn_libraries,tools/cli,testing/junit,integrations/micrometer,integrations/management,integrations/spring-boot-starter

firn_say() {
    printf '%s\n' "$*" >&2
}

firn_die() {
    firn_say "$*"
    exit 1
}

# firn_misused MESSAGE: for a wrong argument.
firn_misused() {
    firn_say "$*"
    exit 2
}

# firn_help NAME ARGUMENT...: prints a help file if one of the arguments is --help, and refuses options that the file does
# not contain, unless it passes some to another program. It needs no build; tests compare the files of programs in Java
# with what those print.
firn_help() {
    local file=$firn_root/bin/lib/help/$1 argument
    shift
    for argument; do
        case $argument in
        --help | -h) cat "$file" && exit ;;
        --) return ;;
        --*)
            grep -qE -- '(MAVEN|TESTSSL|JAZZER|\[)_?(OPTION|ARGUMENT)' "$file" || grep -qE -- "(^|[^a-zA-Z0-9-])${argument%%=*}([^a-zA-Z0-9-]|\$)" "$file" || {
                sed '/^$/,$d' "$file" >&2
                firn_misused "There is no option $argument: see --help."
            }
            ;;
        esac
    done
}

# The java command that Maven uses too: that of JAVA_HOME, or the one on the path.
firn_java() {
    if [[ -n ${JAVA_HOME:-} ]]; then
        printf '%s\n' "$JAVA_HOME/bin/java"
    else
        command -v java || firn_die "No java found: install a JDK, 17 or newer."
    fi
}

# The version of the JDK in a directory, such as 25.0.1; nothing if there is none.
firn_jdk_version() {
    [[ -x $1/bin/java && -r $1/release ]] || return 0
    sed -n 's/^JAVA_VERSION="\([^"]*\)".*/\1/p' "$1/release"
}

# The directory of the JDK that a java command belongs to.
firn_jdk_of() {
    dirname "$(dirname "$(readlink -f "$1")")"
}

# The directory of a JDK of another version than that of firn_java, 25 if it is installed; nothing if there is none.
firn_second_jdk() {
    local ours jdk version major best='' best_major=16
    ours=$(firn_java_major)
    for jdk in "${JAVA25_HOME:-}" /usr/lib/jvm/*; do
        version=$(firn_jdk_version "$jdk")
        major=${version%%.*}
        if [[ -z $major || $major == "$ours" ]]; then
            continue
        elif [[ $major == 25 ]]; then
            printf '%s\n' "$jdk"
            return
        elif ((major > best_major)); then
            best=$jdk best_major=$major
        fi
    done
    printf '%s\n' "$best"
}

firn_mvn() {
    command -v mvn >/dev/null || firn_die "No mvn found: install Maven, 3.8 or newer."
    (cd "$firn_root" && mvn -B -ntp "$@")
}

# The version of the sources, such as 0.1.0.
firn_version() {
    sed -n '0,/<version>/s|.*<version>\(.*\)</version>.*|\1|p' "$firn_root/pom.xml"
}

# firn_stale FILE MODULE...: whether FILE is missing or older than any source or pom.
firn_stale() {
    local built=$1 module sources=("$firn_root/pom.xml")
    shift
    [[ -e $built ]] || return 0
    for module in "$@"; do
        sources+=("$firn_root/$module/src" "$firn_root/$module/pom.xml")
    done
    [[ -n $(find "${sources[@]}" -newer "$built" -print -quit) ]]
}

# firn_build WHAT MAVEN_ARGUMENTS...: builds quietly, and shows Maven's output if it fails.
firn_build() {
    local what=$1 log started=$SECONDS
    shift
    log=$(mktemp)
    firn_say "Building $what (the first build downloads dependencies) ..."
    if ! firn_mvn "$@" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        firn_die "Could not build $what: see above."
    fi
    rm -f "$log"
    firn_say "Built in $((SECONDS - started)) s."
}

# The newest tag of a release; nothing if there is none.
firn_last_release() {
    git -C "$firn_root" describe --tags --match 'v[0-9]*' --abbrev=0 HEAD 2>/dev/null || true
}

# firn_baseline COMMIT: builds the libraries of a commit or tag, once, and sets firn_baseline to a directory with their
# jars, named without a version, and the file classpath: the libraries that a user of files needs beside them.
firn_baseline() {
    local commit work jar name
    commit=$(git -C "$firn_root" rev-parse --verify --quiet "$1^{commit}") ||
        firn_misused "There is no commit or tag $1."
    firn_baseline=$firn_root/target/baseline/$commit
    [[ ! -e $firn_baseline/complete ]] || return 0
    work=$(mktemp -d)
    git -C "$firn_root" archive "$commit" | tar -x -C "$work"
    mkdir -p "$firn_baseline"
    firn_build "the libraries of $1" -q -f "$work/pom.xml" package dependency:build-classpath -DskipTests -am \
        -pl "$firn_libraries" -Dmdep.outputFile=target/libraries -DincludeScope=runtime
    for jar in "$work"/*/target/firn-*.jar; do
        name=${jar##*/}
        [[ $name == *-tests.jar || $name == *-sources.jar ]] || cp "$jar" "$firn_baseline/${name%-[0-9]*}.jar"
    done
    tr : '\n' <"$work/tier-file/target/libraries" | grep -v "^$work" | paste -sd: >"$firn_baseline/classpath"
    rm -rf "$work"
    touch "$firn_baseline/complete"
}

# Whether every entry of a class path that Maven wrote is still there.
firn_complete() {
    local entry entries
    [[ -s $1 ]] || return 1
    IFS=: read -r -a entries <"$1" || true
    for entry in "${entries[@]}"; do
        [[ -e $entry ]] || return 1
    done
}

# firn_class_path POM FILE: writes the class path of a pom with Kafka's programs into a file.
firn_class_path() {
    if [[ $1 -nt $2 ]] || ! firn_complete "$2"; then
        mkdir -p "$(dirname "$2")"
        firn_build "Kafka's class path" -q -f "$1" dependency:build-classpath -Dmdep.outputFile="$2"
    fi
}

# firn_example CLASS ARGUMENTS...: runs an example in the caller's working directory.
firn_example() {
    local class=$1 path=$firn_root/examples/target/classpath options=()
    shift
    if firn_stale "$path" queue-core tier-file tier-pmem migrator queue-bytes netty-server shadow forward examples || ! firn_complete "$path"; then
        firn_build "the examples" compile -pl examples -am
    fi
    if (($(firn_java_major) >= 24)); then
        options=(--enable-native-access=ALL-UNNAMED) # the libraries of the server and of codecs
    fi
    exec "$(firn_java)" "${options[@]}" -cp "$firn_root/examples/target/classes:$(<"$path")" "$class" "$@"
}

# firn_spring ARGUMENTS...: runs the application of examples/spring in the caller's working directory.
firn_spring() {
    local path=$firn_root/examples/spring/target/classpath options=()
    if firn_stale "$path" queue-core tier-file netty-server integrations/micrometer integrations/spring-boot-starter examples/spring || ! firn_complete "$path"; then
        firn_build "the application" compile -pl examples/spring -am
    fi
    if (($(firn_java_major) >= 24)); then
        options=(--enable-native-access=ALL-UNNAMED) # the server's libraries
    fi
    exec "$(firn_java)" "${options[@]}" -cp "$firn_root/examples/spring/target/classes:$(<"$path")" \
        io.firn.examples.spring.OrdersApplication "$@"
}

# firn_tool CLASS ARGUMENTS...: runs a program of the module tools/cli in the caller's working directory. With firn_short, it
# starts in two thirds of the time and is slower if it has much to do.
firn_tool() {
    local class=$1 path=$firn_root/tools/cli/target/classpath options=(-XX:+UseSerialGC)
    shift
    if firn_stale "$path" queue-core tier-file tier-pmem migrator netty-server shadow forward tools/cli || ! firn_complete "$path"; then
        firn_build "the command" compile -pl tools/cli -am
    fi
    if (($(firn_java_major) >= 24)); then
        options+=(--enable-native-access=ALL-UNNAMED) # zstd's library
    fi
    [[ -z ${firn_short:-} ]] || options+=(-XX:TieredStopAtLevel=1)
    exec "$(firn_java)" "${options[@]}" -cp "$firn_root/tools/cli/target/classes:$(<"$path")" "$class" "$@"
}

# The major version of the JDK that runs the programs, such as 25.
firn_java_major() {
    local version
    version=$(firn_jdk_version "$(firn_jdk_of "$(firn_java)")")
    printf '%s\n' "${version%%.*}"
}

# firn_chronicle CLASS ARGUMENTS...: runs a program of the module tools/chronicle-import, or of its tests, in the
# caller's working directory, with the options that Chronicle Queue needs.
firn_chronicle() {
    local class=$1 module=$firn_root/tools/chronicle-import path options
    shift
    path=$module/target/classpath
    if firn_stale "$path" queue-core tier-file tier-pmem migrator netty-server shadow forward tools/cli tools/chronicle-import || ! firn_complete "$path"; then
        firn_build "the import" test-compile -pl tools/chronicle-import -am
    fi
    # In the pom, so that the tests have the same.
    read -r -a options < <(sed -n 's|.*<chronicle.options>\(.*\)</chronicle.options>.*|\1|p' "$module/pom.xml")
    if (($(firn_java_major) >= 24)); then
        options+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
    fi
    exec "$(firn_java)" "${options[@]}" -cp "$module/target/test-classes:$module/target/classes:$(<"$path")" "$class" "$@"
}

# firn_native: installs the libraries for persistent memory from Debian if they are missing and the
# user is root, and says so first; not with FIRN_NO_INSTALL=1. Without them the tests of two providers
# are skipped, with a message.
firn_native() {
    local packages=(libpmem1 libpmemobj1 libpmempool1)
    PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | grep -q 'libpmempool\.so\.1' && return
    if [[ ${FIRN_NO_INSTALL:-} == 1 ]]; then
        firn_say "FIRN_NO_INSTALL=1: nothing is installed."
    elif ((EUID == 0)) && command -v apt-get >/dev/null; then
        firn_say "First runs 'apt-get update' and 'apt-get install ${packages[*]}' (FIRN_NO_INSTALL=1 skips that) ..."
        (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
            --no-install-recommends "${packages[@]}") >/dev/null 2>&1 && return
    fi
    firn_say "${packages[*]} are not installed: the tests of the providers LLPL and LIBPMEM are skipped."
}

# firn_crashlab CLASS ARGUMENTS...: runs a program of the crash laboratory.
firn_crashlab() {
    local class=$1 path=$firn_root/testing/crashlab/target/test-classpath
    shift
    if firn_stale "$path" queue-core testing/support tier-file tier-pmem migrator netty-server shadow forward testing/log-tests testing/crashlab || ! firn_complete "$path"; then
        firn_build "the crash laboratory" test-compile -pl testing/crashlab,migrator,netty-server,shadow,forward,testing/log-tests -am
    fi
    exec "$(firn_java)" -Xmx1g -Dfirn.root="$firn_root" \
        -cp "$firn_root/testing/crashlab/target/classes:$(<"$path")" "$class" "$@"
}

# firn_server_command: sets firn_command to the command that starts the server. Compiles if sources
# are newer, and starts from jars with a class-data archive, which halves the start time.
firn_server_command() {
    local target=$firn_root/netty-server/target management=$firn_root/integrations/management/target
    local java version major path fast classes
    path=$management/classpath # written after that of the server
    if firn_stale "$path" queue-core tier-file tier-pmem migrator netty-server integrations/micrometer integrations/management ||
        ! firn_complete "$path" || ! firn_complete "$target/classpath"; then
        firn_build "the server" compile -pl integrations/management -am
    fi
    java=$(firn_java)
    version=$(firn_jdk_version "$(firn_jdk_of "$java")")
    major=${version%%.*}
    fast=$target/fast-start-$version
    # Netty records where every 128th buffer was allocated, which costs 1 % of the processor time.
    # shellcheck disable=SC2206 # several options
    firn_command=("$java" -Dio.netty.leakDetection.level=disabled -XX:+ExitOnOutOfMemoryError ${FIRN_JVM_OPTIONS:--Xmx256m -XX:+UseSerialGC})
    if ((${major:-0} >= 24)); then
        firn_command+=(--enable-native-access=ALL-UNNAMED) # Netty's epoll
    fi
    # Each library once: both are made of the same ones.
    classes=$(tr : '\n' <<<"$target/classes:$(<"$target/classpath"):$management/classes:$(<"$path")" | awk '!seen[$0]++' | paste -sd:)
    if [[ ! -e $fast/classpath || $path -nt $fast/classpath ]]; then
        firn_archive_server "$fast" "$classes"
    fi
    if [[ -s $fast/classpath ]]; then
        classes=$(<"$fast/classpath")
        firn_command+=(-XX:SharedArchiveFile="$fast/classes.jsa" -Xlog:cds=off)
    fi
    firn_command+=(-cp "$classes" io.firn.server.ServerMain)
}

# firn_archive_server DIRECTORY CLASSPATH: packs directories into jars and creates the class-data archive
# by a first start. If that fails, writes an empty class path: the server then starts without an archive.
firn_archive_server() {
    local fast=$1 jar entry entries path='' i work server
    command -v flock >/dev/null || return 0
    (
        flock 9 # two may start at once, for the first time
        jar=$(firn_jdk_of "$(firn_java)")/bin/jar
        rm -rf "$fast"
        mkdir -p "$fast"
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        IFS=: read -r -a entries <<<"$2"
        for i in "${!entries[@]}"; do
            entry=${entries[i]}
            if [[ -d $entry ]]; then
                "$jar" --create --file "$fast/$i.jar" -C "$entry" . || exit 0
                entry=$fast/$i.jar
            fi
            path+=${path:+:}$entry
        done
        : >"$work/log" # it is read before the server may have begun
        "${firn_command[@]}" -XX:ArchiveClassesAtExit="$fast/classes.jsa" -Xlog:disable -cp "$path" \
            io.firn.server.ServerMain --override listeners=PLAINTEXT://127.0.0.1:0 \
            --override log.dir="$work/data" >"$work/log" 2>&1 9>&- &
        server=$!
        for ((i = 0; i < 600; i++)); do
            ! grep -q ^Serving "$work/log" && kill -0 "$server" 2>/dev/null || break
            sleep 0.1
        done
        kill "$server" 2>/dev/null || true
        wait "$server" || true
        if [[ -s $fast/classes.jsa ]]; then
            printf '%s\n' "$path" >"$fast/classpath"
        else
            : >"$fast/classpath"
        fi
    ) 9>"$fast.lock"
}

# firn_start_server DIRECTORY ARGUMENTS...: starts a server on a free port, with its data and log in the
# directory; sets firn_bootstrap. The caller calls firn_stop_server before it exits.
firn_start_server() {
    local directory=$1 i
    shift
    : >"$directory/server.log" # it is read before the server may have begun
    "$firn_root/bin/lib/firn/server" --override listeners=PLAINTEXT://127.0.0.1:0 \
        --override "log.dir=$directory/data" "$@" 2>"$directory/server.log" &
    firn_server=$!
    for ((i = 0; i < 6000; i++)); do
        firn_bootstrap=$(sed -n 's/^Serving .* on \([^ ]*\) after.*/\1/p' "$directory/server.log")
        [[ -z $firn_bootstrap ]] || return 0
        kill -0 "$firn_server" 2>/dev/null || break
        sleep 0.1
    done
    cat "$directory/server.log" >&2
    firn_die "The server did not start."
}

# firn_make_keys DIRECTORY: a key for a server on this machine (server.p12), and its certificate for
# clients (trusted.p12, trusted.pem); the password is changeit.
firn_make_keys() {
    local keytool
    keytool=("$(dirname "$(firn_java)")/keytool" -storepass changeit -storetype PKCS12)
    "${keytool[@]}" -genkeypair -alias server -keyalg EC -groupname secp256r1 -dname CN=localhost \
        -ext san=ip:127.0.0.1,dns:localhost -validity 3 -keystore "$1/server.p12"
    "${keytool[@]}" -exportcert -rfc -alias server -keystore "$1/server.p12" -file "$1/trusted.pem"
    "${keytool[@]}" -importcert -noprompt -alias server -file "$1/trusted.pem" \
        -keystore "$1/trusted.p12"
}

# firn_add_user DIRECTORY NAME PASSWORD: for a server that firn_start_server will start there.
firn_add_user() {
    "$firn_root/bin/lib/firn/server" --override "log.dir=$1/data" --add-user "$2" <<<"$3"
}

# firn_start_secure_server DIRECTORY KEYS USER ARGUMENTS...: as firn_start_server, over TLS with
# SCRAM-SHA-512; the user may do everything.
firn_start_secure_server() {
    local directory=$1 keys=$2 user=$3
    shift 3
    firn_start_server "$directory" --override listeners=SASL_SSL://127.0.0.1:0 \
        --override sasl.enabled.mechanisms=SCRAM-SHA-512 --override "super.users=User:$user" \
        --override "ssl.keystore.location=$keys/server.p12" \
        --override ssl.keystore.password=changeit --override ssl.keystore.type=PKCS12 "$@"
}

# Stops the server that firn_start_server started, if any.
firn_stop_server() {
    [[ -n ${firn_server:-} ]] || return 0
    kill "$firn_server" 2>/dev/null || true
    wait "$firn_server" 2>/dev/null || true
    firn_server=''
}

# firn_slowforce: sets firn_preload to the library that makes forces slower when it is preloaded; compiles
# it if its source is newer. How slow: FIRN_SLOW_FORCE_US, see benchmarks/src/main/c/slowforce.c.
firn_slowforce() {
    local source=$firn_root/benchmarks/src/main/c/slowforce.c compiler
    firn_preload=$firn_root/benchmarks/target/slowforce.so
    [[ ! $firn_preload -nt $source ]] || return 0
    compiler=$(command -v gcc || command -v cc) ||
        firn_die "No gcc found: slower forces need a C compiler (on Debian: the package gcc and libc6-dev)."
    mkdir -p "$firn_root/benchmarks/target"
    "$compiler" -O2 -Wall -Wextra -shared -fPIC -pthread -o "$firn_preload" "$source" -ldl ||
        firn_die "Could not compile $source: see above."
}
