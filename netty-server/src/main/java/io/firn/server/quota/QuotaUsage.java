package io.firn.server.quota;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.annotation.concurrent.GuardedBy;

/**
 * How much clients have used of their quotas. Without a quota, nothing is remembered. Thread-safe.
 *
 * <p>At most {@link #MOST} rates of users and client ids are remembered, and as many of addresses,
 * each by a name of limited length. One that was not used for as long as its window, or until its
 * bucket is full, is forgotten without a loss, when another is used; beyond that, the one that was
 * used the least recently.
 */
public final class QuotaUsage implements TimeQuota {
    static final int MOST = 10_000;

    private static final int MOST_NAME_CHARS = 249;
    private static final int TIDIED_AT_ONCE = 4;
    private static final double PERCENT_PER_NS = 100 / 1e9;

    /** A connection that is not read counts among all that are open. */
    private static final long MOST_DELAY_MS = 30_000;

    private final ClientQuotas quotas;
    private final QuotaWindows windows;
    private final LongSupplier clock;

    /** In the order of their last use. */
    @GuardedBy("this")
    private final Map<Key, Used> ofClients = new LinkedHashMap<>(16, 0.75f, true);

    /** The same; anybody may connect from many addresses, and must not displace the others. */
    @GuardedBy("this")
    private final Map<Key, Used> ofAddresses = new LinkedHashMap<>(16, 0.75f, true);

    private record Key(QuotaType kind, QuotaEntity sharedBy) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int order = kind.compareTo(other.kind);
            return order == 0 ? sharedBy.compareTo(other.sharedBy) : order;
        }
    }

    /** One of the two. */
    private static final class Used {
        private RateWindow rate;
        private TokenBucket bucket;

        /** From then on it makes no difference whether it is remembered. */
        private long forgottenAtMs;
    }

    /** Creates rates of clients that have used nothing. */
    public QuotaUsage(ClientQuotas quotas, QuotaWindows windows) {
        this(quotas, windows, () -> System.nanoTime() / 1_000_000);
    }

    /**
     * Creates rates.
     *
     * @param clock the present time in ms, which does not go back
     */
    public QuotaUsage(ClientQuotas quotas, QuotaWindows windows, LongSupplier clock) {
        this.quotas = quotas;
        this.windows = windows;
        this.clock = clock;
    }

    /** Returns the quotas. */
    public ClientQuotas quotas() {
        return quotas;
    }

    /** Returns whether anybody has a quota of this kind. Costs one volatile read. */
    public boolean isLimited(QuotaType kind) {
        return quotas.snapshot().has(kind);
    }

    /**
     * Records what a client has used.
     *
     * @param principal the client, with its type, such as {@code User:alice}
     * @param amount how much; 0 only asks
     * @return for how many ms the client has to be muted; 0 if it is within its quota
     */
    public long record(QuotaType kind, String principal, String clientId, double amount) {
        QuotaSnapshot now = quotas.snapshot();
        QuotaSnapshot.Found found =
                now.has(kind) ? now.find(kind, nameOf(principal), clientId) : null;
        if (found == null) {
            return 0;
        }
        synchronized (this) {
            long nowMs = clock.getAsLong();
            RateWindow rate = rate(kind, found, nowMs);
            rate.add(nowMs, amount);
            return rate.throttleMs(nowMs, found.perSecond());
        }
    }

    @Override
    public boolean isTimeLimited() {
        return isLimited(QuotaType.REQUEST_PERCENTAGE);
    }

    /** As the interface says; one sample at most, as in Kafka: a client goes on slowly. */
    @Override
    public long recordTime(String principal, String clientId, long ns) {
        double percentOfSecond = ns * PERCENT_PER_NS;
        long ms = record(QuotaType.REQUEST_PERCENTAGE, principal, clientId, percentOfSecond);
        return Math.min(ms, windows.sampleMs());
    }

    /**
     * Records partitions that a client creates or deletes.
     *
     * @param principal the client, with its type, such as {@code User:alice}
     * @param strict whether nothing is recorded if the quota is exceeded already: the change is
     *     then refused
     * @return for how many ms the client has to be muted; 0 if it is within its quota
     */
    public long recordMutation(String principal, String clientId, int partitions, boolean strict) {
        QuotaType kind = QuotaType.CONTROLLER_MUTATION_RATE;
        QuotaSnapshot now = quotas.snapshot();
        QuotaSnapshot.Found found =
                now.has(kind) ? now.find(kind, nameOf(principal), clientId) : null;
        if (found == null) {
            return 0;
        }
        double perSecond = found.perSecond();
        synchronized (this) {
            long nowMs = clock.getAsLong();
            Used used = use(new Key(kind, bounded(found.sharedBy())), nowMs);
            if (used.bucket == null) {
                used.bucket = new TokenBucket(windows.mutationMs(), nowMs, perSecond);
            }
            used.bucket.fill(nowMs, perSecond);
            long before = used.bucket.debtMs(perSecond);
            if (strict && before > 0) {
                return before;
            }
            used.bucket.take(partitions);
            used.forgottenAtMs = nowMs + used.bucket.untilFullMs(perSecond);
            return strict ? 0 : used.bucket.debtMs(perSecond);
        }
    }

    /**
     * Records a new connection.
     *
     * @param ip the address that it comes from
     * @return for how many ms nothing may be read from it; negative if that would be longer than
     *     the window, or than 30 s: the connection is refused, and does not count
     */
    public long recordConnection(String ip) {
        QuotaType kind = QuotaType.CONNECTION_CREATION_RATE;
        QuotaSnapshot now = quotas.snapshot();
        QuotaSnapshot.Found found = now.has(kind) ? now.findOfIp(kind, ip) : null;
        if (found == null) {
            return 0;
        }
        synchronized (this) {
            long nowMs = clock.getAsLong();
            RateWindow rate = rate(kind, found, nowMs);
            rate.add(nowMs, 1);
            long ms = rate.throttleMs(nowMs, found.perSecond());
            if (ms > Math.min(MOST_DELAY_MS, windows.windowMs())) {
                rate.add(nowMs, -1);
                return -1;
            }
            return ms;
        }
    }

    @GuardedBy("this")
    private RateWindow rate(QuotaType kind, QuotaSnapshot.Found found, long nowMs) {
        Used used = use(new Key(kind, bounded(found.sharedBy())), nowMs);
        if (used.rate == null) {
            used.rate = new RateWindow(windows, nowMs);
        }
        used.forgottenAtMs = nowMs + windows.windowMs();
        return used.rate;
    }

    /**
     * Returns how much a client may use at once without exceeding its quota, if it has used nothing
     * before; {@link Long#MAX_VALUE} without a quota.
     */
    public long most(QuotaType kind, String principal, String clientId) {
        QuotaSnapshot now = quotas.snapshot();
        QuotaSnapshot.Found found =
                now.has(kind) ? now.find(kind, nameOf(principal), clientId) : null;
        return found == null
                ? Long.MAX_VALUE
                : (long) (found.perSecond() * windows.fullMs() / 1_000);
    }

    @GuardedBy("this")
    private Used use(Key key, long nowMs) {
        Map<Key, Used> rates = key.kind.isForIp() ? ofAddresses : ofClients;
        Used used = rates.get(key);
        if (used == null) {
            forgetSome(rates, nowMs);
            used = new Used();
            rates.put(key, used);
        }
        return used;
    }

    /** More than is added each time, so that those that are idle become fewer. */
    private static void forgetSome(Map<Key, Used> rates, long nowMs) {
        var eldest = rates.values().iterator();
        for (int i = 0; i < TIDIED_AT_ONCE && eldest.hasNext(); i++) {
            boolean idle = nowMs - eldest.next().forgottenAtMs > 0;
            if (!idle && rates.size() < MOST) {
                return;
            }
            eldest.remove();
        }
    }

    /** Returns how many rates are remembered. */
    synchronized int count() {
        return ofClients.size() + ofAddresses.size();
    }

    private static String nameOf(String principal) {
        return principal.substring(principal.indexOf(':') + 1);
    }

    private static QuotaEntity bounded(QuotaEntity entity) {
        return new QuotaEntity(
                bounded(entity.user()), bounded(entity.clientId()), bounded(entity.ip()));
    }

    private static String bounded(String name) {
        return name == null || name.length() <= MOST_NAME_CHARS
                ? name
                : name.substring(0, MOST_NAME_CHARS);
    }
}
