"""Two members of a group copy a topic exactly once, while they and the server are killed.

copiers.py DIRECTORY NAME KILLS SERVER -- COMMAND...: SERVER is bin/firn server, COMMAND a driver (see
scenario.py). Of the kills, every third is one of the server. The driver's two copies of itself write
each record to the partition that it has read it from; so in the end each partition of the copy, read
with committed records only, has to be that of the source, record by record.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient, NewTopic

import scenario

RECORDS_A_SECOND = 1000


class Server:
    def __init__(self, program, directory):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.bootstrap = f"127.0.0.1:{self.port}"
        self.command = [program, "--override", f"listeners=PLAINTEXT://{self.bootstrap}"]
        self.command += ["--override", f"log.dir={directory}/copiers-data"]
        self.log = open(f"{directory}/copiers-server.log", "ab")
        self.start()

    def start(self):
        # In a group of its own: the program is a script that may start others.
        self.process = subprocess.Popen(
            self.command, stdout=self.log, stderr=self.log, start_new_session=True
        )
        end = time.monotonic() + scenario.WAIT_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise AssertionError("the server did not start")
                time.sleep(0.05)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Member:
    def __init__(self, command, number):
        self.command, self.number = [*command, f"member{number}"], number
        self.errors = []
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    def revive(self):
        if self.process.poll() is not None:
            self.errors += self.process.stderr.read().strip().splitlines()[-1:]
            self.start()

    def kill(self):
        self.process.kill()
        self.process.communicate()
        self.start()


def produce(bootstrap, topic, stopped, failures):
    """Sends records one after the other until it is told to stop."""
    producer = ck.Producer(
        {"bootstrap.servers": bootstrap, "enable.idempotence": True, "message.timeout.ms": 0}
    )

    def delivered(error, _):
        if error is not None:
            failures.append(str(error))

    number = 0
    while not stopped.is_set():
        for _ in range(RECORDS_A_SECOND // 10):
            producer.produce(topic, f"value-{number}", key=str(number), on_delivery=delivered)
            number += 1
        producer.poll(0)
        stopped.wait(0.1)
    producer.flush(scenario.WAIT_S)


def read(bootstrap, topic, partition, isolation):
    """All records of a partition."""
    consumer = ck.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "reader",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": isolation,
            "check.crcs": True,
        }
    )
    consumer.assign([ck.TopicPartition(topic, partition, ck.OFFSET_BEGINNING)])
    found = []
    while True:
        message = consumer.poll(scenario.WAIT_S)
        if message is None:
            raise AssertionError(f"{topic}-{partition}: no end after {len(found)} records")
        if message.error() is None:
            found.append((message.key(), message.value()))
        elif message.error().code() == ck.KafkaError._PARTITION_EOF:
            consumer.close()
            return found


def await_copy(server, topic, members):
    """Waits until the copy is as long as the source; returns both, by partition."""
    end = time.monotonic() + 2 * scenario.WAIT_S
    source = [read(server.bootstrap, topic, p, "read_committed") for p in range(scenario.PARTITIONS)]
    while True:
        copy = [
            read(server.bootstrap, f"{topic}-copy", p, "read_committed")
            for p in range(scenario.PARTITIONS)
        ]
        done = all(len(a) >= len(b) for a, b in zip(copy, source))
        if done or time.monotonic() > end:
            return source, copy
        for member in members:
            member.revive()
        time.sleep(1)


def main(directory, topic, kills, program, command):
    server = Server(program, directory)
    admin = AdminClient({"bootstrap.servers": server.bootstrap})
    made = [NewTopic(each, scenario.PARTITIONS, 1) for each in (topic, f"{topic}-copy")]
    for each in admin.create_topics(made).values():
        each.result(scenario.WAIT_S)
    stopped, failures = threading.Event(), []
    producing = threading.Thread(
        target=produce, args=(server.bootstrap, topic, stopped, failures), daemon=True
    )
    producing.start()
    members = [Member([*command, server.bootstrap, topic, "copier"], i) for i in range(2)]
    try:
        for kill in range(kills):
            time.sleep(random.uniform(0.5, 4))
            for member in members:
                member.revive()
            if kill % 3 == 2:
                server.kill()
                server.start()
            else:
                random.choice(members).kill()
        stopped.set()
        producing.join()
        source, copy = await_copy(server, topic, members)
        written = sum(
            len(read(server.bootstrap, f"{topic}-copy", p, "read_uncommitted"))
            for p in range(scenario.PARTITIONS)
        )
    finally:
        for member in members:
            member.process.kill()
            member.process.communicate()
        server.kill()
    errors = sorted({each for member in members for each in member.errors})
    for each in errors:
        print("  a member ended:", each, file=sys.stderr)
    if failures:
        raise AssertionError(f"{len(failures)} records not produced: {failures[0]}")
    for p, (was, now) in enumerate(zip(source, copy)):
        if was != now:
            first = next((i for i, (a, b) in enumerate(zip(was, now)) if a != b), min(len(was), len(now)))
            raise AssertionError(
                f"partition {p}: {len(was)} records, {len(now)} in the copy, {len(set(now))} different;"
                f" not the same from record {first} on"
            )
    total = sum(map(len, source))
    print(f"copiers {total} records, {written - total} aborted, {kills} kills", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[6:])
    except Exception as e:
        print(f"{type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(1)
