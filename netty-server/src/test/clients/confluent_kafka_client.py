import random
import time

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient, NewTopic

import scenario


def client(bootstrap, name):
    admin = AdminClient({**scenario.librdkafka(bootstrap)})
    for made in admin.create_topics([NewTopic(name, scenario.PARTITIONS, 1)]).values():
        made.result(scenario.WAIT_S)

    def produce(start):
        failures = []
        producer = ck.Producer(
            {**scenario.librdkafka(bootstrap), "enable.idempotence": True, "compression.type": "lz4"}
        )
        for value in scenario.values(start):
            producer.produce(
                name, value, key=value, on_delivery=lambda e, _: e and failures.append(e)
            )
        left = producer.flush(scenario.WAIT_S)
        if left or failures:
            raise AssertionError(f"{left} undelivered, failures: {failures[:3]}")

    def consume():
        consumer = ck.Consumer(
            {
                **scenario.librdkafka(bootstrap),
                "group.id": name,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "check.crcs": True,
            }
        )
        consumer.subscribe([name])
        found, end = [], time.monotonic() + scenario.WAIT_S
        while len(found) < scenario.COUNT and time.monotonic() < end:
            message = consumer.poll(0.2)
            if message is None:
                continue
            if message.error() is not None:
                raise AssertionError(str(message.error()))
            found.append((message.partition(), message.offset(), message.value()))
        consumer.commit(asynchronous=False)
        asked = [ck.TopicPartition(name, p) for p in range(scenario.PARTITIONS)]
        committed = sum(max(0, p.offset) for p in consumer.committed(asked, scenario.WAIT_S))
        consumer.close()
        return found, committed

    scenario.run(f"{ck.__version__} (librdkafka {ck.libversion()[0]})", produce, consume)


def list_topics(bootstrap, name):
    for topic in AdminClient({**scenario.librdkafka(bootstrap)}).list_topics(timeout=10).topics:
        print(topic)


def pattern(bootstrap, name):
    member(bootstrap, name, scenario.PATTERN)


def transactions(bootstrap, name):
    copy = f"{name}-copy"
    admin = AdminClient({**scenario.librdkafka(bootstrap)})
    for made in admin.create_topics([NewTopic(copy, scenario.PARTITIONS, 1)]).values():
        made.result(scenario.WAIT_S)
    producer = ck.Producer({**scenario.librdkafka(bootstrap), "transactional.id": copy})
    producer.init_transactions(scenario.WAIT_S)
    consumer = reader(bootstrap, copy, "read_committed")
    consumer.subscribe([name])
    copied, number, end = 0, 0, time.monotonic() + scenario.WAIT_S
    while copied < 2 * scenario.COUNT:
        if time.monotonic() > end:
            raise AssertionError(f"copied {copied} records in {scenario.WAIT_S} s")
        messages = [each for each in consumer.consume(300, 0.5) if each.error() is None]
        if not messages:
            continue
        producer.begin_transaction()
        for each in messages:
            producer.produce(copy, each.value(), key=each.key())
        places = consumer.position(consumer.assignment())
        producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata())
        number += 1
        if number % 3:
            producer.commit_transaction(scenario.WAIT_S)
            copied += len(messages)
        else:
            producer.flush(scenario.WAIT_S)  # so that there is something to abort
            producer.abort_transaction(scenario.WAIT_S)
            for each in consumer.committed(consumer.assignment(), scenario.WAIT_S):
                consumer.seek(ck.TopicPartition(name, each.partition, max(0, each.offset)))
    consumer.close()
    scenario.copied(lambda isolation: read_all(bootstrap, copy, isolation))


def copier(bootstrap, name, member):
    """Copies the topic as one of a group, by transactions of which some are aborted, without end."""
    copy = f"{name}-copy"
    producer = ck.Producer({**scenario.librdkafka(bootstrap), "transactional.id": f"{copy}-{member}"})
    producer.init_transactions(scenario.WAIT_S)
    consumer = ck.Consumer(
        {
            **scenario.librdkafka(bootstrap),
            "group.id": copy,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "session.timeout.ms": 6000,
            "heartbeat.interval.ms": 500,
        }
    )
    consumer.subscribe([name])
    while True:
        messages = [each for each in consumer.consume(random.randint(1, 100), 0.5) if not each.error()]
        if not messages:
            continue
        producer.begin_transaction()
        try:
            for each in messages:
                producer.produce(copy, each.value(), key=each.key(), partition=each.partition())
            places = consumer.position(consumer.assignment())
            producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata())
            if random.randint(1, 4) == 1:
                producer.flush(scenario.WAIT_S)
                undo(producer, consumer)
            else:
                commit(producer)
                print(len(messages), flush=True)
        except ck.KafkaException as e:
            if not e.args[0].txn_requires_abort():
                raise  # fenced, for example: begins anew as another process
            undo(producer, consumer)


def commit(producer):
    while True:
        try:
            producer.commit_transaction(scenario.WAIT_S)
            return
        except ck.KafkaException as e:
            if not e.args[0].retriable():
                raise


def undo(producer, consumer):
    producer.abort_transaction(scenario.WAIT_S)
    for each in consumer.committed(consumer.assignment(), scenario.WAIT_S):
        at = each.offset if each.offset >= 0 else ck.OFFSET_BEGINNING
        consumer.seek(ck.TopicPartition(each.topic, each.partition, at))


def reader(bootstrap, group, isolation):
    return ck.Consumer(
        {
            **scenario.librdkafka(bootstrap),
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": isolation,
        }
    )


def read_all(bootstrap, topic, isolation):
    consumer = reader(bootstrap, f"{topic}-{isolation}", isolation)
    consumer.assign([ck.TopicPartition(topic, p, 0) for p in range(scenario.PARTITIONS)])
    found, ends = [], 0
    while ends < scenario.PARTITIONS:
        message = consumer.poll(scenario.WAIT_S)
        if message is None:
            raise AssertionError(f"{isolation}: no end of a partition")
        if message.error() is None:
            found.append(message.value())
        elif message.error().code() == ck.KafkaError._PARTITION_EOF:
            ends += 1
        else:
            raise AssertionError(str(message.error()))
    consumer.close()
    return found


def member(bootstrap, name, topics=None):
    consumer = ck.Consumer(
        {
            **scenario.librdkafka(bootstrap),
            "group.id": name,
            "auto.offset.reset": "earliest",
            "partition.assignment.strategy": "cooperative-sticky",
            "session.timeout.ms": 6000,
            "heartbeat.interval.ms": 1000,
            "auto.commit.interval.ms": 500,
            "topic.metadata.refresh.interval.ms": scenario.REFRESH_MS,
        }
    )
    consumer.subscribe([topics or name])
    while True:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            print(message.value().decode(), flush=True)


scenario.main(
    client,
    member=member,
    list=list_topics,
    pattern=pattern,
    transactions=transactions,
    copier=copier,
)
