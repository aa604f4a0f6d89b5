"""Transactions of librdkafka where things go wrong: BOOTSTRAP NAME SERVER-PID.

Several at a time, empty ones, a second producer of the same name, one that is open for too long, a
commit that gets no answer in time because the server is stopped and is then asked again, and
offsets of a member that is one no longer. Ends with 0 when all is as it has to be.
"""

import os
import signal
import sys
import threading
import time

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient, NewTopic

import scenario

PARTITIONS = 4
TIMEOUT_MS = 2000


class Place:
    def __init__(self, bootstrap, name):
        self.bootstrap = bootstrap
        self.name = name
        self.admin = AdminClient({**scenario.librdkafka(bootstrap)})

    def create(self, suffix):
        topic = f"{self.name}-{suffix}"
        for made in self.admin.create_topics([NewTopic(topic, PARTITIONS, 1)]).values():
            made.result(scenario.WAIT_S)
        return topic

    def producer(self, transactional_id, timeout_ms=60_000):
        producer = ck.Producer(
            {
                **scenario.librdkafka(self.bootstrap),
                "transactional.id": f"{self.name}-{transactional_id}",
                "transaction.timeout.ms": timeout_ms,
                "socket.timeout.ms": min(10_000, timeout_ms),
            }
        )
        producer.init_transactions(scenario.WAIT_S)
        return producer

    def consumer(self, group, **more):
        return ck.Consumer(
            {
                **scenario.librdkafka(self.bootstrap),
                "group.id": f"{self.name}-{group}",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                **more,
            }
        )

    def committed(self, topic):
        """All that a reader of committed records sees, sorted."""
        consumer = self.consumer(
            "reader", **{"enable.partition.eof": True, "isolation.level": "read_committed"}
        )
        consumer.assign([ck.TopicPartition(topic, p, 0) for p in range(PARTITIONS)])
        found, ends = [], 0
        while ends < PARTITIONS:
            message = consumer.poll(scenario.WAIT_S)
            if message is None:
                raise AssertionError("no end of a partition: a transaction hangs")
            if message.error() is None:
                found.append(message.value().decode())
            elif message.error().code() == ck.KafkaError._PARTITION_EOF:
                ends += 1
            else:
                raise AssertionError(str(message.error()))
        consumer.close()
        return sorted(found)


def expect(found, wanted):
    if found != wanted:
        raise AssertionError(f"expected {wanted}, found {found}")


def refused(action, *codes):
    """The action fails with one of these errors; returns it."""
    try:
        action()
    except ck.KafkaException as e:
        if e.args[0].code() not in codes:
            raise AssertionError(f"expected one of {codes}, found {e}") from e
        return e.args[0]
    raise AssertionError(f"expected one of {codes}, but it went well")


def send(producer, topic, *values):
    for i, value in enumerate(values):
        producer.produce(topic, value, partition=i % PARTITIONS)
    left = producer.flush(scenario.WAIT_S)
    expect(left, 0)


def several_at_a_time(place):
    topic = place.create("several")
    wanted, failures = [], []

    def write(number):
        try:
            producer = place.producer(f"several-{number}")
            for i in range(20):
                values = [f"{number}-{i}-{j}" for j in range(5)]
                producer.begin_transaction()
                send(producer, topic, *values)
                if (number + i) % 3:
                    producer.commit_transaction(scenario.WAIT_S)
                    wanted.extend(values)
                else:
                    producer.abort_transaction(scenario.WAIT_S)
        except BaseException as e:
            failures.append(e)

    writers = [threading.Thread(target=write, args=(i,)) for i in range(4)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    expect(failures, [])
    expect(place.committed(topic), sorted(wanted))


def empty_ones(place):
    topic = place.create("empty")
    producer = place.producer("empty")
    for _ in range(3):
        producer.begin_transaction()
        producer.commit_transaction(scenario.WAIT_S)
        producer.begin_transaction()
        producer.abort_transaction(scenario.WAIT_S)
    producer.begin_transaction()
    send(producer, topic, "one")
    producer.commit_transaction(scenario.WAIT_S)
    expect(place.committed(topic), ["one"])


def fenced(place):
    topic = place.create("fenced")
    old = place.producer("fenced")
    old.begin_transaction()
    send(old, topic, "old")
    new = place.producer("fenced")
    new.begin_transaction()
    send(new, topic, "new")
    error = refused(lambda: old.commit_transaction(scenario.WAIT_S), ck.KafkaError._FENCED)
    expect(error.fatal(), True)
    new.commit_transaction(scenario.WAIT_S)
    expect(place.committed(topic), ["new"])


def open_for_too_long(place):
    topic = place.create("long")
    producer = place.producer("long", TIMEOUT_MS)
    producer.begin_transaction()
    send(producer, topic, "late")
    time.sleep(2 * TIMEOUT_MS / 1000)
    refused(
        lambda: producer.commit_transaction(scenario.WAIT_S),
        ck.KafkaError._FENCED,
        ck.KafkaError.INVALID_PRODUCER_EPOCH,
    )
    other = place.producer("long")
    other.begin_transaction()
    send(other, topic, "next")
    other.commit_transaction(scenario.WAIT_S)
    expect(place.committed(topic), ["next"])


def await_stop(process):
    """On a busy machine a signal takes a while."""
    stopped, end = False, time.monotonic() + scenario.WAIT_S
    while not stopped and time.monotonic() < end:
        states = [
            open(f"/proc/{process}/task/{each}/stat").read().rsplit(") ", 1)[1][0]
            for each in os.listdir(f"/proc/{process}/task")
        ]
        stopped = set(states) == {"T"}
    expect(stopped, True)


def asked_again(place, server):
    topic = place.create("again")
    producer = place.producer("again")
    for i, end in enumerate((producer.commit_transaction, producer.abort_transaction)):
        producer.begin_transaction()
        send(producer, topic, f"value {i}")
        os.kill(server, signal.SIGSTOP)
        try:
            await_stop(server)
            error = refused(lambda: end(1), ck.KafkaError._TIMED_OUT)
            expect(error.retriable(), True)
        finally:
            os.kill(server, signal.SIGCONT)
        end(scenario.WAIT_S)
    expect(place.committed(topic), ["value 0"])


def offsets(place):
    topic = place.create("offsets")
    producer = place.producer("offsets")
    consumer = place.consumer("members", **{"session.timeout.ms": 6000})
    consumer.subscribe([topic])
    producer.begin_transaction()
    send(producer, topic, *[f"value {i}" for i in range(PARTITIONS)])
    producer.commit_transaction(scenario.WAIT_S)
    read = 0
    while read < PARTITIONS:
        message = consumer.poll(scenario.WAIT_S)
        if message is None:
            raise AssertionError("the records do not come")
        read += message.error() is None
    places = consumer.position(consumer.assignment())
    member = consumer.consumer_group_metadata()
    producer.begin_transaction()
    producer.send_offsets_to_transaction(places, member)
    producer.abort_transaction(scenario.WAIT_S)
    before = {each.offset for each in consumer.committed(consumer.assignment(), scenario.WAIT_S)}
    expect(before, {ck.OFFSET_INVALID})
    producer.begin_transaction()
    producer.send_offsets_to_transaction(places, member)
    producer.commit_transaction(scenario.WAIT_S)
    after = [each.offset for each in consumer.committed(consumer.assignment(), scenario.WAIT_S)]
    expect(sorted(after), sorted(each.offset for each in places))
    consumer.close()  # the member leaves; what it says is of no use any more
    producer.begin_transaction()
    error = refused(
        lambda: producer.send_offsets_to_transaction(places, member, 5),
        ck.KafkaError.UNKNOWN_MEMBER_ID,
        ck.KafkaError.ILLEGAL_GENERATION,
        ck.KafkaError.FENCED_INSTANCE_ID,
    )
    expect(error.txn_requires_abort(), True)
    producer.abort_transaction(scenario.WAIT_S)


def main():
    place = Place(sys.argv[1], f"{sys.argv[2]}-tx")
    several_at_a_time(place)
    empty_ones(place)
    fenced(place)
    open_for_too_long(place)
    asked_again(place, int(sys.argv[3]))
    offsets(place)


main()
