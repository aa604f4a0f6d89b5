package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where a command works: on the directory of a store, or on a server. */
final class Place {
    @ArgGroup(multiplicity = "1")
    private Where where;

    @Mixin private StoreArguments storeArguments;

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description =
                    "With --server: properties of a Kafka client, such as those for TLS and SASL")
    private Path commandConfig;

    private boolean isProbed;

    private static final class Where {
        @Option(
                names = "--store",
                paramLabel = "DIR",
                description =
                        "The store's directory, or the log.dir of a server. What changes something"
                                + " needs a store that no process has open")
        private Path store;

        @Option(
                names = "--server",
                paramLabel = "HOST:PORT",
                description = "A server of Firn, or brokers of Kafka with commas between them")
        private String servers;
    }

    /** Returns whether it is a server. */
    boolean isServer() {
        return where.servers != null;
    }

    /** Opens the store to read it. */
    LogReader openReadOnly() {
        checkNoConfig();
        return storeArguments.openReadOnly(where.store);
    }

    /** Opens the store, which exists, to change it. */
    LogStore open() {
        checkNoConfig();
        return storeArguments.openExisting(where.store);
    }

    private void checkNoConfig() {
        if (commandConfig != null) {
            throw new InvalidOptionException("--command-config goes with --server only");
        }
    }

    /** Returns the configuration for Kafka's clients. */
    Properties clientConfig() throws IOException {
        Logs.quiet();
        Properties config = new Properties();
        // Unless the file says otherwise: who waits at a terminal gives up sooner than a program.
        config.setProperty("default.api.timeout.ms", "15000");
        config.setProperty("request.timeout.ms", "10000");
        if (commandConfig != null) {
            try (Reader in = Files.newBufferedReader(commandConfig)) {
                config.load(in);
            } catch (IOException e) {
                throw new InvalidOptionException(
                        "--command-config: a file of properties is expected, and cannot be read: "
                                + e);
            }
        }
        config.setProperty("bootstrap.servers", where.servers);
        if (!isProbed) {
            ServerProbe.check(where.servers, config);
            isProbed = true;
        }
        return config;
    }

    /** Opens a topic to read its records. */
    RecordSource records(String topic, PartitionChoice partitions) throws IOException {
        List<Integer> numbers = partitions.numbers();
        return isServer()
                ? ServerRecords.open(clientConfig(), topic, numbers)
                : StoreRecords.open(this, topic, numbers);
    }

    /** Opens a topic to append records. */
    RecordSink sink(String topic) throws IOException {
        return isServer() ? ServerSink.open(clientConfig(), topic) : StoreSink.open(this, topic);
    }

    /** Opens the groups; to move them, the store is opened for writing. */
    Groups groups(boolean toChange) throws IOException {
        return isServer()
                ? new ServerGroups(ServerConnection.open(clientConfig()))
                : new StoreGroups(toChange ? open() : openReadOnly());
    }

    /** Returns the directories of the store and its tiers. */
    List<Path> directories() {
        return storeArguments.directories(where.store);
    }

    /** Opens the topics of the store or the server. */
    Topics topics() throws IOException {
        return isServer()
                ? new ServerTopics(ServerConnection.open(clientConfig()))
                : new StoreTopics(this);
    }
}
