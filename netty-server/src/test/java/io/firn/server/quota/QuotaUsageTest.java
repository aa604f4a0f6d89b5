package io.firn.server.quota;

import static io.firn.server.quota.QuotaType.CONNECTION_CREATION_RATE;
import static io.firn.server.quota.QuotaType.CONSUMER_BYTE_RATE;
import static io.firn.server.quota.QuotaType.CONTROLLER_MUTATION_RATE;
import static io.firn.server.quota.QuotaType.PRODUCER_BYTE_RATE;
import static io.firn.server.quota.QuotaType.REQUEST_PERCENTAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.SimulatedFileMedium;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which quota holds, and how long who exceeds it is muted, by a clock of the test. */
class QuotaUsageTest {
    private static final String ANY = QuotaEntity.DEFAULT;
    private static final Path DIRECTORY = Path.of("/server/security");

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private long nowMs = 77;
    private ClientQuotas quotas;
    private QuotaWindows windows = QuotaWindows.DEFAULT;

    private QuotaUsage rates(Map<QuotaEntity, Map<QuotaType, Double>> all) throws Exception {
        medium.createDirectories(DIRECTORY);
        quotas = ClientQuotas.open(medium, DIRECTORY);
        quotas.change(all);
        return new QuotaUsage(quotas, windows, () -> nowMs);
    }

    private QuotaUsage mutationsPerSecond(double partitions) throws Exception {
        return rates(
                Map.of(new QuotaEntity(ANY, null), Map.of(CONTROLLER_MUTATION_RATE, partitions)));
    }

    private QuotaUsage perSecond(double bytes) throws Exception {
        return rates(Map.of(new QuotaEntity(ANY, null), Map.of(PRODUCER_BYTE_RATE, bytes)));
    }

    private static long produce(QuotaUsage rates, String user, String clientId, long bytes) {
        return rates.record(PRODUCER_BYTE_RATE, "User:" + user, clientId, (double) bytes);
    }

    @Test
    void shouldAllowPercentOfTheTimeOfAThreadAndMuteForASecondAtMost() throws Exception {
        Map<QuotaType, Double> tenPercent = Map.of(REQUEST_PERCENTAGE, 10.0);
        QuotaUsage rates = rates(Map.of(new QuotaEntity("alice", null), tenPercent));
        assertEquals(0, rates.recordTime("User:bob", "app", 3_600_000_000_000L));
        // Ten seconds' worth at once: a second of a thread.
        assertEquals(0, rates.recordTime("User:alice", "app", 1_000_000_000));
        assertEquals(50, rates.recordTime("User:alice", "app", 5_000_000));
        assertEquals(1_000, rates.recordTime("User:alice", "app", 3_600_000_000_000L));
    }

    @Test
    void shouldLetTheMostSpecificQuotaHoldInKafkasOrder() throws Exception {
        List<QuotaEntity> order =
                List.of(
                        new QuotaEntity("alice", "app"),
                        new QuotaEntity("alice", ANY),
                        new QuotaEntity("alice", null),
                        new QuotaEntity(ANY, "app"),
                        new QuotaEntity(ANY, ANY),
                        new QuotaEntity(ANY, null),
                        new QuotaEntity(null, "app"),
                        new QuotaEntity(null, ANY));
        Map<QuotaEntity, Map<QuotaType, Double>> all = new HashMap<>();
        List<Double> found = new ArrayList<>();
        for (int i = order.size() - 1; i >= 0; i--) {
            all.put(order.get(i), Map.of(PRODUCER_BYTE_RATE, i + 1.0));
            found.add(new QuotaSnapshot(all).find(PRODUCER_BYTE_RATE, "alice", "app").perSecond());
        }
        assertEquals(List.of(8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0), found);
        assertEquals(null, new QuotaSnapshot(all).find(CONSUMER_BYTE_RATE, "alice", "app"));
    }

    @Test
    void shouldShareAQuotaAmongThoseWhoHaveTheUserOrTheClientIdOrBoth() throws Exception {
        QuotaType key = PRODUCER_BYTE_RATE;
        Map<QuotaType, Double> one = Map.of(key, 1.0);
        assertEquals(
                new QuotaEntity("alice", null),
                new QuotaSnapshot(Map.of(new QuotaEntity(ANY, null), one))
                        .find(key, "alice", "app")
                        .sharedBy());
        assertEquals(
                new QuotaEntity("alice", "app"),
                new QuotaSnapshot(Map.of(new QuotaEntity(ANY, ANY), one))
                        .find(key, "alice", "app")
                        .sharedBy());
        assertEquals(
                new QuotaEntity(null, "app"),
                new QuotaSnapshot(Map.of(new QuotaEntity(null, ANY), one))
                        .find(key, "alice", "app")
                        .sharedBy());
    }

    @Test
    void shouldMuteForTheTimeInWhichTheExcessWouldHaveBeenAllowed() throws Exception {
        QuotaUsage rates = perSecond(100);
        assertEquals(0, produce(rates, "alice", "app", 1_000)); // ten complete samples
        assertEquals(10, produce(rates, "alice", "app", 1));
        nowMs += 10; // the window is longer by these
        assertEquals(0, produce(rates, "alice", "app", 0));
        assertEquals(5_000, produce(rates, "alice", "app", 500));
        assertEquals(0, produce(rates, "bob", "app", 1));
    }

    @Test
    void shouldForgetWhatIsOlderThanTheWindowOneSampleAfterTheOther() throws Exception {
        QuotaUsage rates = perSecond(100);
        produce(rates, "alice", "app", 1_000);
        nowMs += 1_000;
        assertEquals(2_000, produce(rates, "alice", "app", 200));
        nowMs += 9_999;
        assertEquals(1_001, produce(rates, "alice", "app", 0)); // 1,200 in 10,999 ms
        nowMs += 1;
        assertEquals(0, produce(rates, "alice", "app", 800)); // 200 and 800 in 10,000 ms
        assertEquals(10, produce(rates, "alice", "app", 1));
        nowMs += 1_000_000;
        assertEquals(0, produce(rates, "alice", "app", 1_000));
    }

    @Test
    void shouldUseAChangedQuotaForWhatWasUsedBefore() throws Exception {
        QuotaUsage rates = perSecond(100);
        QuotaEntity everybody = new QuotaEntity(ANY, null);
        assertEquals(0, produce(rates, "alice", "app", 1_000));
        quotas.change(Map.of(everybody, Map.of(PRODUCER_BYTE_RATE, 50.0)));
        assertEquals(10_000, produce(rates, "alice", "app", 0));
        Map<QuotaType, Double> none = new HashMap<>();
        none.put(PRODUCER_BYTE_RATE, null);
        quotas.change(Map.of(everybody, none));
        assertFalse(rates.isLimited(PRODUCER_BYTE_RATE));
        assertEquals(0, produce(rates, "alice", "app", 1_000_000));
    }

    @Test
    void shouldRememberALimitedNumberOfRatesAndForgetThoseThatAreIdle() throws Exception {
        QuotaUsage rates =
                rates(Map.of(new QuotaEntity(null, ANY), Map.of(PRODUCER_BYTE_RATE, 100.0)));
        String longName = "c".repeat(32_000);
        for (int i = 0; i < 2 * QuotaUsage.MOST; i++) {
            produce(rates, "alice", "app-" + i, 1);
            assertTrue(rates.count() <= QuotaUsage.MOST);
        }
        assertEquals(QuotaUsage.MOST, rates.count());
        nowMs += 60_000;
        for (int i = 0; i < QuotaUsage.MOST; i++) {
            produce(rates, "alice", longName + i, 1); // one rate for all of them
        }
        for (int i = 0; i < QuotaUsage.MOST / 2; i++) {
            produce(rates, "alice", "late-" + i, 1);
        }
        assertEquals(QuotaUsage.MOST / 2 + 1, rates.count());
    }

    @Test
    void shouldRememberTheDebtsOfUsersHoweverManyAddressesConnect() throws Exception {
        QuotaUsage rates =
                rates(
                        Map.of(
                                new QuotaEntity(ANY, null),
                                Map.of(CONTROLLER_MUTATION_RATE, 1.0),
                                QuotaEntity.ofIp(ANY),
                                Map.of(CONNECTION_CREATION_RATE, 1.0)));
        rates.recordMutation("User:alice", "app", 100, false);
        for (int i = 0; i < 2 * QuotaUsage.MOST; i++) {
            rates.recordConnection("2001:db8:0:0:0:0:0:" + Integer.toHexString(i));
        }
        assertEquals(QuotaUsage.MOST + 1, rates.count());
        assertEquals(89_000, rates.recordMutation("User:alice", "app", 1, true));
        for (int i = 0; i < 2 * QuotaUsage.MOST; i++) {
            rates.recordMutation("User:" + i, "app", 1, false);
        }
        assertEquals(2 * QuotaUsage.MOST, rates.count());
    }

    @Test
    void shouldCountForAsLongAsTheWindowIsConfigured() throws Exception {
        windows = new QuotaWindows(3, 2_000, 5, 2_000);
        QuotaUsage rates = perSecond(100);
        assertEquals(400, rates.most(PRODUCER_BYTE_RATE, "User:alice", "app"));
        assertEquals(0, produce(rates, "alice", "app", 400));
        assertEquals(10, produce(rates, "alice", "app", 1));
        nowMs += 5_990;
        assertEquals(10, produce(rates, "alice", "app", 199)); // 600 in 5,990 ms
        nowMs += 10;
        assertEquals(0, produce(rates, "alice", "app", 201));
        QuotaUsage changes = mutationsPerSecond(10);
        assertEquals(0, changes.recordMutation("User:bob", "app", 100, false));
        assertEquals(100, changes.recordMutation("User:bob", "app", 1, false));
    }

    /** As Kafka's token bucket: who has any left may go into debt. */
    @Test
    void shouldRefuseChangesInDebtAndCountNoneThatItRefuses() throws Exception {
        QuotaUsage rates = mutationsPerSecond(10);
        assertTrue(rates.isLimited(CONTROLLER_MUTATION_RATE));
        assertEquals(0, rates.recordMutation("User:alice", "app", 110, true)); // eleven seconds'
        assertEquals(0, rates.recordMutation("User:alice", "app", 20, true));
        assertEquals(2_000, rates.recordMutation("User:alice", "app", 1, true));
        assertEquals(2_000, rates.recordMutation("User:alice", "other", 1_000, true));
        assertEquals(0, rates.recordMutation("User:bob", "app", 1, true));
        nowMs += 1_900;
        assertEquals(100, rates.recordMutation("User:alice", "app", 1, true));
        nowMs += 100;
        assertEquals(0, rates.recordMutation("User:alice", "app", 1, true));
        nowMs += 1_000_000; // no more than eleven seconds' are saved
        assertEquals(0, rates.recordMutation("User:alice", "app", 111, true));
        assertEquals(100, rates.recordMutation("User:alice", "app", 1, true));
    }

    @Test
    void shouldCountChangesOfOlderClientsAndMuteThemForTheirDebt() throws Exception {
        QuotaUsage rates = mutationsPerSecond(0.5);
        assertEquals(0, rates.recordMutation("User:alice", "app", 5, false));
        assertEquals(1_000, rates.recordMutation("User:alice", "app", 1, false)); // 5.5 at once
        assertEquals(3_000, rates.recordMutation("User:alice", "app", 1, false));
        assertEquals(3_000, rates.recordMutation("User:alice", "app", 1, true));
    }

    @Test
    void shouldRememberADebtForLongerThanTheWindow() throws Exception {
        QuotaUsage rates = mutationsPerSecond(1);
        rates.recordMutation("User:alice", "app", 1_011, false);
        nowMs += 900_000;
        rates.recordMutation("User:bob", "app", 1, false);
        assertEquals(2, rates.count());
        assertEquals(100_000, rates.recordMutation("User:alice", "app", 0, true));
        nowMs += 111_001;
        rates.recordMutation("User:carol", "app", 1, false);
        assertEquals(1, rates.count());
    }

    @Test
    void shouldDelayConnectionsOfAnAddressAndRefuseThoseThatWouldWaitForLongerThanTheWindow()
            throws Exception {
        QuotaUsage rates =
                rates(
                        Map.of(
                                QuotaEntity.ofIp(ANY), Map.of(CONNECTION_CREATION_RATE, 1.0),
                                QuotaEntity.ofIp("10.0.0.2"),
                                        Map.of(CONNECTION_CREATION_RATE, 5.0)));
        for (int i = 0; i < 10; i++) {
            assertEquals(0, rates.recordConnection("10.0.0.1"));
        }
        for (int i = 1; i <= 11; i++) {
            assertEquals(1_000L * i, rates.recordConnection("10.0.0.1"));
        }
        for (int i = 0; i < 1_000; i++) {
            assertEquals(-1, rates.recordConnection("10.0.0.1"));
        }
        for (int i = 0; i < 50; i++) {
            assertEquals(0, rates.recordConnection("10.0.0.2"));
        }
        assertEquals(200, rates.recordConnection("10.0.0.2"));
        nowMs += 11_000; // those that were refused have not counted
        assertEquals(0, rates.recordConnection("10.0.0.1"));
        assertEquals(0, produce(rates, "alice", "app", 1_000_000));
    }

    @Test
    void shouldDelayNoConnectionForLongerThanHalfAMinute() throws Exception {
        windows = new QuotaWindows(2, 3_600_000, 1, 1_000);
        QuotaUsage rates =
                rates(Map.of(QuotaEntity.ofIp(ANY), Map.of(CONNECTION_CREATION_RATE, 1.0)));
        long longest = 0;
        for (long ms = 0; ms >= 0; ms = rates.recordConnection("::1")) {
            longest = Math.max(longest, ms);
        }
        assertEquals(30_000, longest);
    }

    @Test
    void shouldKeepQuotasOverAReopenAndAChangeThatFails() throws Exception {
        Map<QuotaEntity, Map<QuotaType, Double>> all =
                Map.of(
                        new QuotaEntity("a b=c*-/ü", ANY),
                        Map.of(PRODUCER_BYTE_RATE, 1024.0),
                        new QuotaEntity(null, "*"),
                        Map.of(CONSUMER_BYTE_RATE, 1e9),
                        new QuotaEntity(ANY, "-"),
                        Map.of(CONTROLLER_MUTATION_RATE, 0.125),
                        QuotaEntity.ofIp("0:0:0:0:0:0:0:1"),
                        Map.of(CONNECTION_CREATION_RATE, 7.0),
                        QuotaEntity.ofIp(ANY),
                        Map.of(CONNECTION_CREATION_RATE, 9.0));
        rates(all);
        assertEquals(all, ClientQuotas.open(medium, DIRECTORY).all());
        Map<QuotaEntity, Map<QuotaType, Double>> many = new HashMap<>();
        for (int i = 0; i < ClientQuotas.MOST; i++) {
            many.put(new QuotaEntity("user" + i, null), Map.of(PRODUCER_BYTE_RATE, 1.0));
        }
        assertFalse(quotas.change(many));
        assertEquals(all, quotas.all());
        medium.onOperation(number -> assertEquals(all, quotas.all(), "used before it is durable"));
        assertTrue(
                quotas.change(Map.of(new QuotaEntity("x", null), Map.of(PRODUCER_BYTE_RATE, 1.0))));
        assertEquals(quotas.all(), ClientQuotas.open(medium, DIRECTORY).all());
    }
}
