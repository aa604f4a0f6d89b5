package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.RecordId;
import io.firn.RetainUntilRead;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.forward.Forward;
import io.firn.server.FirnServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;

/**
 * A plant that appends its readings to a store of its own, and forwards them to a Kafka cluster,
 * which it cannot reach for a day. A server in this process plays the part of the cluster.
 */
public final class OfflinePlant {
    private static final int READINGS_OF_A_DAY = 24 * 60;

    private OfflinePlant() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) throws IOException, InterruptedException {
        try (LogStore center = open(dir.resolve("center"));
                LogStore store = open(dir.resolve("plant"))) {
            center.createTopic("plant7.readings", TopicOptions.defaults());
            FirnServer server = FirnServer.of(center).port(0).start();
            int port = server.port();

            Properties cluster = new Properties();
            cluster.setProperty("bootstrap.servers", server.bootstrapServers());
            cluster.setProperty("reconnect.backoff.max.ms", "200");
            TopicOptions options =
                    TopicOptions.defaults()
                            .withRetentionBytes(0) // what is forwarded may be deleted
                            .withRetainUntilRead(RetainUntilRead.by("~forward-plant7"));
            Topic topic = store.ensureTopic("readings", options);
            Forward.Builder builder = Forward.from(store).to(cluster).name("plant7");
            try (Forward forward = builder.topic("readings", "plant7.readings").start();
                    Appender readings = topic.partition(0).openAppender()) {
                long first = readings.append("first".getBytes(UTF_8)); // durable here
                RecordId id = new RecordId(0, first);
                if (forward.awaitForwarded("readings", id, Duration.ofMinutes(1))) {
                    out.println("The cluster has the first reading.");
                }
                server.close();
                for (int i = 0; i < READINGS_OF_A_DAY; i++) {
                    readings.append(("reading " + i).getBytes(UTF_8));
                }
                long behind = forward.snapshot().partitions().get(0).lagRecords();
                out.println("A day without the cluster; to be forwarded: " + behind);
                server = FirnServer.of(center).port(port).start();
                while (!forward.snapshot().isCaughtUp()) {
                    Thread.sleep(10);
                }
            }
            server.close();
            out.println("Forwarded: " + readings(center));
        }
    }

    private static int readings(LogStore center) {
        int[] count = new int[1];
        center.openTopic("plant7.readings").openTailer().forEach(record -> count[0]++, 10_000);
        return count[0];
    }

    private static LogStore open(Path dir) {
        return LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
    }
}
