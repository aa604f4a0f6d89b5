import asyncio
import time

import aiokafka
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

import scenario


def client(bootstrap, name):
    async def create():
        admin = AIOKafkaAdminClient(**scenario.aiokafka(bootstrap))
        await admin.start()
        await admin.create_topics([NewTopic(name, scenario.PARTITIONS, 1)])
        await admin.close()

    async def produce(start):
        producer = aiokafka.AIOKafkaProducer(
            **scenario.aiokafka(bootstrap), enable_idempotence=True, compression_type="gzip"
        )
        await producer.start()
        sent = [await producer.send(name, value, key=value) for value in scenario.values(start)]
        await asyncio.wait_for(asyncio.gather(*sent), scenario.WAIT_S)
        await producer.stop()

    async def consume():
        consumer = aiokafka.AIOKafkaConsumer(
            name,
            **scenario.aiokafka(bootstrap),
            group_id=name,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
        )
        await consumer.start()
        found, end = [], time.monotonic() + scenario.WAIT_S
        while len(found) < scenario.COUNT and time.monotonic() < end:
            for records in (await consumer.getmany(timeout_ms=200)).values():
                found.extend((r.partition, r.offset, r.value) for r in records)
        await consumer.commit()
        committed = 0
        for p in range(scenario.PARTITIONS):
            committed += await consumer.committed(aiokafka.TopicPartition(name, p)) or 0
        await consumer.stop()
        return found, committed

    asyncio.run(create())
    scenario.run(
        aiokafka.__version__,
        lambda start: asyncio.run(produce(start)),
        lambda: asyncio.run(consume()),
    )


def list_topics(bootstrap, name):
    async def run():
        consumer = aiokafka.AIOKafkaConsumer(**scenario.aiokafka(bootstrap))
        await consumer.start()
        for topic in await consumer.topics():
            print(topic)
        await consumer.stop()

    asyncio.run(run())


def pattern(bootstrap, name):
    member(bootstrap, name, scenario.PATTERN)


def member(bootstrap, name, topics=None):
    async def run():
        consumer = aiokafka.AIOKafkaConsumer(
            **scenario.aiokafka(bootstrap),
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
        await consumer.start()
        async for record in consumer:
            print(record.value.decode(), flush=True)

    asyncio.run(run())


scenario.main(client, member=member, list=list_topics, pattern=pattern)
