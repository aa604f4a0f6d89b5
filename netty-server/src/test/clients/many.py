"""A client among many topics: many.py BOOTSTRAP NAME ABILITY COMMAND...

Called with BOOTSTRAP alone it creates TOPICS topics with a record in each, so that whatever a client
does later it does beside them.

The command, with BOOTSTRAP, NAME and "list" behind it, is to print each topic once. With "pattern"
it is to get the record of each of those topics, and nothing else, and, when ABILITY is "yes", those
of a topic that is created meanwhile; "once" is for a client that looks for topics when it subscribes
and then no more, "no" for one that subscribes to names only. Prints "list" and "pattern" once that
was seen, and ends with 0.
"""

import re
import subprocess
import sys
import time

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient, NewTopic

import scenario
from rebalance import WAIT_S, Member, until

TOPICS = 200


def crowd():
    return [f"snow-{i:03}" for i in range(TOPICS)]


def create(bootstrap, names):
    admin = AdminClient({**scenario.librdkafka(bootstrap)})
    for made in admin.create_topics([NewTopic(name, 1, 1) for name in names]).values():
        made.result(WAIT_S)


def fill(bootstrap, names):
    """Into each topic its name, as a record."""
    failures = []
    producer = ck.Producer({**scenario.librdkafka(bootstrap), "enable.idempotence": True})
    for name in names:
        producer.produce(name, name, on_delivery=lambda e, _: e and failures.append(e))
    if producer.flush(WAIT_S) or failures:
        raise AssertionError(f"not all was produced: {failures[:3]}")


def listed(command):
    ran = subprocess.run(command + ["list"], capture_output=True, text=True, timeout=WAIT_S)
    if ran.returncode:
        raise AssertionError(f"list: {ran.stderr.strip()[-300:]}")
    return ran.stdout.split()


def main(bootstrap, name, ability, command):
    command = command + [bootstrap, name]
    names = listed(command)
    missing = set(crowd()) - set(names)
    if missing or len(names) != len(set(names)):
        raise AssertionError(f"list: {len(names)} names, {len(missing)} missing")
    scenario.shown("list")
    if ability == "no":
        return
    # With what earlier clients had created meanwhile.
    expected = {each for each in names if re.match(scenario.PATTERN, each)}
    member = Member(command + ["pattern"])
    try:
        until(f"{len(expected)} topics", lambda: set(member.values()) >= expected)
        if ability == "yes":
            new = f"snow-new-{name}-{time.time_ns()}"
            create(bootstrap, [new])
            fill(bootstrap, [new])
            expected.add(new)
            until("a topic that was created meanwhile", lambda: new in member.values())
        found = sorted(member.values())
        if found != sorted(expected):
            raise AssertionError(f"pattern: {len(found)} records, not {len(expected)}: {found[:5]}")
    finally:
        member.kill()
    scenario.shown("pattern")


if __name__ == "__main__":
    try:
        if len(sys.argv) == 2:
            create(sys.argv[1], crowd())
            fill(sys.argv[1], crowd())
        else:
            main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
    except AssertionError as e:
        print(e, file=sys.stderr)
        sys.exit(1)
