package io.firn.server;

import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** A server, as far as these tests use one. */
record FirnServer(String bootstrapServers) {
    int port() {
        return Integer.parseInt(bootstrapServers.replaceAll(".*:", ""));
    }

    String clusterId() throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            return admin.describeCluster().clusterId().get();
        }
    }
}
