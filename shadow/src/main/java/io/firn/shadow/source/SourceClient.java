package io.firn.shadow.source;

import io.firn.InvalidOptionException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;

/**
 * Connections to the brokers of the source. Each broker has up to {@link #MOST_ASKED} requests at a
 * time. For one thread, but for {@link #wakeup}.
 */
public final class SourceClient implements AutoCloseable {
    /** How many requests a broker can have that it has not answered. */
    public static final int MOST_ASKED = 2;

    /** A quick answer takes less than the time that it may take, divided by this. */
    private static final int QUICK = 4;

    private static final System.Logger LOG = System.getLogger("io.firn");

    private final SourceConfig config;
    private final SourceMetadata metadata;
    private final Metrics metrics = new Metrics();
    private final NetworkClient network;
    private final PartitionRequests requests;

    /** What was asked and is not answered; a broker answers in the order of its requests. */
    private final List<Asked> asked = new ArrayList<>();

    /** Brokers whose last answer came long before its time was out. */
    private final Set<Integer> quick = new HashSet<>();

    private final Time time = Time.SYSTEM;
    private boolean hasAddresses;
    private String error;
    private long metadataTimeMs;

    /**
     * Creates it; nothing is connected yet.
     *
     * @throws InvalidOptionException when the configuration of security is wrong
     */
    public SourceClient(SourceConfig config, TopicSelection selection) {
        this.config = config;
        ConsumerConfig consumer = config.consumer();
        LogContext context = new LogContext("[firn-shadow] ");
        this.metadata = new SourceMetadata(consumer, selection, context);
        this.requests = new PartitionRequests(config);
        try {
            this.network =
                    ClientUtils.createNetworkClient(
                            consumer,
                            config.bootstrapServers(),
                            metrics,
                            "firn-shadow",
                            context,
                            new ApiVersions(),
                            time,
                            MOST_ASKED + 1, // one for metadata
                            metadata,
                            null,
                            null);
        } catch (KafkaException e) {
            metrics.close();
            throw new InvalidOptionException(
                    "the source cannot be connected to with these properties: " + deepest(e));
        }
    }

    private static String deepest(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /**
     * Sends and receives, and calls what was answered. Returns after the time at the latest.
     *
     * @param longestMs 0 or more
     */
    public void poll(long longestMs) {
        long nowMs = time.milliseconds();
        if (!hasAddresses && !findAddresses()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(longestMs));
            return;
        }
        try {
            network.poll(longestMs, nowMs);
        } catch (RuntimeException e) {
            giveUp(e); // an answer that cannot be parsed, for example
        }
        try {
            metadata.maybeThrowAnyException();
        } catch (KafkaException e) {
            error = deepest(e);
        }
        long updated = metadata.lastSuccessfulUpdate();
        if (updated != metadataTimeMs) {
            metadataTimeMs = updated;
            error = null;
        } else if (error == null && !isConnected()) {
            error = "no broker of the source can be reached: " + config.bootstrapServers();
        }
    }

    /** Closes all connections: what was asked through them may never be answered. */
    private void giveUp(RuntimeException failure) {
        LOG.log(System.Logger.Level.WARNING, "the source is connected to again", failure);
        List<Asked> given = List.copyOf(asked);
        asked.clear();
        for (Asked each : given) {
            network.close(Integer.toString(each.node));
            fail(each.partitions, SourceError.TRANSIENT, deepest(failure));
        }
    }

    private static void fail(
            List<? extends FollowedPartition> partitions, SourceError failure, String message) {
        for (FollowedPartition each : partitions) {
            each.onFailed(failure, message);
        }
    }

    /** Names that cannot be resolved now may be later. */
    private boolean findAddresses() {
        try {
            metadata.bootstrap(config.addresses());
            metadata.requestUpdate(true);
            hasAddresses = true;
        } catch (ConfigException e) {
            error = e.getMessage();
        }
        return hasAddresses;
    }

    private boolean isConnected() {
        long nowMs = time.milliseconds();
        return metadataTimeMs != 0 && network.hasReadyNodes(nowMs);
    }

    /** Ends a {@link #poll} in progress, or the next one. Thread-safe. */
    public void wakeup() {
        network.wakeup();
    }

    /** Returns why the source cannot be asked; null if it can. */
    public String error() {
        return error;
    }

    /** Returns a number that changes with each change of {@link #topics} and {@link #clusterId}. */
    public int metadataVersion() {
        return metadata.updateVersion();
    }

    /** Returns whether the source has told its topics at all. */
    public boolean hasMetadata() {
        return metadata.lastSuccessfulUpdate() != 0;
    }

    /** Returns the cluster's id; an empty string if the source has none. */
    public String clusterId() {
        String id = metadata.fetch().clusterResource().clusterId();
        return id == null ? "" : id;
    }

    /** Returns the topics that are followed and that the source has, by name. */
    public Map<String, SourceTopic> topics() {
        return metadata.topics();
    }

    /** Asks for the metadata again, before long: a leader or a topic was not where it was said. */
    public void requestMetadata() {
        metadata.requestUpdate(false);
    }

    /**
     * Returns whether a broker can be sent a request now; begins to connect if there is no
     * connection.
     */
    public boolean isReady(int node) {
        Node target = metadata.fetch().nodeById(node);
        return target != null
                && askedOf(node) < MOST_ASKED
                && network.ready(target, time.milliseconds());
    }

    /**
     * Returns whether a broker's last answer came in a fraction of the time that it may take. From
     * a slow one, or through a slow connection, requests behind each other would run out of time,
     * among them those for metadata, and with them the connection.
     */
    public boolean isQuick(int node) {
        return quick.contains(node);
    }

    /** Returns how many requests a broker has that it has not answered. */
    public int askedOf(int node) {
        int count = 0;
        for (Asked each : asked) {
            count += each.node == node ? 1 : 0;
        }
        return count;
    }

    /** Returns how the last attempt to connect to a broker failed; null if it did not. */
    public String connectionError(int node) {
        Node target = metadata.fetch().nodeById(node);
        if (target == null) {
            return "broker " + node + " is not in the metadata of the source";
        }
        if (network.authenticationException(target) != null) {
            return network.authenticationException(target).getMessage();
        }
        return network.connectionFailed(target)
                ? "broker " + node + " cannot be reached at " + target.host() + ":" + target.port()
                : null;
    }

    /** Returns how many bytes an answer has at most, unless its first batch is larger. */
    public int mostBytes() {
        return config.fetchBytes();
    }

    /**
     * Fetches batches of partitions that a ready broker leads.
     *
     * @param mostBytes of the answer, unless its first batch is larger
     */
    public void fetch(int node, List<? extends FollowedPartition> partitions, int mostBytes) {
        send(node, partitions, requests.fetch(partitions, mostBytes), requests::fetched);
    }

    /** Asks a ready broker for the ends of {@link FollowedPartition#askedEpoch}. */
    public void epochEnds(int node, List<? extends FollowedPartition> partitions) {
        send(node, partitions, requests.epochEnds(partitions), requests::epochEnded);
    }

    /** Asks a ready broker for the first offsets, or for the high watermarks. */
    public void listOffsets(
            int node, List<? extends FollowedPartition> partitions, boolean isEarliest) {
        send(
                node,
                partitions,
                requests.offsets(partitions, isEarliest),
                (asked, body) -> requests.listed(asked, body, isEarliest));
    }

    /** A request. Not a record: two may be for the same partitions. */
    private static final class Asked {
        final int node;
        final List<? extends FollowedPartition> partitions;

        Asked(int node, List<? extends FollowedPartition> partitions) {
            this.node = node;
            this.partitions = List.copyOf(partitions);
        }
    }

    private interface Answer {
        void take(List<? extends FollowedPartition> asked, AbstractResponse body);
    }

    private void send(
            int node,
            List<? extends FollowedPartition> partitions,
            AbstractRequest.Builder<?> request,
            Answer answer) {
        long nowMs = time.milliseconds();
        Asked sent = new Asked(node, partitions);
        asked.add(sent);
        // The second request waits for the first answer, and then for its own.
        long timeoutMs =
                (long) askedOf(node)
                        * config.consumer().getInt(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG);
        network.send(
                network.newClientRequest(
                        Integer.toString(node),
                        request,
                        nowMs,
                        true,
                        (int) Math.min(Integer.MAX_VALUE, timeoutMs),
                        response -> {
                            noteLatency(node, response);
                            if (asked.remove(sent)) {
                                answer(sent.partitions, response, answer);
                            } // else it was given up
                        }),
                nowMs);
    }

    private void noteLatency(int node, ClientResponse response) {
        int timeoutMs = config.consumer().getInt(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG);
        if (response.hasResponse() && response.requestLatencyMs() < timeoutMs / QUICK) {
            quick.add(node);
        } else {
            quick.remove(node);
        }
    }

    private void answer(
            List<? extends FollowedPartition> sent, ClientResponse response, Answer answer) {
        if (response.hasResponse()) {
            answer.take(sent, response.responseBody());
            return;
        }
        SourceError failure = SourceError.DISCONNECTED;
        String message = "broker " + response.destination() + " closed the connection";
        if (response.versionMismatch() != null) {
            failure = SourceError.REFUSED;
            message = response.versionMismatch().getMessage();
        } else if (response.authenticationException() != null) {
            failure = SourceError.REFUSED;
            message = response.authenticationException().getMessage();
        } else if (response.wasTimedOut()) {
            message = "broker " + response.destination() + " did not answer in time";
        }
        fail(sent, failure, message);
        requestMetadata();
    }

    @Override
    public void close() {
        network.close();
        metadata.close();
        metrics.close();
    }
}
