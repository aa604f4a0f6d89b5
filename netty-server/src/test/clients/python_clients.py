"""Each Python client produces, consumes with a group, commits, and resumes where it stopped.

Usage: python_clients.py BOOTSTRAP. Prints a line per client; exits with 1 when one failed.
"""

import asyncio
import sys
import time
import uuid

COUNT = 500
WAIT_S = 60


def values(start):
    return [f"value-{i}".encode() for i in range(start, start + COUNT)]


def check(client, what, expected, found):
    if sorted(found) != sorted(expected):
        raise AssertionError(
            f"{client}: {what}: expected {len(expected)} records, found {len(found)}"
        )


def confluent(bootstrap, topic, group):
    import confluent_kafka as ck

    def produce(start):
        producer = ck.Producer(
            {"bootstrap.servers": bootstrap, "enable.idempotence": True, "compression.type": "lz4"}
        )
        for value in values(start):
            producer.produce(topic, value)
        if producer.flush(WAIT_S):
            raise AssertionError("not all were delivered")

    def consume():
        consumer = ck.Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": group,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        consumer.subscribe([topic])
        found, end = [], time.monotonic() + WAIT_S
        while len(found) < COUNT and time.monotonic() < end:
            message = consumer.poll(0.2)
            if message is not None and message.error() is None:
                found.append(message.value())
        consumer.commit(asynchronous=False)
        consumer.close()
        return found

    for start in (0, COUNT):
        produce(start)
        check("confluent-kafka", f"from {start}", values(start), consume())
    return f"confluent-kafka {ck.version()[0] if isinstance(ck.version(), tuple) else ck.version()}, librdkafka {ck.libversion()[0]}"


def kafka_python(bootstrap, topic, group):
    import kafka

    def produce(start):
        producer = kafka.KafkaProducer(bootstrap_servers=bootstrap, compression_type="gzip")
        for value in values(start):
            producer.send(topic, value)
        producer.flush(WAIT_S)
        producer.close()

    def consume():
        consumer = kafka.KafkaConsumer(
            topic,
            bootstrap_servers=bootstrap,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
        )
        found, end = [], time.monotonic() + WAIT_S
        while len(found) < COUNT and time.monotonic() < end:
            for records in consumer.poll(timeout_ms=200).values():
                found.extend(record.value for record in records)
        consumer.commit()
        consumer.close()
        return found

    for start in (0, COUNT):
        produce(start)
        check("kafka-python", f"from {start}", values(start), consume())
    return f"kafka-python {kafka.__version__}"


def aiokafka(bootstrap, topic, group):
    import aiokafka as ak

    async def run():
        for start in (0, COUNT):
            producer = ak.AIOKafkaProducer(bootstrap_servers=bootstrap, enable_idempotence=True)
            await producer.start()
            for value in values(start):
                await producer.send(topic, value)
            await producer.stop()
            consumer = ak.AIOKafkaConsumer(
                topic,
                bootstrap_servers=bootstrap,
                group_id=group,
                auto_offset_reset="earliest",
                enable_auto_commit=False,
            )
            await consumer.start()
            found, end = [], time.monotonic() + WAIT_S
            while len(found) < COUNT and time.monotonic() < end:
                for records in (await consumer.getmany(timeout_ms=200)).values():
                    found.extend(record.value for record in records)
            await consumer.commit()
            await consumer.stop()
            check("aiokafka", f"from {start}", values(start), found)

    asyncio.run(run())
    return f"aiokafka {ak.__version__}"


def main():
    failed = False
    for client in (confluent, kafka_python, aiokafka):
        name = f"{client.__name__}-{uuid.uuid4().hex[:8]}"
        try:
            print(client(sys.argv[1], name, name) + ": produced, consumed with a group, committed, resumed")
        except Exception as e:  # the others are to be tried all the same
            failed = True
            print(f"{client.__name__}: FAILED: {type(e).__name__}: {e}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
