#!/usr/bin/env bash
# The steps of scenario.py, with kcat: kcat_client.sh BOOTSTRAP NAME [member|list|pattern]. The topic is
# made by being asked for.
set -euo pipefail

count=1000
bootstrap=$1
name=$2
security=()
if [[ -n ${FIRN_CLIENT_USER:-} ]]; then
    security=(-X security.protocol=SASL_SSL -X "sasl.mechanism=$FIRN_CLIENT_MECHANISM"
        -X "sasl.username=$FIRN_CLIENT_USER" -X "sasl.password=$FIRN_CLIENT_PASSWORD"
        -X "ssl.ca.location=$FIRN_CLIENT_CA")
elif [[ -n ${FIRN_CLIENT_CERTIFICATE:-} ]]; then
    security=(-X security.protocol=SSL -X "ssl.certificate.location=$FIRN_CLIENT_CERTIFICATE"
        -X "ssl.key.location=$FIRN_CLIENT_KEY" -X "ssl.ca.location=$FIRN_CLIENT_CA")
fi
case ${3:-} in
    list)
        kcat "${security[@]}" -b "$bootstrap" -L | sed -n 's/^  topic "\(.*\)" with .*/\1/p'
        exit
        ;;
    member | pattern)
        topics=$name
        [[ $3 == member ]] || topics='^snow-.*'
        exec kcat "${security[@]}" -b "$bootstrap" -G "$name" -q -u -X auto.offset.reset=earliest \
            -X session.timeout.ms=6000 -X heartbeat.interval.ms=1000 \
            -X auto.commit.interval.ms=500 -X topic.metadata.refresh.interval.ms=2000 "$topics"
        ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

values() {
    seq -f 'value-%g' "$1" $(($1 + count - 1))
}

produce() {
    values "$1" | kcat "${security[@]}" -b "$bootstrap" -P -t "$name" -z snappy -X acks=all
}

# As a member of the group, to the end of every partition; kcat commits as it leaves.
member() {
    timeout 60 kcat "${security[@]}" -b "$bootstrap" -G "$name" -e -q -X auto.offset.reset=earliest \
        -X check.crcs=true "$name" 2>"$work/errors" || { cat "$work/errors" >&2; return 1; }
}

# consume START: gets what was produced from there on, and nothing else.
consume() {
    member >"$work/found"
    values "$1" | sort >"$work/expected"
    sort "$work/found" | cmp - "$work/expected" >&2 ||
        { echo "found $(wc -l <"$work/found") records, from $(head -1 "$work/found")" >&2; return 1; }
}

echo "version $(kcat -V | sed -n 's/^Version \([^ ]*\).*librdkafka \([0-9.]*\).*/\1 (librdkafka \2)/p')"
produce 0
[[ $(kcat "${security[@]}" -b "$bootstrap" -C -t "$name" -o beginning -e -q | wc -l) == "$count" ]]
echo produce
consume 0
echo group
# kcat cannot show what is committed. A member that comes next gets nothing: it was.
member >"$work/again"
[[ ! -s $work/again ]] || { echo "$(wc -l <"$work/again") records came again" >&2; exit 1; }
echo commit
produce "$count"
consume "$count"
echo resume
