package io.firn.api;

import io.firn.medium.FileMedium;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A round of what {@code bin/check backup} does for longer. */
class BackupOracleTest {
    @TempDir Path directory;

    @Test
    void shouldRestoreEachBackupOfABusyStoreAsItWasAtItsTime() throws Exception {
        int backups = Integer.getInteger("firn.backups", 0);
        if (backups > 0) {
            new BackupOracle(directory, FileMedium.real(), Long.getLong("firn.seed", 1))
                    .run(backups);
        } else {
            new BackupOracle(directory, new ObservedMedium(), 1).run(1);
        }
    }
}
