package io.firn.tools;

import static io.firn.tools.ServerConnection.get;

import io.firn.Finding;
import io.firn.LogReader;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.tools.Groups.Lag;
import io.firn.tools.Topics.Description;
import io.firn.tools.Topics.PartitionState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.common.Node;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the state of a store or a server. */
@Command(
        name = "stat",
        description = {
            "Shows tiers, partitions with their offsets and sizes, groups, and findings.",
            "",
            "A process may write the store meanwhile. The apparent size of a directory is that of its"
                    + " files, the real one what they occupy: segments are sparse while they are"
                    + " written. Exit code 1 if there is a warning or an error among the findings.",
            ""
        })
final class StatCommand implements Callable<Integer> {
    @Mixin private Place place;

    @Option(names = "--segments", description = "Also shows each segment, of a store")
    private boolean showsSegments;

    @Mixin private Output output;

    private final Table partitions =
            new Table("partitions")
                    .texts("topic")
                    .numbers("partition", "start", "durable", "next", "segments")
                    .bytes("bytes");
    private final Table groups =
            new Table("groups")
                    .texts("group", "topic")
                    .numbers("partition", "offset", "lagRecords", "lagTime");

    StatCommand() {}

    @Override
    public Integer call() throws IOException {
        return place.isServer() ? ofServer() : ofStore();
    }

    private int ofServer() throws IOException {
        Table directories =
                new Table("directories")
                        .numbers("broker")
                        .texts("directory")
                        .bytes("bytes", "free", "total");
        try (ServerConnection connection = ServerConnection.open(place.clientConfig())) {
            List<Integer> brokers =
                    get(connection.admin().describeCluster().nodes()).stream()
                            .map(Node::id)
                            .toList();
            get(connection.admin().describeLogDirs(brokers).allDescriptions())
                    .forEach(
                            (broker, ofBroker) ->
                                    ofBroker.forEach(
                                            (path, each) ->
                                                    directories.row(
                                                            broker,
                                                            path,
                                                            bytesIn(each),
                                                            known(each.usableBytes()),
                                                            known(each.totalBytes()))));
        }
        try (Topics topics = place.topics();
                Groups all = place.groups(false)) {
            topics.all().forEach(this::add);
            add(all);
        }
        output.print(directories, partitions, groups);
        return Exit.FINE;
    }

    private static long bytesIn(LogDirDescription directory) {
        return directory.replicaInfos().values().stream().mapToLong(each -> each.size()).sum();
    }

    private static Long known(OptionalLong value) {
        return value.isPresent() ? Long.valueOf(value.getAsLong()) : null;
    }

    private void add(Description topic) {
        for (PartitionState each : topic.partitions()) {
            partitions.row(
                    topic.name(),
                    each.number(),
                    each.start(),
                    each.durable(),
                    each.next(),
                    each.segments(),
                    each.bytes());
        }
    }

    private void add(Groups all) {
        for (String name : all.names()) {
            for (Lag each : all.lags(name)) {
                groups.row(
                        name,
                        each.place().topic(),
                        each.place().partition(),
                        each.offset(),
                        each.records(),
                        each.time());
            }
        }
    }

    private int ofStore() throws IOException {
        try (LogReader store = place.openReadOnly()) {
            StoreTopics.all(store).forEach(this::add);
            add(new StoreGroups(store));
            Table findings = new Table("findings").texts("severity", "kind", "finding");
            boolean isWrong = false;
            for (Finding each : store.findings()) {
                findings.row(each.severity(), each.kind(), each.text());
                isWrong |= each.severity() != Finding.Severity.NOTICE;
            }
            if (showsSegments) {
                output.print(
                        tiers(store), directories(), partitions, segments(store), groups, findings);
            } else {
                output.print(tiers(store), directories(), partitions, groups, findings);
            }
            return isWrong ? Exit.FOUND : Exit.FINE;
        }
    }

    private static Table tiers(LogReader store) {
        Table tiers =
                new Table("tiers")
                        .texts("tier", "place", "survives")
                        .bytes("used", "capacity")
                        .numbers("segments")
                        .texts("state");
        for (TierMetrics each : store.metrics().tiers()) {
            tiers.row(
                    each.label(),
                    each.name(),
                    each.survives(),
                    each.usedBytes(),
                    known(each.capacityBytes()),
                    each.segments(),
                    each.lastError().orElse(each.isInRotation() ? "in use" : "left out"));
        }
        return tiers;
    }

    private Table directories() {
        Table sizes = new Table("directories").texts("directory").bytes("apparent", "real");
        for (Path each : place.directories()) {
            sizes.row(each, DiskUse.apparent(each), DiskUse.real(each));
        }
        return sizes;
    }

    private static Table segments(LogReader store) {
        Table segments =
                new Table("segments")
                        .texts("topic")
                        .numbers("partition", "base", "end")
                        .bytes("bytes", "used")
                        .texts("tier", "sealed");
        for (PartitionPlace partition : store.snapshot().partitions()) {
            for (SegmentPlace each : partition.segments()) {
                segments.row(
                        partition.topic(),
                        partition.partition(),
                        each.baseOffset(),
                        each.endOffset(),
                        each.bytes(),
                        each.usedBytes(),
                        each.tier(),
                        each.sealTime().orElse(null));
            }
        }
        return segments;
    }
}
