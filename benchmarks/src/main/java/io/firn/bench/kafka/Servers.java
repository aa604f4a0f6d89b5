package io.firn.bench.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import picocli.CommandLine.Option;

/** The options with which both servers are started, and their directory. */
final class Servers {
    private static final String KAFKA = "Kafka";

    /** Allows hundreds of members to connect at the same time; the default of both is 50. */
    private static final String BACKLOG = "socket.listen.backlog.size=1024";

    /** The servers in the order in which they take turns. */
    static final List<String> NAMES = List.of(KAFKA, "Firn");

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Work directory. Default: ${DEFAULT-VALUE}")
    private Path place = Path.of("target");

    @Option(
            names = "--jvm",
            split = " ",
            description = "JVM options of both servers. Default: ${DEFAULT-VALUE}")
    private List<String> jvm = List.of("-Xmx1g", "-XX:+UseG1GC");

    @Option(names = "--firn-classpath", required = true, hidden = true)
    private String firnClassPath;

    @SuppressWarnings("UnusedVariable") // bin/bench passes it to every benchmark beside Kafka
    @Option(
            names = "--firn-options",
            hidden = true,
            description = "JVM options of bin/firn server.")
    private String firnOptions = "";

    @Option(names = "--kafka-classpath", required = true, hidden = true)
    private String kafkaClassPath;

    private Path directory;
    private int started;

    /** Creates the directory for all servers of a run; {@link #delete} removes it. */
    void prepare() throws IOException {
        directory =
                Files.createTempDirectory(Files.createDirectories(place), "kafka-bench-")
                        .toAbsolutePath();
    }

    void delete() throws IOException {
        Trees.delete(directory);
    }

    /** Describes the conditions of a measurement in one line. */
    String conditions() throws IOException {
        return String.format(
                "%d cores, load before %s; %s %s; %s; both servers with %s",
                Runtime.getRuntime().availableProcessors(),
                Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0],
                System.getProperty("java.vm.name"),
                Runtime.version(),
                Files.getFileStore(directory).type(),
                String.join(" ", jvm));
    }

    /**
     * Starts a server on an empty directory.
     *
     * @param name one of {@link #NAMES}
     * @param settings keys that mean the same on both
     */
    Broker start(String name, String... settings) throws IOException, InterruptedException {
        Path own = Files.createDirectories(directory.resolve(name + started++));
        List<String> java = new ArrayList<>();
        java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        java.addAll(jvm);
        List<String> all = new ArrayList<>(List.of(BACKLOG));
        all.addAll(List.of(settings));
        Broker broker =
                name.equals(KAFKA)
                        ? Broker.kafka(java, kafkaClassPath, own, all)
                        : Broker.firn(java, firnClassPath, own, all);
        return broker.start();
    }

    /** Returns the space that a server's files and directories use, in MiB. */
    static double usedMb(Broker broker) throws IOException {
        return Trees.usedBytes(broker.data()) / 1048576.0;
    }

    /** Creates a topic with the server's defaults. */
    static void createTopic(Broker broker, String topic, int partitions)
            throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
        }
    }
}
