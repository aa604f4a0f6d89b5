package io.firn.tools;

import io.firn.Backup;
import io.firn.BackupOptions;
import io.firn.LogStore;
import io.firn.MediumException;
import io.firn.RefusedException;
import io.firn.StoreLockedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes or verifies a backup. */
@Command(
        name = "backup",
        description = {
            "Makes a backup of a store, or verifies one.",
            "",
            "DEST has one backup: a second call copies only new segments, and one that was interrupted"
                    + " is continued. A store that no process has open is opened and closed. One"
                    + " that is open can only be backed up by its own process, which calls"
                    + " LogStore.backupTo. Exit code 1 if a verified backup is damaged or not"
                    + " complete.",
            ""
        })
final class BackupCommand implements Callable<Integer> {
    @ArgGroup(multiplicity = "1")
    private What what;

    @Mixin private StoreArguments storeArguments;

    @Option(
            names = "--no-links",
            description =
                    "Copies all segments. Default: on one file system, sealed segments are linked;"
                            + " such a backup is lost together with the store when the device"
                            + " fails.")
    private boolean isWithoutLinks;

    @Option(
            names = "--bytes-per-second",
            paramLabel = "N",
            description = "The most that is read. Default: no limit")
    private Long bytesPerSecond;

    @Mixin private Output output;

    @Spec private CommandSpec spec;

    /** One of two. */
    private static final class What {
        @ArgGroup(exclusive = false, multiplicity = "1")
        private Places places;

        @ArgGroup(exclusive = false, multiplicity = "1")
        private Verified verified;
    }

    /** Which one. */
    private static final class Verified {
        @Option(
                names = "--verify",
                paramLabel = "DEST",
                required = true,
                description =
                        "Reads the backup in DEST, and compares every byte with its checksums")
        private Path directory;
    }

    /** From where to where. */
    private static final class Places {
        @Parameters(index = "0", paramLabel = "STORE", description = StoreArguments.STORE)
        private Path store;

        @Parameters(
                index = "1",
                paramLabel = "DEST",
                description = "A directory outside of the store and its tiers")
        private Path destination;
    }

    BackupCommand() {}

    @Override
    public Integer call() throws IOException {
        Backups.checkRate(bytesPerSecond);
        try {
            Backup backup =
                    what.places == null ? verify(what.verified.directory) : make(what.places);
            Backups.print(output, backup, "backup");
            return Exit.FINE;
        } catch (MediumException e) {
            if (what.places != null) {
                throw e;
            }
            output.warn("%s", e.getMessage()); // it is damaged, or not complete
            return Exit.FOUND;
        }
    }

    private Backup verify(Path directory) {
        Logs.quiet();
        try (ProgressLine progress = progress("read")) {
            return Backup.verify(directory, progress);
        }
    }

    private Backup make(Places places) {
        try (LogStore store = storeArguments.openExisting(places.store);
                ProgressLine progress = progress("read")) {
            BackupOptions options = BackupOptions.defaults().withControl(progress);
            return store.backupTo(
                    places.destination, isWithoutLinks ? options.withoutLinks() : options);
        } catch (StoreLockedException e) {
            // Only the writer knows which transactions, cursors and ends belong together.
            throw new RefusedException(
                    e.getMessage()
                            + ". A store in use is backed up by its own process: let it call"
                            + " LogStore.backupTo("
                            + places.destination.toAbsolutePath()
                            + ")");
        }
    }

    private ProgressLine progress(String verb) {
        return new ProgressLine(spec.commandLine().getErr(), verb, bytesPerSecond);
    }
}
