package io.firn.tools;

import io.firn.Backup;
import io.firn.RestoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes a store of a backup. */
@Command(
        name = "restore",
        description = {
            "Makes a store of a backup.",
            "",
            "The store and its tiers are new directories. If it is interrupted, what it has left does"
                    + " not open: delete it, also in the tiers.",
            ""
        })
final class RestoreCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "BACKUP", description = "The directory of the backup")
    private Path backup;

    @Parameters(index = "1", paramLabel = "STORE", description = "The directory of the new store")
    private Path store;

    @Mixin private StoreArguments storeArguments;

    @Option(
            names = "--until",
            paramLabel = "PLACE",
            split = ",",
            converter = RestoreLimit.Converter.class,
            description =
                    "A time ends each partition before its first batch with a later timestamp: "
                            + RestoreLimit.TIMES
                            + ". TOPIC:PARTITION:OFFSET ends a partition at an offset. Several"
                            + " with commas between them")
    private List<RestoreLimit> limits = List.of();

    @Option(
            names = "--topics",
            paramLabel = "NAME",
            split = ",",
            description = "Restores only these topics. Default: all")
    private List<String> topics = List.of();

    @Option(
            names = "--for-server",
            description =
                    "STORE is the log.dir of a server: the store is STORE/firn, and segments are in"
                            + " STORE/segments unless tiers are named")
    private boolean isForServer;

    @Mixin private Output output;

    @Spec private CommandSpec spec;

    RestoreCommand() {}

    @Override
    public Integer call() throws IOException {
        RestoreOptions options = RestoreOptions.all().withTopics(topics);
        for (RestoreLimit each : limits) {
            options = each.addTo(options);
        }
        try (ProgressLine progress =
                new ProgressLine(spec.commandLine().getErr(), "restored", null)) {
            Backup restored =
                    storeArguments
                            .builderOfNew(store, isForServer)
                            .restore(backup, options, progress);
            Backups.print(output, restored, "restored");
        }
        return Exit.FINE;
    }
}
