package io.firn.server.log;

import io.firn.Transaction.State;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.NamedProducer;
import io.firn.server.wire.ClientShares;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.annotation.concurrent.GuardedBy;

/**
 * The memory of what clients have put into transactions that are open: partitions, offsets, and
 * metadata of offsets. Each client has its share of the limit. Thread-safe.
 */
public final class TransactionMemory {
    /** About what a partition of a transaction uses. */
    public static final int PARTITION_BYTES = 160;

    /** About what an offset in a transaction uses. */
    public static final int OFFSET_BYTES = 200;

    private static final String NOBODY = "";
    private static final long LOOK_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final TransactionCoordinator coordinator;
    private final ClientShares shares;

    @GuardedBy("this")
    private final Map<String, Held> byName = new HashMap<>();

    @GuardedBy("this")
    private long lastLookNs = System.nanoTime() - LOOK_INTERVAL_NS;

    /** What the open transaction of a name uses, and for whom it counts. */
    private static final class Held {
        private final String owner;
        private long bytes;

        Held(String owner) {
            this.owner = owner;
        }
    }

    /**
     * Creates a limit of so many bytes.
     *
     * @param coordinator says which transactions have ended
     */
    TransactionMemory(TransactionCoordinator coordinator, long mostBytes) {
        this.coordinator = coordinator;
        this.shares = new ClientShares(mostBytes);
        coordinator.producers().forEach(this::addFound);
    }

    /** What was open before the server was started counts for nobody, until it has ended. */
    private synchronized void addFound(NamedProducer producer) {
        if (producer.state() == State.ONGOING) {
            long bytes =
                    (long) PARTITION_BYTES * producer.partitions().size()
                            + 2 * coordinator.journalBytes(producer.name()); // as objects
            byName.computeIfAbsent(producer.name(), key -> new Held(NOBODY)).bytes += bytes;
            shares.add(NOBODY, bytes);
        }
    }

    /**
     * Counts what is about to be put into a transaction, until {@link #forget}. It counts for the
     * client that put in something first.
     *
     * @return false if the client has no room for it; nothing is counted
     */
    public synchronized boolean add(String name, String owner, long bytes) {
        Held known = byName.get(name);
        String of = known == null ? owner : known.owner;
        if (!shares.hasRoomFor(of, bytes)) {
            forgetEnded();
            if (!shares.hasRoomFor(of, bytes)) {
                return false;
            }
        }
        byName.computeIfAbsent(name, key -> new Held(owner)).bytes += bytes;
        shares.add(of, bytes);
        return true;
    }

    /** Takes back what was not put into a transaction after all. */
    public synchronized void giveBack(String name, long bytes) {
        Held held = byName.get(name);
        if (held == null) {
            return; // it has ended
        }
        long back = Math.min(bytes, held.bytes);
        held.bytes -= back;
        shares.add(held.owner, -back);
        if (held.bytes == 0) {
            byName.remove(name);
        }
    }

    /** Called when the transaction of a name has ended. */
    public synchronized void forget(String name) {
        Held held = byName.remove(name);
        if (held != null) {
            shares.add(held.owner, -held.bytes);
        }
    }

    /** Transactions end also without a request, when their time is out. */
    @GuardedBy("this")
    private void forgetEnded() {
        long now = System.nanoTime();
        if (now - lastLookNs < LOOK_INTERVAL_NS) {
            return; // whoever is refused may ask at once again
        }
        lastLookNs = now;
        Iterator<Map.Entry<String, Held>> all = byName.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<String, Held> each = all.next();
            NamedProducer producer = coordinator.find(each.getKey());
            if (producer == null || producer.state() != State.ONGOING) {
                shares.add(each.getValue().owner, -each.getValue().bytes);
                all.remove();
            }
        }
    }
}
