package io.firn.tools;

import io.firn.pmem.PoolRepair;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Repairs a pool in which a block's entry is destroyed. */
@Command(
        name = "repair",
        description = {
            "Repairs a pool of persistent memory in which the entry of a block is destroyed.",
            "",
            "The pool is named by its directory. First look with firn verify: it shows the block, the"
                    + " offsets in it, and which partition of which topic lacks them.",
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
