package io.firn.management;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Gate;
import io.firn.api.Waiting;
import io.firn.server.ManagementService;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthTest {
    private static final String LIVE = "/health/live";
    private static final String READY = "/health/ready";

    @TempDir Path directory;

    @Test
    void shouldBeLiveAndReadyAndShowItsTopicToNoClient() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, Map.of());
                Admin admin =
                        Admin.create(
                                Map.of("bootstrap.servers", managed.server.bootstrapServers()))) {
            String name = ManagementService.HEALTH_TOPIC;
            NewTopic wanted = new NewTopic(name, Optional.empty(), Optional.empty());
            assertThrows(
                    ExecutionException.class,
                    () -> admin.createTopics(List.of(wanted)).all().get());
            assertFalse(managed.store.hasTopic(name));
            assertEquals(200, managed.status(LIVE));
            assertEquals(200, managed.status(READY));
            assertTrue(managed.store.hasTopic(name));
            ListTopicsOptions all = new ListTopicsOptions().listInternal(true);
            assertFalse(admin.listTopics(all).names().get().contains(name));
            ExecutionException unknown =
                    assertThrows(
                            ExecutionException.class,
                            () -> admin.describeTopics(List.of(name)).allTopicNames().get());
            assertInstanceOf(UnknownTopicOrPartitionException.class, unknown.getCause());
        }
    }

    @Test
    void shouldNotBeReadyWhileAForceHangsAndSayFromWhichThread() throws Exception {
        Gate gate = new Gate();
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            assertEquals(200, managed.status(READY));
            managed.medium.beforeForce(gate);
            gate.shut();
            String answer = managed.page(READY);
            while (ManagedServer.statusOf(answer) == 200) { // an attempt of just before
                answer = managed.page(READY);
            }
            assertEquals(503, ManagedServer.statusOf(answer), answer);
            assertEquals(200, managed.status(LIVE)); // not yet: it may only be slow
            gate.open();
            Waiting.await("readiness", () -> isReady(managed));
        } finally {
            gate.open();
        }
    }

    private static boolean isReady(ManagedServer managed) {
        try {
            return managed.status(READY) == 200;
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldKeepAtMostAFewSegmentsOfItsTopic() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            Readiness readiness =
                    new Readiness(managed.store, Runnable::run, java.time.Duration.ofSeconds(1));
            for (int i = 0; i < 10_000; i++) {
                readiness.attemptNow();
            }
            Waiting.await(
                    "retention",
                    () ->
                            managed.store
                                            .openTopic(ManagementService.HEALTH_TOPIC)
                                            .partition(0)
                                            .metrics()
                                            .segments()
                                    <= 3);
        }
    }
}
