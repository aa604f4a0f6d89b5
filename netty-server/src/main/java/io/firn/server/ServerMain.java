package io.firn.server;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.medium.FileMedium;
import io.firn.medium.OpenToOthers;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Runs the server as a process.
 *
 * @see FirnServer
 */
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        versionProvider = ServerMain.Version.class,
        description = {
            "Serves a Firn store to Kafka clients until it is interrupted.",
            "Without a file it listens on 127.0.0.1:9092 and keeps its data in ./data."
        })
public final class ServerMain implements Callable<Integer> {
    private static final int MISUSED = 2;
    private static final int FAILED = 3;

    @Parameters(
            arity = "0..1",
            paramLabel = "server.properties",
            description = "Configuration file, with Kafka's and Pafka's keys")
    private Path file;

    @Option(
            names = "--override",
            paramLabel = "KEY=VALUE",
            description = "Sets one key, overriding the file; can be repeated")
    private Map<String, String> overrides = new LinkedHashMap<>();

    @Option(
            names = "--add-user",
            paramLabel = "NAME",
            description = {
                "Adds a user for SCRAM, or gives the user another password, and ends.",
                "Reads the password from the terminal or one line of standard input.",
                "No server may have the store open."
            })
    private String user;

    @Option(
            names = "--log-format",
            paramLabel = "FORMAT",
            converter = LogFormat.Converter.class,
            description = "Lines of the log: text (the default), or json with an object each")
    private LogFormat format = LogFormat.TEXT;

    private ServerMain() {}

    /** Starts the server. */
    public static void main(String[] arguments) {
        CommandLine line = new CommandLine(new ServerMain()).setCommandName("firn server");
        System.exit(line.execute(arguments));
    }

    /** Where it is a process of its own: also as a subcommand of {@code firn}. */
    private void setUpProcess() {
        format.setUp();
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, error) -> {
                    endIfFatal(error);
                    System.getLogger("io.firn.server")
                            .log(System.Logger.Level.ERROR, thread.getName() + " ended", error);
                });
    }

    @Override
    public Integer call() throws InterruptedException {
        setUpProcess();
        CountDownLatch ended = new CountDownLatch(1);
        long start = System.nanoTime();
        try {
            if (file != null && !Files.isReadable(file)) {
                throw new IOException("the file " + file + " does not exist or cannot be read");
            }
            if (file != null) {
                OpenToOthers.warn(FileMedium.real(), "the configuration", file);
            }
            ServerConfig config =
                    file == null ? ServerConfig.of(overrides) : ServerConfig.read(file, overrides);
            if (user != null) {
                AddUser.add(config, user);
                System.err.println("Added the user " + user + ".");
                return 0;
            }
            serve(config, start, ended);
        } catch (IOException | FirnException | InvalidOptionException e) {
            format.say(Level.SEVERE, "firn-server: " + e.getMessage());
            return e instanceof InvalidOptionException ? MISUSED : FAILED;
        }
        ended.await();
        return 0;
    }

    /** Starts the server, which a signal ends. */
    private void serve(ServerConfig config, long startNs, CountDownLatch ended) throws IOException {
        FirnServer.check(config); // before the store is opened, which creates it
        ServiceManager manager = ServiceManager.of(System.getenv());
        Storage storage = Storage.open(config);
        FirnServer server;
        try {
            server =
                    FirnServer.of(storage.store())
                            .config(config)
                            .hasOpenedStore()
                            .onError(ServerMain::endIfFatal)
                            .start();
        } catch (IOException | RuntimeException e) {
            storage.close();
            throw e;
        }
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    manager.stopping();
                                    server.close();
                                    storage.close();
                                    ended.countDown();
                                },
                                "firn-shutdown"));
        new StartReport(config, new Version().getVersion()[0])
                .lines(server, storage.store().metrics().tiers())
                .forEach(each -> format.say(StartReport.levelOf(each), each));
        format.say(
                Level.INFO,
                String.format(
                        "Serving %s on %s after %d ms.",
                        config.directory().toAbsolutePath().normalize(),
                        server.bootstrapServers(),
                        (System.nanoTime() - startNs) / 1_000_000));
        manager.ready("Serving on " + server.bootstrapServers());
        if (manager.isWatching()) {
            server.eachSecond(manager::watch);
        }
    }

    /**
     * Ends the process without memory: any thread may have lost an object halfway, and what was
     * acknowledged is on the medium.
     */
    private static void endIfFatal(Throwable error) {
        if (error.getClass() == OutOfMemoryError.class) { // not Netty's, for its own limit
            System.err.println("firn-server: ends, because it is out of memory: " + error);
            Runtime.getRuntime().halt(FAILED);
        }
    }

    /** Returns the version of the jar. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            Properties built = new Properties();
            try (InputStream in = ServerMain.class.getResourceAsStream("version.properties")) {
                built.load(in);
            }
            return new String[] {"Firn " + built.getProperty("version")};
        }
    }
}
