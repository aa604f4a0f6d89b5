"""What every client of the compatibility table does, and how it says so.

A driver is called with BOOTSTRAP and NAME (its topic and its group), prints a line for each of
"version ...", "produce", "group", "commit" and "resume" once that is shown, and ends with 0. The
drivers that are not written in Python do the same steps with the same numbers.

Called with BOOTSTRAP, NAME and a third word it does one of these instead; see rebalance.py and
many.py:

member   joins the group, prints the value of each record that it gets, commits twice a second, and
         goes on until it is ended
list     prints the name of each topic that there is
pattern  as member, of every topic that PATTERN matches, also of those that are created meanwhile
transactions  copies its topic, in transactions with the group's offsets of which every third is
         aborted, and prints "transactions" when a reader of committed records sees each one once
copier   with a fourth word, its own name: copies its topic as one of a group, by transactions of which
         some are aborted, without end; see copiers.py

The environment says how the server is reached when FIRN_CLIENT_CA is set, a PEM file with its
certificate. With FIRN_CLIENT_USER: by SASL_SSL, with FIRN_CLIENT_PASSWORD and FIRN_CLIENT_MECHANISM.
With FIRN_CLIENT_CERTIFICATE and FIRN_CLIENT_KEY, PEM files: by SSL, with the client's certificate.
"""

import os
import ssl
import sys

COUNT = 1000
PARTITIONS = 3
WAIT_S = 60
PATTERN = "^snow-.*"
REFRESH_MS = 2000  # how often a consumer by pattern looks for new topics


USER = os.environ.get("FIRN_CLIENT_USER")
PASSWORD = os.environ.get("FIRN_CLIENT_PASSWORD")
MECHANISM = os.environ.get("FIRN_CLIENT_MECHANISM")
TRUSTED = os.environ.get("FIRN_CLIENT_CA")
CERTIFICATE = os.environ.get("FIRN_CLIENT_CERTIFICATE")
KEY = os.environ.get("FIRN_CLIENT_KEY")


def librdkafka(bootstrap):
    """Where the server is, and how to sign in over TLS."""
    if not TRUSTED:
        return {"bootstrap.servers": bootstrap}
    if CERTIFICATE:
        return {
            "bootstrap.servers": bootstrap,
            "security.protocol": "SSL",
            "ssl.certificate.location": CERTIFICATE,
            "ssl.key.location": KEY,
            "ssl.ca.location": TRUSTED,
        }
    return {
        "bootstrap.servers": bootstrap,
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": MECHANISM,
        "sasl.username": USER,
        "sasl.password": PASSWORD,
        "ssl.ca.location": TRUSTED,
    }


def kafka_python(bootstrap):
    if not TRUSTED:
        return {"bootstrap_servers": bootstrap}
    if CERTIFICATE:
        return {
            "bootstrap_servers": bootstrap,
            "security_protocol": "SSL",
            "ssl_cafile": TRUSTED,
            "ssl_certfile": CERTIFICATE,
            "ssl_keyfile": KEY,
        }
    return {
        "bootstrap_servers": bootstrap,
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": MECHANISM,
        "sasl_plain_username": USER,
        "sasl_plain_password": PASSWORD,
        "ssl_cafile": TRUSTED,
    }


def aiokafka(bootstrap):
    settings = kafka_python(bootstrap)
    if TRUSTED:
        context = ssl.create_default_context(cafile=settings.pop("ssl_cafile"))
        if CERTIFICATE:
            context.load_cert_chain(settings.pop("ssl_certfile"), settings.pop("ssl_keyfile"))
        settings["ssl_context"] = context
    return settings


def values(start):
    return [f"value-{i}".encode() for i in range(start, start + COUNT)]


def same(what, expected, found):
    if sorted(expected) != sorted(found):
        missing = set(expected) - set(found)
        strange = set(found) - set(expected)
        raise AssertionError(
            f"{what}: expected {len(expected)} records, found {len(found)}"
            f" ({len(set(found))} different), {len(missing)} missing, {len(strange)} not expected"
        )


def in_order(found):
    """Of (partition, offset, value): what a consumer got of each partition ascends by one."""
    last = {}
    for partition, offset, _ in found:
        if partition in last and offset != last[partition] + 1:
            raise AssertionError(
                f"partition {partition}: offset {offset} came after {last[partition]}"
            )
        last[partition] = offset


def shown(step, *words):
    print(step, *words, flush=True)


def run(version, produce, consume):
    """produce(start); consume() gives (partition, offset, value) and the committed offsets' sum."""
    shown("version", version)
    produce(0)
    shown("produce")
    found, committed = consume()
    same("with a group", values(0), [value for _, _, value in found])
    in_order(found)
    shown("group")
    if committed != COUNT:
        raise AssertionError(f"committed offsets: expected a sum of {COUNT}, found {committed}")
    shown("commit")
    produce(COUNT)
    found, committed = consume()
    same("after the commit", values(COUNT), [value for _, _, value in found])
    if committed != 2 * COUNT:
        raise AssertionError(f"committed offsets: expected a sum of {2 * COUNT}, found {committed}")
    shown("resume")


def copied(read):
    """read(isolation) gives all values of the copy."""
    all_values = values(0) + values(COUNT)
    same("committed", all_values, read("read_committed"))
    with_aborted = read("read_uncommitted")
    if len(with_aborted) <= len(all_values):
        raise AssertionError(f"{len(with_aborted)} records with those that were aborted")
    shown("transactions")


def main(driver, **others):
    try:
        (others[sys.argv[3]] if sys.argv[3:] else driver)(
            sys.argv[1], sys.argv[2], *sys.argv[4:]
        )
    except Exception as e:
        print(f"{type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(1)
