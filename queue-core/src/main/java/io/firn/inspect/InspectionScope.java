package io.firn.inspect;

import io.firn.medium.FileErrors.UnexpectedFileException;
import io.firn.medium.FileMedium;
import io.firn.metadata.TopicScan;
import io.firn.spi.TierInspector;
import io.firn.spi.TierInspector.TierRemains;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/** Finds the stores and tiers in or below directories. */
final class InspectionScope {
    private static final int DEPTH = 4;

    private final FileMedium medium;
    private final Report report;
    private final List<TierInspector> inspectors;
    private final List<Path> stores = new ArrayList<>();
    private final List<TierRemains> tiers = new ArrayList<>();
    private final Set<Path> inspected = new HashSet<>();

    InspectionScope(FileMedium medium, Report report) {
        this.medium = medium;
        this.report = report;
        this.inspectors =
                ServiceLoader.load(TierInspector.class, TierInspector.class.getClassLoader())
                        .stream()
                        .map(ServiceLoader.Provider::get)
                        .toList();
    }

    /** Directories of stores, in the order in which they were found. */
    List<Path> stores() {
        return stores;
    }

    List<TierRemains> tiers() {
        return tiers;
    }

    void search(Path directory) throws IOException {
        search(directory, 0, false);
    }

    /**
     * Looks at a directory and those below it. What a store contains may have a directory of topics
     * of its own, such as that of a server: it is a store only with the file of one.
     */
    private void search(Path directory, int depth, boolean isInStore) throws IOException {
        List<String> names;
        try {
            names = medium.list(directory);
        } catch (NotDirectoryException e) {
            return;
        } catch (UnexpectedFileException e) {
            report.say("%s is a symbolic link: name the directory to which it leads", directory);
            return;
        }
        boolean isStore =
                names.contains(ReadableFiles.TOPICS)
                        && (!isInStore || names.contains(ReadableFiles.STORE));
        if (inspected.add(directory)) { // a tier below its store may be named, too
            inspect(directory);
            if (isStore) {
                stores.add(directory);
            }
        }
        for (String name : names) {
            boolean known = TopicScan.idOf(name) != null || name.equals(ReadableFiles.TOPICS);
            if (depth < DEPTH && !known) {
                search(directory.resolve(name), depth + 1, isInStore || isStore);
            }
        }
    }

    private void inspect(Path directory) {
        for (TierInspector inspector : inspectors) {
            try {
                TierRemains found = inspector.inspect(medium, directory);
                if (found != null) {
                    tiers.add(found);
                }
            } catch (IOException e) {
                report.flaw("the tier in %s cannot be inspected: %s", directory, e.getMessage());
            }
        }
    }
}
