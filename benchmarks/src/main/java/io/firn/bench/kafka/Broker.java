package io.firn.bench.kafka;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A server in a process of its own: Firn's or Kafka's. */
final class Broker implements AutoCloseable {
    /** The name of the floor, which only accepts produce requests, to any topic. */
    static final String FLOOR = "floor";

    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(5);
    private static final long TICKS_PER_SECOND = 100;
    private static final int API_VERSIONS = 18;

    // Fields of /proc/PID/stat, after the name in brackets.
    private static final int USER = 11;
    private static final int SYSTEM = 12;
    private static final Pattern COMPILER = Pattern.compile("\\(C[12] Compiler");

    private final String name;
    private final List<String> command;
    private final Path log;
    private final Path data;
    private final int port;
    private final LoadTls tls;
    private final int tlsPort;
    private Process process;
    private long startNs;

    private Broker(
            String name, List<String> command, Path directory, int port, LoadTls tls, int tlsPort) {
        this.name = name;
        this.tls = tls;
        this.tlsPort = tlsPort;
        this.command = command;
        this.log = directory.resolve("log");
        this.data = directory.resolve("data");
        this.port = port;
    }

    /** Returns a new connection for a load. */
    LoadChannel connect() throws IOException {
        return connect(0);
    }

    /** Returns a new connection with a receive buffer of its own size; 0 lets the system choose. */
    LoadChannel connect(int receiveBytes) throws IOException {
        try {
            return tls == null
                    ? new LoadChannel(address(), null, receiveBytes)
                    : new LoadChannel(
                            new InetSocketAddress("127.0.0.1", tlsPort),
                            tls.context(),
                            receiveBytes);
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Returns a Firn server that is not started yet. */
    static Broker firn(List<String> java, String classPath, Path directory, List<String> overrides)
            throws IOException {
        return firn("Firn", java, classPath, directory, overrides, null);
    }

    /**
     * Returns a Firn server that is not started yet.
     *
     * @param tls has loads come over TLS, by a listener of their own; or null
     */
    static Broker firn(
            String name,
            List<String> java,
            String classPath,
            Path directory,
            List<String> overrides,
            LoadTls tls)
            throws IOException {
        int port = freePort();
        int tlsPort = freePort();
        List<String> command = new ArrayList<>(java);
        command.add("-Dio.netty.leakDetection.level=disabled"); // as bin/firn server has it
        command.addAll(List.of("-cp", classPath, "io.firn.server.ServerMain"));
        List<String> all = new ArrayList<>();
        all.add("listeners=" + listeners(port, tls, tlsPort));
        all.addAll(tls == null ? List.of() : tls.settings());
        all.add("log.dir=" + directory.resolve("data"));
        all.add("group.initial.rebalance.delay.ms=0");
        all.addAll(overrides); // the last value of a key is used
        all.forEach(each -> command.addAll(List.of("--override", each)));
        return new Broker(name, command, directory, port, tls, tlsPort);
    }

    private static String listeners(int port, LoadTls tls, int tlsPort) {
        String plain = "PLAINTEXT://127.0.0.1:" + port;
        return tls == null ? plain : plain + ",SSL://127.0.0.1:" + tlsPort;
    }

    /** Returns a {@link FloorServer} that is not started yet. */
    static Broker floor(List<String> java, Path directory) throws IOException {
        int port = freePort();
        List<String> command = new ArrayList<>(java);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(FloorServer.class.getName(), Integer.toString(port)));
        command.add(directory.resolve("data").toString());
        return new Broker(FLOOR, command, directory, port, null, 0);
    }

    /** Returns a single Kafka node, broker and controller in one, that is not started yet. */
    static Broker kafka(List<String> java, String classPath, Path directory, List<String> overrides)
            throws IOException, InterruptedException {
        return kafka(java, classPath, directory, overrides, null);
    }

    /**
     * Returns a single Kafka node that is not started yet.
     *
     * @param tls has loads come over TLS, by a listener of their own; or null
     */
    static Broker kafka(
            List<String> java,
            String classPath,
            Path directory,
            List<String> overrides,
            LoadTls tls)
            throws IOException, InterruptedException {
        int port = freePort();
        int tlsPort = freePort();
        String listeners = listeners(port, tls, tlsPort);
        int controller = freePort();
        List<String> lines = new ArrayList<>();
        lines.add("process.roles=broker,controller");
        lines.add("node.id=1");
        lines.add("controller.quorum.voters=1@127.0.0.1:" + controller);
        lines.add("listeners=" + listeners + ",CONTROLLER://127.0.0.1:" + controller);
        lines.add("advertised.listeners=" + listeners);
        lines.addAll(tls == null ? List.of() : tls.settings());
        lines.add("controller.listener.names=CONTROLLER");
        lines.add(
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SSL:SSL,CONTROLLER:PLAINTEXT");
        lines.add("log.dirs=" + directory.resolve("data"));
        lines.add("offsets.topic.replication.factor=1");
        lines.add("group.initial.rebalance.delay.ms=0");
        lines.addAll(overrides);
        Path file = Files.write(directory.resolve("server.properties"), lines);
        Path log = directory.resolve("log");
        if (!Files.exists(directory.resolve("data"))) {
            List<String> format = new ArrayList<>(java);
            format.addAll(List.of("-cp", classPath, "kafka.tools.StorageTool", "format"));
            format.addAll(List.of("-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", file.toString()));
            Process formatting = start(format, log);
            if (formatting.waitFor() != 0) {
                throw new IOException("Kafka's format failed:\n" + Files.readString(log));
            }
        }
        List<String> command = new ArrayList<>(java);
        command.addAll(List.of("-cp", classPath, "kafka.Kafka", file.toString()));
        return new Broker("Kafka", command, directory, port, tls, tlsPort);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static Process start(List<String> command, Path log) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Starts the server; returns when it has answered a client. */
    Broker start() throws IOException {
        long before = System.nanoTime();
        process = start(command, log);
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() - before > PATIENCE_NS) {
                close();
                throw new IOException(name + " did not start:\n" + Files.readString(log));
            }
            LockSupport.parkNanos(5_000_000);
        }
        startNs = System.nanoTime() - before;
        return this;
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
            socket.setSoTimeout(10_000);
            ByteBuffer request = ByteBuffer.allocate(14);
            request.putInt(10).putShort((short) API_VERSIONS).putShort((short) 0);
            request.putInt(1).putShort((short) -1);
            socket.getOutputStream().write(request.array());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            return in.readInt() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    String name() {
        return name;
    }

    String bootstrap() {
        return "127.0.0.1:" + port;
    }

    InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    /** Returns the time from the start of the process to its first response. */
    double startMs() {
        return startNs / 1e6;
    }

    /** Returns the processor time used so far, in seconds. */
    double cpuSeconds() throws IOException {
        return userSeconds() + systemSeconds();
    }

    /** Returns the part of the processor time that was not used by the kernel. */
    double userSeconds() throws IOException {
        return ticks(USER);
    }

    /** Returns the part of the processor time that was used by the kernel. */
    double systemSeconds() throws IOException {
        return ticks(SYSTEM);
    }

    /** Returns the processor time of the JIT compilers' threads that have not ended. */
    double compilerSeconds() throws IOException {
        double seconds = 0;
        try (Stream<Path> threads = Files.list(Path.of("/proc", pid(), "task"))) {
            for (Path each : threads.toList()) {
                try {
                    String stat = Files.readString(each.resolve("stat"));
                    if (COMPILER.matcher(stat).find()) {
                        seconds += ticks(stat, USER) + ticks(stat, SYSTEM);
                    }
                } catch (NoSuchFileException e) {
                    continue; // the thread has just ended
                }
            }
        }
        return seconds;
    }

    private double ticks(int field) throws IOException {
        return ticks(Files.readString(Path.of("/proc", pid(), "stat")), field);
    }

    private static double ticks(String stat, int field) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[field]) / (double) TICKS_PER_SECOND;
    }

    /** Returns how many bytes the process has caused to be written to a device. */
    long writtenBytes() throws IOException {
        for (String each : Files.readAllLines(Path.of("/proc", pid(), "io"))) {
            if (each.startsWith("write_bytes: ")) {
                return Long.parseLong(each.substring("write_bytes: ".length()));
            }
        }
        throw new IOException("no write_bytes in the process's io");
    }

    /** Returns a line of the process's status in MiB, such as VmRSS, RssAnon, RssFile. */
    double memoryMb(String line) throws IOException {
        for (String each : Files.readAllLines(Path.of("/proc", pid(), "status"))) {
            if (each.startsWith(line + ":")) {
                return Long.parseLong(each.replaceAll("[^0-9]", "")) / 1024.0;
            }
        }
        throw new IOException("no " + line + " in the process's status");
    }

    /** Returns the directory with its data. */
    Path data() {
        return data;
    }

    /** Returns the number of threads. */
    int threads() throws IOException {
        for (String each : Files.readAllLines(Path.of("/proc", pid(), "status"))) {
            if (each.startsWith("Threads:")) {
                return Integer.parseInt(each.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException("no Threads in the process's status");
    }

    private String pid() {
        return Long.toString(process.pid());
    }

    /** Kills it. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        stop();
    }

    /** Ends it; it can be started again. */
    void stop() {
        if (process != null) {
            process.destroy();
            try {
                if (!process.waitFor(30, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
