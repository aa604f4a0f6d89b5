import time

import kafka
from kafka.admin import KafkaAdminClient, NewTopic

import scenario


def client(bootstrap, name):
    admin = KafkaAdminClient(**scenario.kafka_python(bootstrap))
    admin.create_topics([NewTopic(name, scenario.PARTITIONS, 1)])
    admin.close()

    def produce(start):
        producer = kafka.KafkaProducer(**scenario.kafka_python(bootstrap), compression_type="gzip")
        sent = [producer.send(name, value, key=value) for value in scenario.values(start)]
        producer.flush(scenario.WAIT_S)
        for each in sent:
            each.get(scenario.WAIT_S)
        producer.close()

    def consume():
        consumer = kafka.KafkaConsumer(
            name,
            **scenario.kafka_python(bootstrap),
            group_id=name,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
        )
        found, end = [], time.monotonic() + scenario.WAIT_S
        while len(found) < scenario.COUNT and time.monotonic() < end:
            for records in consumer.poll(timeout_ms=200).values():
                found.extend((r.partition, r.offset, r.value) for r in records)
        consumer.commit()
        committed = sum(
            consumer.committed(kafka.TopicPartition(name, p)) or 0
            for p in range(scenario.PARTITIONS)
        )
        consumer.close()
        return found, committed

    scenario.run(kafka.__version__, produce, consume)


def list_topics(bootstrap, name):
    consumer = kafka.KafkaConsumer(**scenario.kafka_python(bootstrap))
    for topic in consumer.topics():
        print(topic)
    consumer.close()


def pattern(bootstrap, name):
    member(bootstrap, name, scenario.PATTERN)


def member(bootstrap, name, topics=None):
    consumer = kafka.KafkaConsumer(
        **scenario.kafka_python(bootstrap),
        group_id=name,
        auto_offset_reset="earliest",
        session_timeout_ms=6000,
        heartbeat_interval_ms=1000,
        auto_commit_interval_ms=500,
        metadata_max_age_ms=scenario.REFRESH_MS,
    )
    if topics:
        consumer.subscribe(pattern=topics)
    else:
        consumer.subscribe([name])
    for record in consumer:
        print(record.value.decode(), flush=True)


scenario.main(client, member=member, list=list_topics, pattern=pattern)
