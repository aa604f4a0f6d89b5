package io.firn.tools;

import picocli.CommandLine.Command;

/** Appends what another program has written; modules add more kinds by {@link Subcommand}. */
@Command(
        name = "import",
        description = "Imports records into a topic",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = ImportJsonCommand.class)
final class ImportCommand {
    ImportCommand() {}
}
