package io.firn.tools;

import io.firn.pmem.PoolRepair;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Repairs a pool in which a block's entry is destroyed. */
@Command(
        name = "bin/firn repair",
        description = {
            "",
            "For a pool of persistent memory, named by its directory, in which the entry of a block"
                    + " is destroyed. First look with bin/firn inspect: it shows the block, the"
                    + " offsets in it, and which partition of which topic lacks them.",
            ""
        },
        footer = {"", "Exit code: 0 when it is done, 1 when it cannot be, 2 for wrong arguments."})
public final class Repair {
    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(names = "--help", usageHelp = true, description = "Shows this text")
    private boolean help;

    @Spec private CommandSpec spec;

    Repair() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Programs.exit(new Repair(), arguments);
    }

    /** Gives a block back to its partition. */
    @Command(
            name = "restore",
            description = "Gives the block, with all of its records, back to that partition")
    void restore(
            @Parameters(paramLabel = "POOL", description = "The pool's directory") Path pool,
            @Parameters(paramLabel = "BLOCK", description = "The number of the block") int block,
            @Parameters(paramLabel = "TOPIC_ID", description = "The id of the topic") UUID topicId,
            @Parameters(paramLabel = "PARTITION", description = "The number of the partition")
                    int partition)
            throws IOException {
        try (PoolRepair repair = PoolRepair.open(pool)) {
            report(block, repair.restore(block, topicId, partition), "back in its log");
        }
    }

    /** Frees a block. */
    @Command(
            name = "free",
            description =
                    "Saves the batches to FILE, a segment that Kafka's tools read, and frees the"
                            + " block: their offsets are missing then, and are given again if they"
                            + " were the last ones of their partition")
    void free(
            @Parameters(paramLabel = "POOL", description = "The pool's directory") Path pool,
            @Parameters(paramLabel = "BLOCK", description = "The number of the block") int block,
            @Parameters(paramLabel = "FILE", description = "The file to create") Path saveTo)
            throws IOException {
        try (PoolRepair repair = PoolRepair.open(pool)) {
            report(block, repair.free(block, saveTo), "free");
        }
    }

    private void report(int block, PoolRepair.Offsets offsets, String state) {
        spec.commandLine()
                .getOut()
                .printf(
                        "block %d with offsets [%d, %d) is %s%n",
                        block, offsets.from(), offsets.to(), state);
    }
}
