package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.tools.Topics.Description;
import io.firn.tools.Topics.PartitionState;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists, shows and changes topics. */
@Command(
        name = "topics",
        description = "Lists, describes, creates, alters and deletes topics",
        synopsisSubcommandLabel = "COMMAND")
final class TopicsCommand {
    private static final String CONFIG =
            "A setting by Kafka's name, such as retention.ms or cleanup.policy; once for each";

    TopicsCommand() {}

    /** Lists the topics. */
    @Command(name = "list", description = "Lists the topics")
    int list(@Mixin Place place, @Mixin Output output) throws IOException {
        Table table =
                new Table("topics")
                        .texts("topic")
                        .numbers("partitions", "offsets")
                        .bytes("bytes")
                        .texts("config");
        try (Topics topics = place.topics()) {
            for (Description each : topics.all()) {
                table.row(
                        each.name(),
                        each.partitions().size(),
                        each.sum(PartitionState::offsets),
                        each.sum(PartitionState::bytes),
                        each.config());
            }
        }
        output.print(table);
        return Exit.FINE;
    }

    /** Describes a topic. */
    @Command(
            name = "describe",
            description =
                    "Shows a topic: its id, what differs from the default configuration, and its"
                            + " partitions")
    int describe(
            @Mixin Place place,
            @Mixin Output output,
            @Parameters(paramLabel = "TOPIC", description = StoreArguments.TOPIC) String name)
            throws IOException {
        Table topic = new Table("topic").texts("topic", "id", "config");
        Table partitions =
                new Table("partitions")
                        .numbers("partition", "start", "durable", "next", "segments")
                        .bytes("bytes");
        try (Topics topics = place.topics()) {
            Description found = topics.describe(name);
            topic.row(found.name(), found.id(), found.config());
            for (PartitionState each : found.partitions()) {
                partitions.row(
                        each.number(),
                        each.start(),
                        each.durable(),
                        each.next(),
                        each.segments(),
                        each.bytes());
            }
        }
        output.print(topic, partitions);
        return Exit.FINE;
    }

    /** Creates a topic. */
    @Command(name = "create", description = "Creates a topic")
    int create(
            @Mixin Place place,
            @Parameters(paramLabel = "TOPIC", description = StoreArguments.TOPIC) String name,
            @Option(
                            names = "--partitions",
                            paramLabel = "N",
                            defaultValue = "1",
                            description = "How many. Default: ${DEFAULT-VALUE}")
                    int partitions,
            @Option(names = "--config", paramLabel = "KEY=VALUE", description = CONFIG)
                    Map<String, String> config)
            throws IOException {
        try (Topics topics = place.topics()) {
            topics.create(name, partitions, config == null ? Map.of() : config);
        }
        return Exit.FINE;
    }

    /** Changes a topic. */
    @Command(
            name = "alter",
            description = "Changes the settings of a topic, or adds partitions to it")
    int alter(
            @Mixin Place place,
            @Parameters(paramLabel = "TOPIC", description = StoreArguments.TOPIC) String name,
            @Option(
                            names = "--partitions",
                            paramLabel = "N",
                            description = "How many it shall have; never fewer than it has")
                    int partitions,
            @Option(names = "--config", paramLabel = "KEY=VALUE", description = CONFIG)
                    Map<String, String> config,
            @Option(
                            names = "--unset",
                            paramLabel = "KEY",
                            split = ",",
                            description = "A setting that gets its default again")
                    List<String> unset)
            throws IOException {
        if (partitions == 0 && config == null && unset == null) {
            throw new InvalidOptionException(
                    "--partitions, --config or --unset is expected: nothing is to be changed");
        }
        try (Topics topics = place.topics()) {
            topics.alter(
                    name,
                    partitions,
                    config == null ? Map.of() : config,
                    unset == null ? List.of() : unset);
        }
        return Exit.FINE;
    }

    /** Deletes a topic. */
    @Command(name = "delete", description = "Deletes a topic with all of its records")
    int delete(
            @Mixin Place place,
            @Parameters(paramLabel = "TOPIC", description = StoreArguments.TOPIC) String name)
            throws IOException {
        try (Topics topics = place.topics()) {
            topics.delete(name);
        }
        return Exit.FINE;
    }
}
