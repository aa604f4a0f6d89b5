package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.MediumException;
import io.firn.RefusedException;
import io.firn.Tier;
import io.firn.file.FileTier;
import io.firn.medium.FileErrors;
import io.firn.medium.FileMedium;
import io.firn.medium.WithoutLinks;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The options by which a program opens a store with its tiers. */
public final class StoreArguments {
    /** What an argument says that names a store. */
    public static final String STORE = "The store's directory, or the log.dir of a server";

    /** What an argument says that names a topic. */
    public static final String TOPIC = "The name of the topic";

    private static final String IDENTITY = "store";
    private static final String SEGMENTS = "segments";
    private static final String OF_SERVER = "firn";
    private static final Pattern FILE = Pattern.compile("file:(.+?)(?:@([1-9][0-9]{0,17}))?");
    private static final String PMEM = "pmem:";

    @Option(
            names = "--tier",
            paramLabel = "KIND:DIR",
            description =
                    "A tier of the store, the hottest first, once for each: file:DIR or, with a"
                            + " capacity, file:DIR@BYTES; pmem:DIR[,DIR...] for pools that exist."
                            + " Default: the directory 'segments' there.")
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
     * Opens a store to write it, which no other process may have open for that.
     *
     * @throws io.firn.FirnException when it cannot be opened, or the directory holds no store
     */
    public LogStore openExisting(Path directory) {
        if (!isDirectory(directory)) {
            throw new InvalidOptionException("there is no directory " + directory);
        }
        Path store = storeIn(directory);
        if (!exists(store.resolve(IDENTITY))) {
            throw new RefusedException(
                    "there is no store in "
                            + directory
                            + ": a file '"
                            + IDENTITY
                            + "' is expected there, or in its directory 'firn'");
        }
        return builder(directory).open();
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

    /**
     * Returns the builder of a store that does not exist.
     *
     * @param isOfServer whether the directory is the log.dir of a server
     */
    LogStoreBuilder builderOfNew(Path directory, boolean isOfServer) {
        return builder(
                directory,
                isOfServer ? WithoutLinks.child(directory, OF_SERVER, allowsLinks) : directory);
    }

    private LogStoreBuilder builder(Path directory) {
        return builder(directory, storeIn(directory));
    }

    private LogStoreBuilder builder(Path directory, Path store) {
        Logs.quiet();
        LogStoreBuilder builder = LogStore.at(store);
        if (allowsLinks) {
            builder.allowLinkedDirectories();
        }
        if (tiers.isEmpty()) {
            return builder.tier(fileTier(WithoutLinks.child(directory, SEGMENTS, allowsLinks)));
        }
        tiers.forEach(text -> builder.tier(tier(text)));
        return builder;
    }

    /** Returns the directory of the store, which is below that of a server. */
    private Path storeIn(Path directory) {
        if (!isDirectory(directory) || exists(directory.resolve(IDENTITY))) {
            return directory;
        }
        Path ofServer = WithoutLinks.child(directory, OF_SERVER, allowsLinks);
        return exists(ofServer.resolve(IDENTITY)) ? ofServer : directory;
    }

    /** Returns the options as they were given, for another command. */
    List<String> words() {
        List<String> words = new ArrayList<>();
        tiers.forEach(each -> words.add("--tier=" + each));
        if (allowsLinks) {
            words.add("--allow-linked-directories");
        }
        return words;
    }

    /** Returns the directories of a store and its tiers. */
    List<Path> directories(Path directory) {
        List<Path> all = new ArrayList<>();
        all.add(storeIn(directory));
        if (tiers.isEmpty()) {
            all.add(directory.resolve(SEGMENTS));
        }
        for (String each : tiers) {
            Matcher file = FILE.matcher(each);
            Stream.of(
                            file.matches()
                                    ? new String[] {file.group(1)}
                                    : each.substring(each.indexOf(':') + 1).split(","))
                    .map(Path::of)
                    .forEach(all::add);
        }
        return all;
    }

    /**
     * Returns the directories of a store, first, and its tiers.
     *
     * @throws InvalidOptionException when one of them does not exist
     */
    List<Path> existingDirectories(Path directory) {
        if (!isDirectory(directory)) {
            throw new InvalidOptionException("there is no directory " + directory);
        }
        List<Path> all = directories(directory);
        for (Path each : all) {
            if (!isDirectory(each)) {
                throw new InvalidOptionException("--tier: there is no directory " + each);
            }
        }
        return all;
    }

    private static boolean exists(Path file) {
        try {
            return FileMedium.real().exists(file);
        } catch (IOException e) {
            throw new MediumException("could not look at " + FileErrors.describe(e), e);
        }
    }

    private FileTier fileTier(Path directory) {
        FileTier tier = FileTier.at(directory);
        return allowsLinks ? tier.withLinkedDirectories() : tier;
    }

    private Tier tier(String text) {
        Matcher file = FILE.matcher(text);
        if (file.matches()) {
            FileTier tier = fileTier(Path.of(file.group(1)));
            String bytes = file.group(2);
            return bytes == null ? tier : tier.withCapacityBytes(Long.parseLong(bytes));
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
                "--tier: file:DIR[@BYTES] or pmem:DIR[,DIR...] is expected, found '" + text + "'");
    }
}
