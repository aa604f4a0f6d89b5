package io.firn.tx;

import io.firn.ProducerIdentity;
import io.firn.TooManyProducersException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.agrona.collections.Long2ObjectHashMap;

/** The producers of transactions that a store knows, by name and by id. Thread-safe. */
final class TxProducers {
    static final int MOST_NAMES = 50_000;

    private static final String NAMED = "n";
    private static final String UNNAMED = "u";

    private final Map<String, TxProducer> byName = new HashMap<>();
    private final Long2ObjectHashMap<TxProducer> byId = new Long2ObjectHashMap<>();

    /** Unnamed ones without a transaction. */
    private final Deque<TxProducer> idle = new ArrayDeque<>();

    /** Returns the key of a named producer's entries in the journal. */
    static String keyOf(String name) {
        return NAMED + name;
    }

    /** Returns the name in a key; null when it is an unnamed producer's. */
    static String nameIn(String key) {
        return key.startsWith(NAMED) ? key.substring(NAMED.length()) : null;
    }

    synchronized TxProducer byName(String name) {
        return byName.get(name);
    }

    synchronized TxProducer byId(long id) {
        return byId.get(id);
    }

    synchronized List<TxProducer> all() {
        return new ArrayList<>(new LinkedHashSet<>(byId.values()));
    }

    /**
     * Returns the producer of a name, and makes it if there is none.
     *
     * @throws TooManyProducersException when there are too many
     */
    synchronized TxProducer findOrAdd(String name, Function<String, TxProducer> make) {
        TxProducer known = byName.get(name);
        if (known == null && byName.size() >= MOST_NAMES) {
            throw new TooManyProducersException(
                    "the store has "
                            + MOST_NAMES
                            + " named producers, the most there may be: use names again instead of"
                            + " new ones, or wait until some have expired");
        }
        return known == null ? byName.computeIfAbsent(name, make) : known;
    }

    /** Adds one that recovery found. */
    synchronized void add(TxProducer producer) {
        if (producer.isNamed()) {
            byName.put(producer.name(), producer);
        }
        byId.put(producer.identity().id(), producer);
    }

    /**
     * Called when a producer may have got another id. The one before stays known, but is fenced.
     */
    synchronized void onIdentity(TxProducer producer) {
        byId.put(producer.identity().id(), producer);
    }

    synchronized TxProducer addUnnamed(long id, long nowMs) {
        TxProducer producer =
                new TxProducer(
                        UNNAMED + id,
                        null,
                        new ProducerIdentity(id, 0),
                        TxProducer.NO_TIMEOUT,
                        nowMs);
        byId.put(id, producer);
        return producer;
    }

    /** Returns an unnamed producer without a transaction; null when there is none. */
    synchronized TxProducer takeUnnamed() {
        return idle.pollFirst();
    }

    synchronized void giveBack(TxProducer unnamed) {
        idle.addFirst(unnamed);
    }

    /** Forgets a producer that has expired. */
    synchronized void remove(TxProducer producer) {
        byName.remove(producer.name(), producer);
        byId.values().removeIf(each -> each == producer);
    }
}
