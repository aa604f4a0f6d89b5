"""A client at a topic of which compaction has removed most: fillers.py BOOTSTRAP TOPIC EXPECTED COMMAND...

The topic begins and ends with empty batches, as compaction leaves them, and has some in between. The
command, with BOOTSTRAP, TOPIC and "member" behind it, is to print each of the values that are left,
which the file EXPECTED has, once; and then those that are produced behind the last empty batches. What
it commits is then the end of each partition: its lag is 0. Prints "fillers" once that was seen, and
ends with 0.
"""

import sys

import confluent_kafka as ck

import scenario
from rebalance import WAIT_S, Member, until

PARTITIONS = 3


def main(bootstrap, topic, expected, command):
    with open(expected) as file:
        left = file.read().split()
    member = Member(command + [bootstrap, topic, "member"])
    try:
        until(f"{len(left)} records", lambda: len(member.values()) >= len(left))
        new = produce(bootstrap, topic)
        until("what was produced then", lambda: set(member.values()) >= set(new))
        until("a lag of 0", lambda: lag(bootstrap, topic) == 0)
        found = member.values()
    finally:
        member.kill()
    if sorted(found) != sorted(left + new):
        strange = [value[:10] for value in found if value not in left + new]
        raise AssertionError(
            f"{len(found)} records, {len(set(found))} of them different, expected were"
            f" {len(left)} and {len(new)} new ones; not expected: {strange[:5]}"
        )
    for partition in range(PARTITIONS):
        mine = [value for value in found if value.startswith(f"{partition}-")]
        if mine != [value for value in left + new if value.startswith(f"{partition}-")]:
            raise AssertionError(f"partition {partition} was not read in order")
    scenario.shown("fillers")


def produce(bootstrap, topic):
    values = [f"{partition}-new" for partition in range(PARTITIONS)]
    failures = []
    producer = ck.Producer({**scenario.librdkafka(bootstrap)})
    for partition, value in enumerate(values):
        producer.produce(
            topic,
            value,
            key=value,
            partition=partition,
            on_delivery=lambda e, _: e and failures.append(e),
        )
    if producer.flush(WAIT_S) or failures:
        raise AssertionError(f"not all was produced: {failures}")
    return values


def lag(bootstrap, topic):
    """Of the group with the name of the topic."""
    consumer = ck.Consumer({**scenario.librdkafka(bootstrap), "group.id": topic})
    try:
        asked = [ck.TopicPartition(topic, p) for p in range(PARTITIONS)]
        return sum(
            consumer.get_watermark_offsets(each, timeout=WAIT_S)[1] - max(0, each.offset)
            for each in consumer.committed(asked, WAIT_S)
        )
    finally:
        consumer.close()


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
    except AssertionError as e:
        print(e, file=sys.stderr)
        sys.exit(1)
