package io.firn.file;

import io.firn.file.FileNames.Kind;
import io.firn.medium.FileErrors;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.WithoutLinks;
import io.firn.spi.TierInspector;
import io.firn.spi.TierInspector.TierRemains;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Reads what is left of a {@link FileTier}. */
public final class FileInspector implements TierInspector {

    /** Creates an inspector; for {@link java.util.ServiceLoader}. */
    public FileInspector() {}

    @Override
    public TierRemains inspect(FileMedium given, Path directory) throws IOException {
        FileMedium medium = WithoutLinks.below(List.of(directory), given);
        boolean named = medium.exists(directory.resolve(FileNames.TIER));
        if (!named && !hasPartitions(medium, directory)) {
            return null;
        }
        List<String> flaws = new ArrayList<>();
        TierIdentity identity = null;
        try {
            identity = TierIdentity.read(medium, directory);
            if (identity == null) {
                flaws.add("the file '" + FileNames.TIER + "' is MISSING");
            }
        } catch (DamagedFileException | UnsupportedVersionException e) {
            flaws.add("DAMAGED: " + e.getMessage());
        } catch (IOException e) {
            flaws.add("UNREADABLE, it may be whole: " + FileErrors.describe(e));
        }
        FileTier tier = FileTier.at(directory).withMedium(medium);
        TierScan scan =
                new TierScan(
                        new TierContents(tier, medium, directory, Long.MAX_VALUE),
                        directory,
                        medium,
                        true);
        List<TierRemains.Remains> remains = new ArrayList<>();
        try {
            scan.run(Map.of());
            for (FileBlock segment : scan.segments().values()) {
                Path file = segment.path();
                int capacity = segment.capacity();
                remains.add(
                        new TierRemains.Remains(
                                file.toString(),
                                segment.mark(),
                                "",
                                () -> read(medium, file, capacity)));
            }
        } finally {
            scan.releaseAllExcept(Set.of());
        }
        flaws.addAll(scan.strangers());
        return new TierRemains(
                tier.name(),
                identity == null ? null : identity.tierId(),
                identity == null ? null : identity.storeId(),
                List.of(),
                flaws,
                remains);
    }

    @Override
    public RebuiltFile rebuild(FileMedium given, Path directory, UUID tierId, UUID storeId)
            throws IOException {
        FileMedium medium = WithoutLinks.below(List.of(directory), given);
        String found;
        try {
            if (TierIdentity.read(medium, directory) != null) {
                return null;
            }
            if (!hasPartitions(medium, directory)) {
                return null; // not a tier
            }
            found = "missing";
        } catch (DamagedFileException e) {
            found = "damaged";
        }
        // Only an older Firn that does not know rewritten segments has to be kept out.
        TierIdentity identity = new TierIdentity(tierId, storeId, true);
        Path file = directory.resolve(FileNames.TIER);
        return new RebuiltFile(
                file,
                found,
                identity.content(file),
                List.of("it is tier " + tierId + ", the only one of the store that is missing"));
    }

    /**
     * Returns whether there are directories of topics and partitions, as in a tier without its
     * file.
     */
    private static boolean hasPartitions(FileMedium medium, Path directory) throws IOException {
        for (String topic : medium.list(directory)) {
            if (FileNames.parseTopic(topic) != null) {
                try {
                    for (String name : medium.list(directory.resolve(topic))) {
                        if (FileNames.parsePartition(name) >= 0) {
                            return true;
                        }
                    }
                } catch (NotDirectoryException e) {
                    continue; // a file with the name of a topic
                }
            }
        }
        return false;
    }

    private static byte[] read(FileMedium medium, Path path, int capacity) throws IOException {
        try (MediumFile file = medium.open(path, false)) {
            byte[] bytes = new byte[(int) Math.min(capacity, file.size())];
            file.read(0, bytes, 0, bytes.length);
            // Without its last name, another segment may be written into the file (O37).
            boolean isFinished = FileNames.parse(path.getFileName().toString()).kind() == Kind.LOG;
            if (isFinished && !medium.exists(path)) {
                throw new NoSuchFileException(
                        path.toString(), null, "the segment was deleted while it was read");
            }
            return bytes;
        }
    }
}
