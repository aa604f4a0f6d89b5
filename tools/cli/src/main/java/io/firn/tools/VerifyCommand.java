package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.inspect.Report;
import io.firn.inspect.StoreInspection;
import io.firn.medium.FileMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Verifies what is in a store and its tiers. */
@Command(
        name = "verify",
        description = {
            "Verifies stores and tiers, and shows their content.",
            "",
            "Prints tiers, topics, partitions, segments with their marks and offsets, cursors,"
                    + " corruption, and missing data. Changes nothing, acquires no lock, and can read"
                    + " stores that can no longer be opened, and those that a process writes. Name"
                    + " the directory of a store and those of its tiers, or one above them. Exit"
                    + " code 1 if something is wrong.",
            ""
        })
final class VerifyCommand implements Callable<Integer> {
    @Parameters(
            arity = "1..*",
            paramLabel = "DIRECTORY",
            description = "Directories of stores and tiers, or above them")
    private List<Path> directories = List.of();

    @Option(
            names = "--deep",
            description =
                    "Reads all segments, and verifies each batch. Default: believes the marks of"
                            + " sealed segments")
    private boolean isDeep;

    @Mixin private Output output;

    VerifyCommand() {}

    @Override
    public Integer call() throws IOException {
        for (Path directory : directories) {
            if (!FileMedium.real().exists(directory)) {
                throw new InvalidOptionException("there is no directory " + directory);
            }
        }
        Report report = StoreInspection.of(FileMedium.real(), directories, isDeep);
        if (output.isJson()) {
            Table lines = new Table("lines").texts("line");
            report.lines().forEach(lines::row);
            output.print(lines);
        } else {
            report.lines().forEach(line -> output.say("%s", line));
        }
        return report.isSound() ? Exit.FINE : Exit.FOUND;
    }
}
