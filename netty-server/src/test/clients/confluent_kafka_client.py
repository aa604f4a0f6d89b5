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


scenario.main(client, member=member, list=list_topics, pattern=pattern)
