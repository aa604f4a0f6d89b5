package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.StoreLockedException;
import io.firn.medium.FileErrors;
import io.firn.server.ServerMain;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code firn}: everything that is done with stores and servers from a shell. */
@Command(
        name = "firn",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ServerMain.class,
            TopicsCommand.class,
            TailCommand.class,
            AppendCommand.class,
            GroupsCommand.class,
            StatCommand.class,
            VerifyCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            DoctorCommand.class,
            BundleCommand.class,
            BenchCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            MigrateCommand.class,
            RepairCommand.class,
            ShadowCommand.class,
            ForwardCommand.class,
            CompletionCommand.class
        },
        versionProvider = Firn.Version.class,
        description = {
            "Serves, shows, checks and repairs logs of Firn. A command works on a store's directory,"
                    + " many also on a server. Those that only read may run while another process"
                    + " writes the store. COMMAND --help explains one.",
            ""
        },
        footer = {"", Exit.WORDS})
public final class Firn implements Callable<Integer> {
    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(names = "--version", versionHelp = true, description = "Shows the version")
    private boolean version;

    @Spec private CommandSpec spec;

    Firn() {}

    /** Runs the command, and ends the process with its exit code. */
    public static void main(String[] arguments) {
        Logs.onOneLine();
        PrintWriter out = new PrintWriter(System.out, true, UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, UTF_8);
        System.exit(run(out, err, arguments));
    }

    /** Runs the command. Returns one of {@link Exit}, after a message if it is not 0. */
    public static int run(PrintWriter out, PrintWriter err, String... arguments) {
        return run(commandLine(), out, err, arguments);
    }

    static int run(CommandLine line, PrintWriter out, PrintWriter err, String... arguments) {
        line.setOut(out).setErr(err);
        if (Terminal.isOne()) {
            line.setUsageHelpAutoWidth(true);
        }
        int exitCode = line.execute(arguments);
        out.flush();
        err.flush();
        return exitCode;
    }

    /** Returns the model of the command with all of its subcommands. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Firn());
        CommandLine imports = line.getSubcommands().get("import");
        ServiceLoader.load(Subcommand.class).forEach(imports::addSubcommand);
        return configured(line);
    }

    static CommandLine configured(CommandLine line) {
        prepare(line);
        return line.setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((e, words) -> misused(e))
                .setExecutionExceptionHandler((e, failed, parsed) -> failed(e, failed));
    }

    private static void prepare(CommandLine line) {
        if (line.getCommandSpec().findOption("--help") == null) {
            line.getCommandSpec()
                    .addOption(
                            OptionSpec.builder("--help")
                                    .usageHelp(true)
                                    .description("Shows this text")
                                    .build());
        }
        // In the order in which the sources have them.
        line.getCommandSpec().usageMessage().sortOptions(false).sortSynopsis(false);
        line.getSubcommands().values().forEach(Firn::prepare);
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return Exit.FINE;
    }

    private static int misused(ParameterException e) {
        CommandLine line = e.getCommandLine();
        PrintWriter err = line.getErr();
        err.println(e.getMessage());
        UnmatchedArgumentException.printSuggestions(e, err);
        CommandLine.Help help = line.getHelp();
        err.print(help.synopsisHeading() + help.synopsis(help.synopsisHeadingLength()));
        err.println("'" + line.getCommandSpec().qualifiedName() + " --help' explains it.");
        return Exit.MISUSED;
    }

    /** Prints why; a defect is thrown on. */
    private static int failed(Exception e, CommandLine line) throws Exception {
        if (e instanceof InvalidOptionException) {
            line.getErr().println(e.getMessage());
            return Exit.MISUSED;
        }
        if (e instanceof KafkaException) {
            line.getErr().println(ServerConnection.describe((KafkaException) e));
        } else if (e instanceof StoreLockedException) {
            line.getErr()
                    .println(
                            line.getCommandSpec().findOption("--server") == null
                                    ? e.getMessage()
                                    : e.getMessage()
                                            + ". A server that has it open is asked by --server");
        } else if (e instanceof FirnException) {
            line.getErr().println(e.getMessage());
        } else if (e instanceof IOException) {
            line.getErr().println(FileErrors.describe((IOException) e));
        } else if (e instanceof UncheckedIOException) {
            line.getErr().println(FileErrors.describe(((UncheckedIOException) e).getCause()));
        } else {
            throw e;
        }
        return Exit.FAILED;
    }

    /** The version of the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Firn.class.getPackage().getImplementationVersion();
            return new String[] {"Firn " + (version == null ? "from its sources" : version)};
        }
    }
}
