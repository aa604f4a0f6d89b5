package io.firn.tx;

import io.firn.LimitExceededException;
import io.firn.host.ProducerIdentity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;

/** The producers of transactions that a store knows, by name and by id. Thread-safe. */
final class ProducerRegistry {
    private static final String NAMED = "n";
    private static final String UNNAMED = "u";

    private final int mostNames;
    private final Map<String, TxProducer> byName = new HashMap<>();
    private final Long2ObjectHashMap<TxProducer> byId = new Long2ObjectHashMap<>();

    /** All of them, each with the ids that it has had. */
    private final Map<TxProducer, LongArrayList> ids = new LinkedHashMap<>();

    /** Unnamed ones that this process has made, without a transaction. */
    private final Deque<TxProducer> idle = new ArrayDeque<>();

    /** Unnamed ones that this process has made. Those that recovery finds get no transaction. */
    private final Set<TxProducer> made = new HashSet<>();

    /** Creates none, with a limit for named ones. */
    ProducerRegistry(int mostNames) {
        this.mostNames = mostNames;
    }

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
        return new ArrayList<>(ids.keySet());
    }

    /** Returns the unnamed ones that this process has made. */
    synchronized List<TxProducer> made() {
        return new ArrayList<>(made);
    }

    /**
     * Returns the producer of a name, and makes it if there is none.
     *
     * @throws LimitExceededException when there are too many
     */
    synchronized TxProducer findOrAdd(String name, Function<String, TxProducer> make) {
        TxProducer known = byName.get(name);
        if (known == null && byName.size() >= mostNames) {
            throw new LimitExceededException(
                    LimitExceededException.Limit.PRODUCERS,
                    "the store has "
                            + mostNames
                            + " named producers, the most there may be: use names again instead of"
                            + " new ones, or wait until some have expired");
        }
        if (known == null) {
            known = make.apply(name);
            byName.put(name, known);
            ids.put(known, new LongArrayList());
        }
        return known;
    }

    /** Adds one that recovery found. */
    synchronized void add(TxProducer producer) {
        if (producer.isNamed()) {
            byName.put(producer.name(), producer);
        }
        onIdentity(producer);
    }

    /**
     * Called when a producer may have got another id. The one before stays known, but is fenced.
     */
    synchronized void onIdentity(TxProducer producer) {
        long id = producer.identity().id();
        if (byId.put(id, producer) != producer) {
            ids.computeIfAbsent(producer, key -> new LongArrayList()).addLong(id);
        }
    }

    /** Adds an unnamed one that recovery found. */
    synchronized TxProducer addUnnamed(long id, long nowMs) {
        TxProducer producer =
                new TxProducer(
                        UNNAMED + id,
                        null,
                        new ProducerIdentity(id, 0),
                        TxProducer.NO_TIMEOUT,
                        nowMs);
        add(producer);
        return producer;
    }

    /** Adds an unnamed one, and begins a transaction of it. */
    synchronized TxProducer beginUnnamed(long id, long nowMs, long nowNs) {
        TxProducer producer = addUnnamed(id, nowMs);
        made.add(producer);
        producer.begin(nowMs, nowNs);
        return producer;
    }

    /** Begins a transaction of an unnamed one that has none; returns null when there is none. */
    synchronized TxProducer beginUnnamed(long nowMs, long nowNs) {
        TxProducer producer = idle.pollFirst();
        if (producer != null) {
            producer.isKept(false);
            producer.begin(nowMs, nowNs);
        }
        return producer;
    }

    /**
     * Called when an unnamed one may have nothing left to do: it can have another transaction, or
     * is forgotten if recovery found it. May be called again, at any time: by who ends a
     * transaction, and by who appends its last marker.
     */
    synchronized void release(TxProducer unnamed) {
        if (!made.contains(unnamed)) {
            if (unnamed.isIdle()) {
                remove(unnamed);
            }
        } else if (!unnamed.isKept() && unnamed.isReusable()) {
            unnamed.isKept(true);
            idle.addFirst(unnamed);
        }
    }

    /** Forgets a producer that has expired. */
    synchronized void remove(TxProducer producer) {
        byName.remove(producer.name(), producer);
        LongArrayList had = ids.remove(producer);
        if (had != null) {
            had.forEachLong(id -> byId.remove(id, producer));
        }
    }

    /** Returns the number of producers. */
    synchronized int count() {
        return ids.size();
    }
}
