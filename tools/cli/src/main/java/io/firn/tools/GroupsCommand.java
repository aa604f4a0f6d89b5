package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.tools.Groups.Lag;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows and moves readers. */
@Command(
        name = "groups",
        description = {
            "Lists, describes and resets consumer groups and cursors.",
            "",
            "In a store, a group is the cursors of one name in all topics. A server keeps the offsets"
                    + " of its groups there."
        },
        synopsisSubcommandLabel = "COMMAND")
final class GroupsCommand {
    GroupsCommand() {}

    /** Lists them. */
    @Command(name = "list", description = "Lists the groups with their lag in all partitions")
    int list(@Mixin Place place, @Mixin Output output) throws IOException {
        Table table =
                new Table("groups")
                        .texts("group", "state")
                        .numbers("partitions", "lagRecords", "lagTime");
        try (Groups groups = place.groups(false)) {
            for (String name : groups.names()) {
                List<Lag> lags = groups.lags(name);
                table.row(
                        name,
                        groups.state(name),
                        lags.size(),
                        lags.stream()
                                .map(Lag::records)
                                .filter(Objects::nonNull)
                                .mapToLong(each -> each)
                                .sum(),
                        longest(lags));
            }
        }
        output.print(table);
        return Exit.FINE;
    }

    private static Duration longest(List<Lag> lags) {
        return lags.stream()
                .map(Lag::time)
                .filter(Objects::nonNull)
                .max(Duration::compareTo)
                .orElse(null);
    }

    /** Describes one. */
    @Command(name = "describe", description = "Shows where a group is in each partition")
    int describe(
            @Mixin Place place,
            @Mixin Output output,
            @Parameters(paramLabel = "GROUP", description = "Its name") String group)
            throws IOException {
        Table table =
                new Table("partitions")
                        .texts("topic")
                        .numbers("partition", "offset", "end", "lagRecords", "lagTime")
                        .texts("member");
        try (Groups groups = place.groups(false)) {
            for (Lag each : known(groups, group)) {
                table.row(
                        each.place().topic(),
                        each.place().partition(),
                        each.offset(),
                        each.end(),
                        each.records(),
                        each.time(),
                        each.member());
            }
        }
        output.print(table);
        return Exit.FINE;
    }

    private static List<Lag> known(Groups groups, String group) {
        List<Lag> lags = groups.lags(group);
        if (lags.isEmpty() && !groups.names().contains(group)) {
            throw new InvalidOptionException(
                    "there is no group '" + group + "': firn groups list shows those that exist");
        }
        return lags;
    }

    /** Where a group is moved to. */
    static final class Target {
        @Option(
                names = "--to",
                required = true,
                paramLabel = "PLACE",
                converter = Position.Converter.class,
                description = "Moves it there: " + Position.WORDS)
        private Position place;

        @Option(
                names = "--shift",
                required = true,
                paramLabel = "N",
                description = "Moves it by N offsets; by less than 0 to read them again")
        private Long shift;
    }

    /** Moves one. */
    @Command(
            name = "reset",
            description = {
                "Moves a group to another place: shows where to, and with --execute does it.",
                "",
                "An offset outside of the log becomes its start or end. Stop the members of the"
                        + " group first; of a store no process may have it open."
            })
    int reset(
            @Mixin Place place,
            @ArgGroup(multiplicity = "1") Target target,
            @Option(
                            names = "--topic",
                            paramLabel = "NAME",
                            split = ",",
                            description =
                                    "In all partitions of these topics. Default: in those where it"
                                            + " has an offset")
                    List<String> topics,
            @Option(names = "--execute", description = "Does it") boolean isReal,
            @Mixin Output output,
            @Parameters(paramLabel = "GROUP", description = "Its name") String group)
            throws IOException {
        Table table = new Table("partitions").texts("topic").numbers("partition", "offset", "to");
        try (Groups groups = place.groups(isReal)) {
            Map<Groups.Place, Long> now = new TreeMap<>();
            List<Lag> lags = topics == null ? known(groups, group) : groups.lags(group);
            if (topics != null) {
                for (String topic : topics) {
                    for (int i = 0; i < groups.ends(topic).partitions(); i++) {
                        now.put(new Groups.Place(topic, i), null);
                    }
                }
            }
            for (Lag each : lags) {
                if (topics == null || topics.contains(each.place().topic())) {
                    now.put(each.place(), each.offset());
                }
            }
            Map<Groups.Place, Long> wanted = new TreeMap<>();
            now.forEach(
                    (each, offset) -> {
                        long to = moved(each, offset, target, groups.ends(each.topic()));
                        wanted.put(each, to);
                        table.row(each.topic(), each.partition(), offset, to);
                    });
            if (isReal) {
                groups.reset(group, wanted);
            }
        }
        output.print(table);
        if (!isReal) {
            output.say("%nNothing was changed: --execute does it.");
        }
        return Exit.FINE;
    }

    private static long moved(
            Groups.Place place, Long offset, Target target, Position.Offsets offsets) {
        long start = offsets.start(place.partition());
        long to;
        if (target.shift == null) {
            to = target.place.in(place.partition(), offsets);
        } else {
            to = (offset == null ? start : offset) + target.shift;
        }
        return Math.max(start, Math.min(to, offsets.end(place.partition())));
    }
}
