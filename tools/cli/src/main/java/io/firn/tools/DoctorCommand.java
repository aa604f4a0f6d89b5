package io.firn.tools;

import io.firn.InvalidOptionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Looks at the machine on which a store is. */
@Command(
        name = "doctor",
        description = {
            "Checks the machine and the file systems of stores and tiers.",
            "",
            "Looks at descriptors, mappings, file systems and how they are mounted, caches of"
                    + " devices, space, permissions, the clock, the size of pages, and DAX. Prints"
                    + " each flaw with the reason why it matters and the command that fixes it."
                    + " Limits are those of processes that this user starts in this shell. Exit code"
                    + " 1 if there is one.",
            ""
        })
final class DoctorCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..*",
            paramLabel = "DIRECTORY",
            description = "Directories of stores and tiers. Default: the machine only")
    private List<Path> directories = List.of();

    @Mixin private Output output;

    private final Machine machine;

    DoctorCommand() {
        this(new Machine(Path.of("/")));
    }

    DoctorCommand(Machine machine) {
        this.machine = machine;
    }

    @Override
    public Integer call() throws IOException {
        for (Path each : directories) {
            if (!Files.isDirectory(each)) {
                throw new InvalidOptionException("there is no directory " + each);
            }
        }
        List<Check> checks = new MachineChecks(machine, directories).run();
        if (output.isJson()) {
            Table table = new Table("checks").texts("check", "state", "found", "why", "fix");
            checks.forEach(
                    each ->
                            table.row(
                                    each.subject(),
                                    each.state(),
                                    each.found(),
                                    each.why(),
                                    each.fix()));
            output.print(table);
        } else {
            checks.forEach(each -> each.show(output));
        }
        return Check.exitCode(checks);
    }
}
