package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.MediumException;
import io.firn.Tier;
import io.firn.file.FileTier;
import io.firn.medium.FileErrors;
import io.firn.medium.WithoutLinks;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The options by which a program opens a store with its tiers. */
public final class StoreArguments {
    /** Kept in a field, because the JDK forgets a logger that nobody refers to. */
    private static final Logger LOGGER = Logger.getLogger("io.firn");

    private static final String FILE = "file:";
    private static final String PMEM = "pmem:";

    @Option(
            names = "--tier",
            paramLabel = "KIND:DIR",
            description =
                    "A tier of the store, the hottest first, once for each: file:DIR, or"
                            + " pmem:DIR[,DIR...] for pools that exist. Default: file:STORE/segments. Of a server:"
                            + " STORE is LOG_DIR/firn, and the tier file:LOG_DIR/segments.")
    private List<String> tiers = List.of();

    @Option(
            names = "--allow-linked-directories",
            description =
                    "Allows symbolic links to directories in those of the store and its tiers.")
    private boolean allowsLinks;

    /** Creates it without tiers; picocli sets them. */
    public StoreArguments() {}

    /**
     * Opens a store to read it, beside its writer if it has one.
     *
     * @throws io.firn.FirnException when it cannot be opened, or the directory holds no store
     */
    public LogReader openReadOnly(Path directory) {
        if (!isDirectory(directory)) {
            throw new InvalidOptionException("there is no directory " + directory);
        }
        return builder(directory).openReadOnly();
    }

    /**
     * Opens a store to write it, or creates it.
     *
     * @throws io.firn.FirnException when it cannot be opened
     */
    public LogStore open(Path directory) {
        return builder(directory).open();
    }

    /**
     * Checks the options, before anything is opened or created.
     *
     * @throws InvalidOptionException when one is wrong
     */
    public void check() {
        tiers.forEach(this::tier);
    }

    /**
     * Returns whether a path that a user has named is a directory.
     *
     * @throws MediumException when that cannot be found out
     */
    public static boolean isDirectory(Path path) {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).isDirectory();
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw new MediumException("could not look at " + FileErrors.describe(e), e);
        }
    }

    private LogStoreBuilder builder(Path directory) {
        LOGGER.setLevel(Level.WARNING);
        LogStoreBuilder builder = LogStore.at(directory);
        if (allowsLinks) {
            builder.allowLinkedDirectories();
        }
        if (tiers.isEmpty()) {
            return builder.tier(fileTier(WithoutLinks.child(directory, "segments", allowsLinks)));
        }
        tiers.forEach(text -> builder.tier(tier(text)));
        return builder;
    }

    private Tier fileTier(Path directory) {
        FileTier tier = FileTier.at(directory);
        return allowsLinks ? tier.withLinkedDirectories() : tier;
    }

    private Tier tier(String text) {
        if (text.startsWith(FILE) && text.length() > FILE.length()) {
            return fileTier(Path.of(text.substring(FILE.length())));
        }
        if (text.startsWith(PMEM) && text.length() > PMEM.length()) {
            Path[] pools =
                    Stream.of(text.substring(PMEM.length()).split(","))
                            .map(Path::of)
                            .toArray(Path[]::new);
            for (Path pool : pools) {
                if (!isDirectory(pool)) {
                    throw new InvalidOptionException("--tier: there is no pool in " + pool);
                }
            }
            // Of this capacity a pool stays as it is, and none is created.
            return PmemTier.at(pools).withCapacityBytes(1).withEmulation(Emulation.FORCED);
        }
        throw new InvalidOptionException(
                "--tier: file:DIR or pmem:DIR[,DIR...] is expected, found '" + text + "'");
    }
}
