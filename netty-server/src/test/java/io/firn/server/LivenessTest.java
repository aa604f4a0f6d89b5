package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.LogStore;
import io.firn.file.FileTier;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LivenessTest {
    @TempDir Path directory;
    private final AtomicLong nowNs = new AtomicLong();
    private volatile long stillMs;
    private LogStore store;
    private Liveness liveness;

    @BeforeEach
    void start() {
        store = LogStore.at(directory).tier(FileTier.at(directory.resolve("tier"))).open();
        ServerMetricsMXBean metrics =
                (ServerMetricsMXBean)
                        Proxy.newProxyInstance(
                                getClass().getClassLoader(),
                                new Class<?>[] {ServerMetricsMXBean.class},
                                (proxy, method, arguments) -> Map.of("firn-net-1", stillMs));
        liveness = new Liveness(metrics, store, nowNs::get);
    }

    @AfterEach
    void end() {
        liveness.close();
        store.close();
    }

    private void seconds(int count) {
        for (int i = 0; i < count; i++) {
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
            liveness.look();
        }
    }

    @Test
    void shouldFallWhenAThreadHasNotMovedForTenSeconds() {
        seconds(20);
        stillMs = 10_000;
        assertEquals(List.of(), liveness.reasonsToEnd());
        stillMs = 10_001;
        assertEquals(List.of("firn-net-1 has stood still for 10001 ms"), liveness.reasonsToEnd());
        stillMs = 0;
        assertEquals(List.of(), liveness.reasonsToEnd());
    }

    @Test
    void shouldNotTakeAPauseOfTheProcessForOneOfAThread() {
        seconds(20);
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(60));
        stillMs = 60_000;
        assertEquals(List.of(), liveness.reasonsToEnd());
        liveness.look();
        assertEquals(List.of(), liveness.reasonsToEnd());
        seconds(10);
        assertEquals(List.of(), liveness.reasonsToEnd());
        seconds(1);
        assertEquals(List.of("firn-net-1 has stood still for 60000 ms"), liveness.reasonsToEnd());
    }
}
