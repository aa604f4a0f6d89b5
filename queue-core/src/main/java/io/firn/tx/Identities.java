package io.firn.tx;

import io.firn.ProducerFencedException;
import io.firn.host.ProducerIdentity;
import io.firn.host.UnknownProducerException;
import io.firn.log.BatchInfo;

/**
 * The present identity of a producer, and the one with which its last transaction was ended, for
 * who asks again. For the holder of the producer's monitor.
 */
final class Identities {
    private static final long NONE = -1;

    private final String name;
    private ProducerIdentity now;
    private ProducerIdentity ended;

    /** Creates those of a producer; the name is null for an unnamed one. */
    Identities(String name, ProducerIdentity now) {
        this.name = name;
        this.now = now;
    }

    /** Returns what undoes later changes. */
    Runnable memory() {
        ProducerIdentity nowBefore = now;
        ProducerIdentity endedBefore = ended;
        return () -> {
            now = nowBefore;
            ended = endedBefore;
        };
    }

    ProducerIdentity now() {
        return now;
    }

    /** Returns null when no transaction was ended. */
    ProducerIdentity ended() {
        return ended;
    }

    long endedId() {
        return ended == null ? NONE : ended.id();
    }

    int endedEpoch() {
        return ended == null ? (int) NONE : ended.epoch();
    }

    /** Takes over the identity with which the last transaction was ended, from an entry. */
    void load(JournalEntry entry) {
        boolean hasEnded = entry.endedId() != NONE;
        ended = hasEnded ? new ProducerIdentity(entry.endedId(), entry.endedEpoch()) : null;
    }

    /** Notes that a transaction is ended; its producer goes on with another identity. */
    void end(ProducerIdentity next) {
        ended = now;
        now = next;
    }

    /** Sets a new identity, and for whom it goes on, which may be null. */
    void reopen(ProducerIdentity next, ProducerIdentity continued) {
        now = next;
        ended = continued;
    }

    /** Throws when an identity is not the present one. */
    void check(ProducerIdentity other) {
        if (other.id() != now.id()) {
            throw new UnknownProducerException(
                    this + " has the id " + now.id() + ", not " + other.id());
        }
        checkEpoch(other.epoch());
    }

    /** Throws when an identity that it had is not the present one: what followed has fenced it. */
    void checkOwn(ProducerIdentity own) {
        checkId(own.id());
        checkEpoch(own.epoch());
    }

    /** Throws when a batch with an id that it had does not carry the present identity. */
    void checkOwn(BatchInfo batch) {
        checkId(batch.producerId());
        checkEpoch(batch.producerEpoch());
    }

    private void checkId(long id) {
        if (id != now.id()) {
            throw fenced("id " + id + " is not the present one, " + now.id());
        }
    }

    private void checkEpoch(int epoch) {
        if (epoch != now.epoch()) {
            throw fenced("epoch " + epoch + " is not the present one, " + now.epoch());
        }
    }

    private ProducerFencedException fenced(String found) {
        return new ProducerFencedException(
                this
                        + ": "
                        + found
                        + ": it was opened again, or its transaction timed out; open it again");
    }

    @Override
    public String toString() {
        return name == null ? "producer " + now.id() : "producer '" + name + "'";
    }
}
