package io.firn.examples.spring;

import static io.firn.api.Waiting.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application as a process that is killed. */
@Tag("slow")
class OrdersProcessTest {
    private static final int ROUNDS = 5;
    private static final int CLIENTS = 4;
    private static final int ACKNOWLEDGED_BEFORE_KILL = 150;

    private static final Pattern PLACE = Pattern.compile("\"partition\":(\\d+),\"offset\":(\\d+)");

    @TempDir Path directory;
    private final AtomicInteger next = new AtomicInteger();
    private int logs;

    /** By their places; amount 0 cannot be billed. */
    private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();

    private Application launch() throws IOException {
        Path log = directory.resolve("log-" + logs++);
        return Application.launch(directory.resolve("store"), log);
    }

    @Test
    void shouldLoseNoOrderAndRepeatOnlyTheLastOnesWhenItIsKilled() throws Exception {
        Map<String, Integer> before = new HashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            try (Application application = launch().awaitStart()) {
                if (round > 0) {
                    before = check(application, before);
                }
                List<Thread> clients = new ArrayList<>();
                int enough = acknowledged.size() + ACKNOWLEDGED_BEFORE_KILL;
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(new Thread(() -> orderUntilItEnds(application)));
                }
                clients.forEach(Thread::start);
                await("acknowledged orders", () -> acknowledged.size() >= enough);
                application.kill();
                for (Thread each : clients) {
                    Waiting.join(each);
                }
            }
        }
        try (Application application = launch().awaitStart()) {
            check(application, before);
            assertEquals(143, application.terminate());
        }
        try (Application application = launch().awaitStart()) {
            Map<String, Integer> bills = bills(application);
            awaitNoLag(application);
            assertEquals(bills, bills(application), "after a stop, nothing is read again");
        }
    }

    private void orderUntilItEnds(Application application) {
        try {
            while (true) {
                int number = next.getAndIncrement();
                int amount = number % 10 == 0 ? 0 : number;
                String answer = application.order("customer " + number % 7, amount);
                if (answer == null) {
                    return;
                }
                acknowledged.put(placesIn(answer).get(0), amount);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Checks that each acknowledged order was billed or refused.
     *
     * @param before the bills of the last check, by order, with their number
     * @return the bills
     */
    private Map<String, Integer> check(Application application, Map<String, Integer> before)
            throws Exception {
        awaitNoLag(application);
        Map<String, Integer> bills = bills(application);
        Set<String> refused = refused(application);
        acknowledged.forEach(
                (place, amount) -> {
                    boolean isThere =
                            amount > 0 ? bills.containsKey(place) : refused.contains(place);
                    assertTrue(isThere, () -> "order " + place + " of " + amount + " is lost");
                });
        int repeated = 0;
        for (Map.Entry<String, Integer> each : bills.entrySet()) {
            // Each kill may repeat what was billed since the last commit, and nothing older.
            assertTrue(each.getValue() <= 2, () -> each + " times");
            repeated += each.getValue() - 1;
        }
        for (Map.Entry<String, Integer> each : before.entrySet()) {
            assertEquals(each.getValue(), bills.get(each.getKey()), "an old bill was repeated");
        }
        System.out.printf(
                "%d acknowledged, %d billed, %d of them twice, %d refused%n",
                acknowledged.size(), bills.size(), repeated, refused.size());
        return bills;
    }

    private static void awaitNoLag(Application application) {
        await(
                "the end of the topic",
                () -> {
                    try {
                        String lag =
                                application.get(
                                        "/actuator/metrics/firn.cursor.lag?tag=cursor:billing");
                        return lag.contains("\"value\":0.0");
                    } catch (IOException | InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    private static Map<String, Integer> bills(Application application) throws Exception {
        Map<String, Integer> bills = new HashMap<>();
        placesIn(application.get("/bills")).forEach(each -> bills.merge(each, 1, Integer::sum));
        return bills;
    }

    private static Set<String> refused(Application application) throws Exception {
        List<String> partitions = values(application.get("/refused/firn-origin-partition"));
        List<String> offsets = values(application.get("/refused/firn-origin-offset"));
        Set<String> refused = new HashSet<>();
        for (int i = 0; i < offsets.size(); i++) {
            refused.add(partitions.get(i) + "@" + offsets.get(i));
        }
        return refused;
    }

    private static List<String> values(String json) {
        return List.of(json.replaceAll("[\\[\\]\" ]", "").split(","));
    }

    private static List<String> placesIn(String json) {
        List<String> places = new ArrayList<>();
        Matcher matcher = PLACE.matcher(json);
        while (matcher.find()) {
            places.add(matcher.group(1) + "@" + matcher.group(2));
        }
        return places;
    }

    @Test
    void shouldShowHealthAndLag() throws Exception {
        try (Application application = launch().awaitStart()) {
            application.order("alice", 5);
            awaitNoLag(application);
            String health = application.get("/actuator/health");
            assertTrue(health.contains("\"firn\":{") && !health.contains("DOWN"), health);
            assertTrue(health.contains("\"directory\":\"" + directory.resolve("store")), health);
        }
    }

    @Test
    void shouldSayWhatToDoWhenASecondApplicationUsesTheDirectory() throws Exception {
        try (Application first = launch().awaitStart();
                Application second = launch()) {
            assertNotEquals(0, second.awaitEnd());
            String log = second.log();
            assertTrue(log.contains("APPLICATION FAILED TO START"), log);
            assertTrue(log.contains("The store did not open"), log);
            assertTrue(log.contains("End the other process"), log);
            assertTrue(first.get("/actuator/health").contains("UP"));
        }
    }
}
