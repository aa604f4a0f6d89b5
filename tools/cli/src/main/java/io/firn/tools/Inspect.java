package io.firn.tools;

import io.firn.inspect.Report;
import io.firn.inspect.StoreInspection;
import io.firn.medium.FileMedium;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what is in a store and its tiers. */
@Command(
        name = "bin/firn inspect",
        customSynopsis = "bin/firn inspect DIRECTORY...",
        description = {
            "",
            "Shows the stores and tiers in or below the directories. Name the directory of a store"
                    + " and those of all of its tiers. Prints tiers, topics, partitions, segments"
                    + " with their marks and offsets, corruption, and missing data. Verifies"
                    + " every batch. Changes nothing, acquires no lock, and can read stores that"
                    + " can no longer be opened.",
            "",
            "Exit code: 0 when nothing is wrong, 1 when something is, 2 when a directory does not"
                    + " exist."
        })
public final class Inspect implements Callable<Integer> {
    @Parameters(arity = "0..*", hidden = true)
    private List<Path> directories = List.of();

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(names = "--help", usageHelp = true, hidden = true)
    private boolean help;

    @Spec private CommandSpec spec;

    Inspect() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        Programs.exit(new Inspect(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (directories.isEmpty()) {
            spec.commandLine().usage(out);
            return ExitCode.OK;
        }
        for (Path directory : directories) {
            if (!FileMedium.real().exists(directory)) {
                spec.commandLine()
                        .getErr()
                        .println("There is no " + directory + ": name directories, or --help");
                return ExitCode.USAGE;
            }
        }
        Report report = StoreInspection.of(FileMedium.real(), directories);
        report.lines().forEach(out::println);
        return report.isSound() ? ExitCode.OK : ExitCode.SOFTWARE;
    }
}
