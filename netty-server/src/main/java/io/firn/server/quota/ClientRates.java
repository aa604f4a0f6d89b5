package io.firn.server.quota;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How much clients have used of their quotas. Without a quota, nothing is remembered. Thread-safe.
 *
 * <p>At most {@link #MOST} rates are remembered, each by a name of limited length. One that was not
 * used for as long as its window is forgotten without a loss, when another is used; beyond that,
 * the one that was used the least recently.
 */
public final class ClientRates {
    static final int MOST = 10_000;

    private static final int MOST_NAME_CHARS = 249;
    private static final int TIDIED_AT_ONCE = 4;
    private static final long WINDOW_MS = RateWindow.SAMPLES * RateWindow.SAMPLE_MS;

    private final ClientQuotas quotas;
    private final LongSupplier clock;

    /** In the order of their last use. */
    @GuardedBy("this")
    private final Map<Key, Used> rates = new LinkedHashMap<>(16, 0.75f, true);

    private record Key(QuotaKey kind, QuotaEntity sharedBy) {}

    private static final class Used {
        private final RateWindow rate;
        private long lastMs;

        Used(long nowMs) {
            rate = new RateWindow(nowMs);
        }
    }

    /** Creates rates of clients that have used nothing. */
    public ClientRates(ClientQuotas quotas) {
        this(quotas, () -> System.nanoTime() / 1_000_000);
    }

    /**
     * Creates rates.
     *
     * @param clock the present time in ms, which does not go back
     */
    ClientRates(ClientQuotas quotas, LongSupplier clock) {
        this.quotas = quotas;
        this.clock = clock;
    }

    /** Returns whether anybody has a quota of this kind. Costs one volatile read. */
    public boolean isLimited(QuotaKey kind) {
        return quotas.snapshot().has(kind);
    }

    /**
     * Records what a client has used.
     *
     * @param principal the client, with its type, such as {@code User:alice}
     * @param amount how much; 0 only asks
     * @return for how many ms the client has to be muted; 0 if it is within its quota
     */
    public long record(QuotaKey kind, String principal, String clientId, long amount) {
        QuotaSnapshot now = quotas.snapshot();
        QuotaSnapshot.Found found =
                now.has(kind) ? now.find(kind, nameOf(principal), clientId) : null;
        if (found == null) {
            return 0;
        }
        long nowMs = clock.getAsLong();
        synchronized (this) {
            Used used = use(new Key(kind, bounded(found.sharedBy())), nowMs);
            used.rate.add(nowMs, (double) amount);
            return used.rate.throttleMs(nowMs, found.perSecond());
        }
    }

    /**
     * Returns how much a client may use at once without exceeding its quota, if it has used nothing
     * before; {@link Long#MAX_VALUE} without a quota.
     */
    public long most(QuotaKey kind, String principal, String clientId) {
        QuotaSnapshot now = quotas.snapshot();
        QuotaSnapshot.Found found =
                now.has(kind) ? now.find(kind, nameOf(principal), clientId) : null;
        return found == null
                ? Long.MAX_VALUE
                : (long) (found.perSecond() * RateWindow.FULL_MS / 1_000);
    }

    @GuardedBy("this")
    private Used use(Key key, long nowMs) {
        Used used = rates.get(key);
        if (used == null) {
            forgetSome(nowMs);
            used = new Used(nowMs);
            rates.put(key, used);
        }
        used.lastMs = nowMs;
        return used;
    }

    /** More than is added each time, so that those that are idle become fewer. */
    @GuardedBy("this")
    private void forgetSome(long nowMs) {
        var eldest = rates.values().iterator();
        for (int i = 0; i < TIDIED_AT_ONCE && eldest.hasNext(); i++) {
            boolean idle = nowMs - eldest.next().lastMs > WINDOW_MS;
            if (!idle && rates.size() < MOST) {
                return;
            }
            eldest.remove();
        }
    }

    /** Returns how many rates are remembered. */
    synchronized int count() {
        return rates.size();
    }

    private static String nameOf(String principal) {
        return principal.substring(principal.indexOf(':') + 1);
    }

    private static QuotaEntity bounded(QuotaEntity entity) {
        return new QuotaEntity(bounded(entity.user()), bounded(entity.clientId()));
    }

    private static String bounded(String name) {
        return name == null || name.length() <= MOST_NAME_CHARS
                ? name
                : name.substring(0, MOST_NAME_CHARS);
    }
}
