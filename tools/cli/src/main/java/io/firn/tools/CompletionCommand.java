package io.firn.tools;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints what a shell needs to complete commands. */
@Command(
        name = "completion",
        description = {
            "Prints a script that completes commands in bash and zsh.",
            "",
            "For this shell: source <(firn completion). For all users of the machine: firn completion"
                    + " >/usr/share/bash-completion/completions/firn",
            ""
        })
final class CompletionCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    CompletionCommand() {}

    @Override
    public Integer call() {
        String script = AutoComplete.bash("firn", spec.root().commandLine());
        spec.commandLine().getOut().print(script);
        return Exit.FINE;
    }
}
