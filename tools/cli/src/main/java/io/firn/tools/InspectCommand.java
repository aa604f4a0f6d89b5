package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.inspect.Report;
import io.firn.inspect.StoreInspection;
import io.firn.medium.FileMedium;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what is in a store and its tiers. */
@Command(
        name = "inspect",
        description = {
            "Verifies stores and tiers, and shows what is in them.",
            "",
            "Shows the stores and tiers in or below the directories. Name the directory of a store"
                    + " and those of all of its tiers. Prints tiers, topics, partitions, segments"
                    + " with their marks and offsets, corruption, and missing data. Verifies"
                    + " every batch. Changes nothing, acquires no lock, and can read stores that"
                    + " can no longer be opened.",
            ""
        })
final class InspectCommand implements Callable<Integer> {
    @Parameters(
            arity = "1..*",
            paramLabel = "DIRECTORY",
            description = "Directories of stores and tiers, or above them")
    private List<Path> directories = List.of();

    @Spec private CommandSpec spec;

    InspectCommand() {}

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        for (Path directory : directories) {
            if (!FileMedium.real().exists(directory)) {
                throw new InvalidOptionException("there is no directory " + directory);
            }
        }
        Report report = StoreInspection.of(FileMedium.real(), directories);
        report.lines().forEach(out::println);
        return report.isSound() ? Exit.FINE : Exit.FOUND;
    }
}
