package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.server.config.ServerConfig;
import io.firn.server.log.ErrorMapper;
import io.firn.server.security.AuditLog;
import io.firn.server.security.ListenerSecurity;
import io.firn.server.security.ServerSecurity;
import io.firn.server.wire.ApiTable;
import io.firn.server.wire.ServerContext;
import io.firn.server.wire.ServerLimits;
import io.firn.server.wire.Transport;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The names of clients, as handlers see them. */
class PrincipalsTest {
    @TempDir Path directory;

    private static ServerContext server(List<String> seen) {
        ApiTable table = new ApiTable();
        table.serve(
                ApiKeys.API_VERSIONS,
                ApiVersionsRequestData.class,
                (exchange, request) -> {
                    seen.add(exchange.connection().principal());
                    seen.add(exchange.connection().owner());
                    seen.add(exchange.connection().listener());
                    exchange.reply(new ApiVersionsResponseData());
                });
        ServerLimits limits = new ServerLimits(1_000_000, 8, 100_000_000, 10, 10, 600_000, 30_000);
        return new ServerContext(table, limits, new ErrorMapper());
    }

    @Test
    void shouldTakeTheNameOfAClientFromItsCertificateByTheRules() throws Exception {
        TestKeys server = TestKeys.make(directory, "server");
        TestKeys client = TestKeys.make(directory, "Alice");
        Path trusted = TestKeys.trusting(directory, server);
        Map<String, String> settings = new HashMap<>(server.keystore());
        settings.put("listeners", "INSIDE://127.0.0.1:0");
        settings.put("listener.security.protocol.map", "INSIDE:SSL");
        settings.put("ssl.client.auth", "requested");
        settings.put("ssl.principal.mapping.rules", "RULE:^CN=(.*?),.*$/$1/L");
        settings.putAll(TestKeys.truststore(TestKeys.trusting(directory, client)));
        List<String> seen = new java.util.concurrent.CopyOnWriteArrayList<>();
        ExecutorService handshakes = Executors.newSingleThreadExecutor();
        try (Transport transport = new Transport(server(seen), 1, Thread::new, Thread::new)) {
            ServerSecurity security =
                    new ServerSecurity(
                            ServerConfig.of(settings),
                            new ListenerSecurity.Services(
                                    null, handshakes, null, new AuditLog(), null));
            int port =
                    transport
                            .listen(
                                    new InetSocketAddress("127.0.0.1", 0),
                                    10,
                                    security.listener("INSIDE"))
                            .getPort();
            for (TestKeys each : new TestKeys[] {client, null}) {
                try (Wire wire = new Wire(TestKeys.connect(port, trusted, each, "TLSv1.3"))) {
                    wire.ask(
                            ApiKeys.API_VERSIONS,
                            2,
                            new ApiVersionsRequestData(),
                            new ApiVersionsResponseData());
                }
            }
        } finally {
            handshakes.shutdown();
        }
        assertEquals(
                List.of(
                        "User:alice",
                        "User:alice",
                        "INSIDE",
                        "User:ANONYMOUS",
                        "127.0.0.1",
                        "INSIDE"),
                seen);
    }
}
