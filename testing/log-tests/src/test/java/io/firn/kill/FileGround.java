package io.firn.kill;

import io.firn.file.FileTier;
import io.firn.spi.StorageTier;
import java.nio.file.Path;
import java.util.List;

/** Files only. */
public final class FileGround implements Ground {
    @Override
    public List<StorageTier> tiers(Path directory) {
        return List.of(FileTier.at(directory.resolve("segments")));
    }
}
