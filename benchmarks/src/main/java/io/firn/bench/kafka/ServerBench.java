package io.firn.bench.kafka;

import io.firn.bench.kafka.ServerLoad.Kind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Compares what the server and Apache Kafka use for the same work, with a load that costs its
 * sender nearly nothing: requests are encoded once, responses are not parsed.
 */
@Command(
        name = "bin/bench server",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Compares the processor time of the server with that of Apache Kafka.")
public final class ServerBench implements Callable<Integer> {
    private static final List<String> PARTS = List.of("produce", "fetch", "forced");
    private static final List<String> BOTH = List.of("kafka", "firn");
    private static final List<String> PLAIN = List.of("kafka", "firn", "floor");
    private static final List<String> TLS = List.of("kafka", "firn", "boringssl");
    private static final List<String> ALL = List.of("kafka", "firn", "boringssl", "floor");
    private static final List<Integer> SIZES = List.of(1, 16, 160);
    private static final int MOST_KIB = 900; // Kafka accepts 1 MiB
    private static final int WARM_KIB = 16;

    /** A GB in requests of 1 KiB takes Kafka more than a minute. */
    private static final int SMALL_SHARE = 8;

    @Option(names = "--only", split = ",", description = "Runs only these: produce, fetch, forced.")
    private List<String> only = new ArrayList<>();

    @Option(
            names = "--servers",
            split = ",",
            description =
                    "kafka, firn, or both: the default; with --tls also boringssl, Firn with"
                            + " BoringSSL. With --only produce also floor, which does nothing but"
                            + " receive, check, write, force and answer.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--tls",
            description =
                    "The load comes over TLS 1.3, always with one cipher suite. By default three"
                            + " servers, 16 and 160 KiB, acks=1, produce and fetch.")
    private boolean isTls;

    @Option(
            names = "--sizes",
            split = ",",
            description = "KiB of a batch; 1 and 16 records of 1 KiB, and so on. Default: 1,16,160")
    private List<Integer> sizes = new ArrayList<>();

    @Option(names = "--acks", split = ",", description = "For produce. Default: 1,all")
    private List<String> acks = new ArrayList<>();

    @Option(names = "--partitions", split = ",", description = "For forced. Default: 1,20")
    private List<Integer> partitions = List.of(1, 20);

    @Option(
            names = "--gb",
            description = "GB of a run; an eighth of it for 1 KiB. Default: ${DEFAULT-VALUE}")
    private double gb = 1;

    @Option(
            names = "--warm-gb",
            description =
                    "GB of warm-up for each server, and GB that are fetched before the fetches that"
                            + " are measured. Default: ${DEFAULT-VALUE}")
    private double warmGb = 2;

    @Option(
            names = "--fetch-gb",
            description =
                    "GB that are fetched in a run, the same records again and again. Default:"
                            + " ${DEFAULT-VALUE}")
    private double fetchGb = 4;

    @Option(
            names = "--receive-buffer",
            paramLabel = "BYTES",
            description =
                    "The receive buffer of connections that fetch. Kafka's consumer asks for 65536;"
                            + " 0, the default, lets the system choose.")
    private int receiveBytes = 0;

    @Option(
            names = "--seconds",
            description = "The longest duration of a produce run. Default: ${DEFAULT-VALUE}")
    private int seconds = 10;

    @Option(
            names = "--turns",
            description =
                    "Turns, each with all loads, of which the next turn begins with the second one;"
                            + " the median of the CPU time is reported.")
    private int turns = 1;

    @Option(
            names = "--connections",
            description = "Connections of the load. Default: ${DEFAULT-VALUE}")
    private int connections = 4;

    @Option(
            names = "--depth",
            description = "Requests in flight on each connection. Default: ${DEFAULT-VALUE}")
    private int depth = 5;

    @Option(
            names = "--rate",
            description = "Requests a second, whatever the server does; 0: as many as possible.")
    private int rate = 0;

    @Option(
            names = "--override",
            paramLabel = "KEY=VALUE",
            description = "A setting of Firn's server; may be repeated.")
    private List<String> overrides = new ArrayList<>();

    @Option(names = "--dir", description = "Work directory. Default: ${DEFAULT-VALUE}")
    private Path place = Path.of("target");

    @Option(
            names = "--jvm",
            split = " ",
            description = "JVM options of both servers. Default: ${DEFAULT-VALUE}")
    private List<String> jvm = List.of("-Xmx1g", "-XX:+UseG1GC");

    @Option(names = "--firn-classpath", required = true, hidden = true)
    private String firnClassPath;

    @SuppressWarnings("UnusedVariable") // bin/bench passes it to every benchmark beside Kafka
    @Option(names = "--firn-options", hidden = true)
    private String firnOptions = "";

    @Option(names = "--kafka-classpath", required = true, hidden = true)
    private String kafkaClassPath;

    @Spec private CommandSpec spec;

    private final PrintStream out = System.out;
    private int topics;

    /** Runs the benchmark and exits. */
    public static void main(String[] arguments) {
        CommandLine line = new CommandLine(new ServerBench());
        line.setExecutionExceptionHandler(
                (e, command, parsed) -> {
                    if (!(e instanceof IOException)) {
                        throw e;
                    }
                    command.getErr().println(e.getMessage());
                    return 1;
                });
        System.exit(line.execute(arguments));
    }

    private static <T> void unlessGiven(List<T> given, List<T> usual) {
        if (given.isEmpty()) {
            given.addAll(usual);
        }
    }

    private void complete() {
        unlessGiven(names, isTls ? TLS : BOTH);
        unlessGiven(only, isTls ? List.of("produce", "fetch") : PARTS);
        unlessGiven(sizes, isTls ? List.of(16, 160) : SIZES);
        unlessGiven(acks, isTls ? List.of("1") : List.of("1", "all"));
    }

    @Override
    public Integer call() throws Exception {
        complete();
        check();
        Path directory = Files.createTempDirectory(Files.createDirectories(place), "server-bench-");
        try {
            checkSpace(directory);
            out.printf(
                    Locale.ROOT,
                    "%d cores, load before %s; %s %s; %s; servers with %s; warm-up of %.1f GB, runs"
                            + " of %.2f GB or %d s, fetches of %.1f GB, %d connections with %d in"
                            + " flight, medians of %d turns%n%n",
                    Runtime.getRuntime().availableProcessors(),
                    Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0],
                    System.getProperty("java.vm.name"),
                    Runtime.version(),
                    Files.getFileStore(directory).type(),
                    String.join(" ", jvm),
                    warmGb,
                    gb,
                    seconds,
                    fetchGb,
                    connections,
                    depth,
                    turns);
            if (isTls) {
                out.printf("%s with %s%n%n", LoadTls.PROTOCOL, LoadTls.SUITE);
            }
            run(new Contenders(directory.toAbsolutePath(), jvm, firnClassPath, kafkaClassPath));
        } finally {
            Trees.delete(directory);
        }
        return 0;
    }

    // ---- arguments

    private void check() {
        Only.check(spec, "--only", only, PARTS);
        for (String each : names) {
            require(
                    (isTls ? TLS : PLAIN).contains(each),
                    "--servers accepts kafka, firn and floor, or with --tls kafka, firn and"
                            + " boringssl, not "
                            + each);
        }
        for (String each : acks) {
            require(each.matches("1|all"), "--acks accepts 1 and all, not " + each);
        }
        for (int each : sizes) {
            require(
                    each > 0 && each <= MOST_KIB,
                    "--sizes from 1 to " + MOST_KIB + ", not " + each);
        }
        for (int each : partitions) {
            require(each > 0 && each <= 1_000, "--partitions from 1 to 1000, not " + each);
        }
        require(
                gb > 0 && fetchGb > 0 && warmGb >= 0,
                "--gb and --fetch-gb above 0, --warm-gb 0 or more");
        require(
                !names.contains(Broker.FLOOR) || only.equals(List.of("produce")),
                "--servers floor needs --only produce");
        require(turns > 0 && seconds > 0 && rate >= 0, "--turns and --seconds above 0");
        require(receiveBytes >= 0, "--receive-buffer 0 or more");
        require(connections > 0 && depth > 0, "--connections and --depth above 0");
        if (names.contains("kafka")) {
            for (String each : kafkaClassPath.split(":", -1)) {
                require(
                        Files.exists(Path.of(each)),
                        "Kafka is not there: no " + each + "; --servers firn runs without it");
            }
        }
    }

    private void require(boolean condition, String message) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    private void checkSpace(Path directory) throws IOException {
        double needed = names.size() * (Math.max(gb, warmGb) + 1);
        double free = Files.getFileStore(directory).getUsableSpace() / 1e9;
        require(
                free > needed,
                String.format(
                        Locale.ROOT,
                        "the disk of %s has %.1f GB free, %.1f are needed: free some, or give"
                                + " another --dir or a smaller --gb",
                        place,
                        free,
                        needed));
    }

    // ---- runs

    private List<ServerLoad> loads() {
        List<ServerLoad> loads = new ArrayList<>();
        for (int kib : sizes) {
            double most = kib < WARM_KIB ? gb / SMALL_SHARE : gb;
            for (String each : acks) {
                if (only.contains("produce")) {
                    short value = (short) (each.equals("all") ? -1 : 1);
                    loads.add(
                            ServerLoad.producing(Kind.PRODUCE, kib, value, 1, most, seconds, rate));
                }
            }
            if (only.contains("fetch")) {
                loads.add(ServerLoad.fetching(kib, most, seconds, fetchGb, warmGb, receiveBytes));
            }
            for (int each : partitions) {
                if (only.contains("forced")) {
                    loads.add(
                            ServerLoad.producing(
                                    Kind.FORCED, kib, (short) -1, each, gb, seconds, rate));
                }
            }
        }
        return loads;
    }

    private void run(Contenders contenders) throws Exception {
        List<Broker> brokers = new ArrayList<>();
        try {
            LoadTls tls = isTls ? new LoadTls(contenders.directory()) : null;
            for (String each : ALL) {
                if (names.contains(each)) {
                    brokers.add(start(contenders, each, tls));
                }
            }
            for (Broker each : brokers) {
                warm(contenders, each);
            }
            out.println(ServerFigures.head());
            compare(contenders, brokers, loads());
        } finally {
            for (Broker each : brokers) {
                each.close();
            }
        }
    }

    private Broker start(Contenders contenders, String name, LoadTls tls) throws Exception {
        List<String> settings = new ArrayList<>(overrides);
        if (name.equals("boringssl")) {
            settings.add("firn.ssl.engine=openssl");
        }
        Broker broker =
                switch (name) {
                    case "firn" -> contenders.firn("Firn", settings, tls);
                    case Broker.FLOOR -> contenders.floor();
                    case "boringssl" -> contenders.firn("Firn with BoringSSL", settings, tls);
                    default ->
                            contenders.kafka(name, List.of("log.segment.delete.delay.ms=500"), tls);
                };
        return broker.start();
    }

    /** Lets the compilers see most of what follows: mostly batches of 16 KiB, and small ones. */
    private void warm(Contenders contenders, Broker broker) throws Exception {
        double small = warmGb / 20;
        int longest = 120;
        short one = 1;
        double large = warmGb - small;
        boolean isFloor = broker.name().equals(Broker.FLOOR);
        for (ServerLoad each :
                List.of(
                        isFloor
                                ? ServerLoad.producing(
                                        Kind.PRODUCE, WARM_KIB, one, 1, large, longest, 0)
                                : ServerLoad.fetching(WARM_KIB, large, longest, 4 * warmGb, 0, 0),
                        ServerLoad.producing(Kind.PRODUCE, 1, (short) -1, 1, small, longest, 0))) {
            if (each.gb() > 0) {
                run(contenders, broker, each);
            }
        }
    }

    private void compare(Contenders contenders, List<Broker> brokers, List<ServerLoad> loads)
            throws Exception {
        Map<ServerLoad, List<List<ServerFigures>>> figures = new HashMap<>();
        for (ServerLoad load : loads) {
            List<List<ServerFigures>> ofBrokers = new ArrayList<>();
            brokers.forEach(each -> ofBrokers.add(new ArrayList<>()));
            figures.put(load, ofBrokers);
        }
        for (int turn = 0; turn < turns; turn++) {
            List<ServerLoad> rotated = new ArrayList<>(loads);
            Collections.rotate(rotated, -turn);
            for (ServerLoad load : rotated) {
                for (int i = 0; i < brokers.size(); i++) {
                    figures.get(load).get(i).add(run(contenders, brokers.get(i), load));
                }
                if (turn == turns - 1) {
                    print(load, brokers, figures.get(load));
                }
            }
        }
    }

    private void print(ServerLoad load, List<Broker> brokers, List<List<ServerFigures>> figures) {
        for (int i = 0; i < brokers.size(); i++) {
            out.println(ServerFigures.row(load.name(), brokers.get(i).name(), figures.get(i)));
        }
        List<ServerFigures> medians = figures.stream().map(ServerFigures::median).toList();
        for (int i = 1; i < medians.size(); i++) {
            String label = medians.size() == 2 ? "ratio" : "ratio: " + brokers.get(i).name();
            out.println(ServerFigures.ratio(label, medians.get(0), medians.get(i)));
        }
    }

    private ServerFigures run(Contenders contenders, Broker broker, ServerLoad load)
            throws Exception {
        Trees.warmMemory(contenders.directory(), (int) (load.gb() * 2_000));
        return load.run(broker, "load-" + topics++, connections, depth);
    }
}
