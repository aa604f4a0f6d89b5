package io.firn.tools;

import io.firn.Topic;
import io.firn.inspect.SmallFileRepair;
import io.firn.medium.FileMedium;
import io.firn.pmem.PoolRepair;
import io.firn.spi.TierInspector.RebuiltFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Repairs a store that cannot be opened. */
@Command(
        name = "repair",
        description = {
            "Repairs a store that cannot be opened, because a file of it is damaged.",
            "",
            "First look with firn verify: it shows the files that are damaged. restore and free are"
                    + " for the entry of a block in a pool of persistent memory, of which firn"
                    + " verify shows the number, the offsets in it, and which partition of which"
                    + " topic lacks them.",
            ""
        },
        synopsisSubcommandLabel = "COMMAND")
final class RepairCommand {
    @Spec private CommandSpec spec;

    RepairCommand() {}

    /** Gives a block back to its partition. */
    @Command(
            name = "restore",
            description = "Gives the block, with all of its records, back to that partition")
    int restore(
            @Parameters(paramLabel = "POOL", description = "The pool's directory") Path pool,
            @Parameters(paramLabel = "BLOCK", description = "The number of the block") int block,
            @Parameters(paramLabel = "TOPIC_ID", description = "The id of the topic") UUID topicId,
            @Parameters(paramLabel = "PARTITION", description = "The number of the partition")
                    int partition)
            throws IOException {
        try (PoolRepair repair = PoolRepair.open(pool)) {
            report(block, repair.restore(block, topicId, partition), "back in its log");
        }
        return Exit.FINE;
    }

    /** Makes small files again. */
    @Command(
            name = "files",
            description = {
                "Makes files again without which a store cannot be opened: the counters epochs and"
                        + " producer-ids, the file of a tier, the files of topics. Shows them, and"
                        + " with --execute does it.",
                "",
                "Restore them from a backup if there is one. Otherwise they are made from the segments"
                        + " and the legible lines of the damaged files, and each assumption is"
                        + " shown. Copies of the damaged files are kept in STORE/replaced. No process may have the"
                        + " store open. Exit code 1 if there is something to do, and it was not"
                        + " done.",
                ""
            })
    int files(
            @Parameters(paramLabel = "STORE", description = StoreArguments.STORE) Path directory,
            @Mixin StoreArguments storeArguments,
            @Option(
                            names = "--name",
                            paramLabel = "ID=NAME",
                            description =
                                    "The name of the topic with this id, if it is known; once for"
                                            + " each")
                    Map<UUID, String> names,
            @Option(names = "--execute", description = "Does it") boolean isReal,
            @Mixin Output output)
            throws IOException {
        List<Path> directories = storeArguments.existingDirectories(directory);
        Path store = directories.get(0);
        List<Path> tiers = directories.subList(1, directories.size());
        Map<UUID, String> known = names == null ? Map.of() : names;
        known.values().forEach(Topic::checkName);
        String time = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString().replace(":", "");
        Path copies = store.resolve("replaced").resolve(time);
        FileMedium medium = FileMedium.real();
        List<RebuiltFile> all =
                isReal
                        ? SmallFileRepair.execute(medium, store, tiers, known, copies)
                        : SmallFileRepair.plan(medium, store, tiers, known);
        Table table = new Table("files").texts("file", "state", "assumed");
        all.forEach(each -> table.row(each.file(), each.found(), each.assumed()));
        output.print(table);
        if (all.isEmpty()) {
            return Exit.FINE;
        }
        if (isReal) {
            output.say("%nCopies of the damaged files are in %s.", copies);
            return Exit.FINE;
        }
        output.say("%nNothing was changed: --execute does it.");
        return Exit.FOUND;
    }

    /** Frees a block. */
    @Command(
            name = "free",
            description =
                    "Saves the batches to FILE, a segment that Kafka's tools read, and frees the"
                            + " block: their offsets are missing then, and are given again if they"
                            + " were the last ones of their partition")
    int free(
            @Parameters(paramLabel = "POOL", description = "The pool's directory") Path pool,
            @Parameters(paramLabel = "BLOCK", description = "The number of the block") int block,
            @Parameters(paramLabel = "FILE", description = "The file to create") Path saveTo)
            throws IOException {
        try (PoolRepair repair = PoolRepair.open(pool)) {
            report(block, repair.free(block, saveTo), "free");
        }
        return Exit.FINE;
    }

    private void report(int block, PoolRepair.Offsets offsets, String state) {
        spec.commandLine()
                .getOut()
                .printf(
                        "block %d with offsets [%d, %d) is %s%n",
                        block, offsets.from(), offsets.to(), state);
    }
}
