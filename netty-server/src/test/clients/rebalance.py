"""Members of a group come and die while records are produced: rebalance.py BOOTSTRAP NAME COMMAND...

The command, with BOOTSTRAP, NAME and "member" behind it, is one member. A second one joins the
first and shares its partitions; the first is killed and the second takes over; a third comes.
Every record is to reach one of them. Ends with 0 when all of that was seen.
"""

import subprocess
import sys
import tempfile
import threading
import time

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient, NewTopic

import scenario

PARTITIONS = 6
WAIT_S = 90


class Source(threading.Thread):
    """Some hundred records a second, until it is stopped."""

    def __init__(self, bootstrap, topic):
        super().__init__(daemon=True)
        self.producer = ck.Producer({**scenario.librdkafka(bootstrap), "enable.idempotence": True})
        self.topic = topic
        self.count = 0
        self.failures = []
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.wait(0.005):
            self.producer.produce(
                self.topic,
                f"value-{self.count}",
                key=str(self.count),
                on_delivery=lambda e, _: e and self.failures.append(e),
            )
            self.count += 1
            self.producer.poll(0)

    def stop(self):
        self.stopping.set()
        self.join()
        if self.producer.flush(WAIT_S) or self.failures:
            raise AssertionError(f"not all was produced: {self.failures[:3]}")


class Member:
    def __init__(self, command):
        self.out = tempfile.NamedTemporaryFile()
        self.process = subprocess.Popen(command, stdout=self.out, stderr=subprocess.DEVNULL)

    def values(self):
        with open(self.out.name) as file:  # of its own: the member's place in it is not to move
            return file.read().split("\n")[:-1]  # the last is not complete, or empty

    def kill(self):
        self.process.kill()
        self.process.wait()


def until(what, condition):
    end = time.monotonic() + WAIT_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {WAIT_S} s in vain for {what}")
        time.sleep(0.2)


def grows(what, member, by=100):
    before = len(member.values())
    until(what, lambda: len(member.values()) >= before + by)


def main(bootstrap, name, command):
    admin = AdminClient({**scenario.librdkafka(bootstrap)})
    for made in admin.create_topics([NewTopic(name, PARTITIONS, 1)]).values():
        made.result(WAIT_S)
    command = command + [bootstrap, name, "member"]
    source = Source(bootstrap, name)
    source.start()
    members = []
    try:
        members.append(Member(command))
        grows("the first member", members[0])
        members.append(Member(command))
        grows("the second member", members[1])
        grows("the first member, beside the second", members[0])
        members[0].kill()
        grows("the second member, alone", members[1])
        members.append(Member(command))
        grows("the third member", members[2])
        source.stop()
        wanted = {f"value-{i}" for i in range(source.count)}
        until(
            f"all of {source.count} records",
            lambda: wanted <= {value for member in members for value in member.values()},
        )
    finally:
        for member in members:
            member.kill()


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3:])
    except AssertionError as e:
        print(e, file=sys.stderr)
        sys.exit(1)
