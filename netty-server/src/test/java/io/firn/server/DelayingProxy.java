package io.firn.server;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * A bad network between clients and a server: it cuts connections of producers and delivers their
 * last request late, when the client has asked again on another connection and gone on; or delivers
 * it, and loses the answer. All else it only slows down now and then.
 */
final class DelayingProxy implements AutoCloseable {
    private static final Set<ApiKeys> DELAYED =
            Set.of(
                    ApiKeys.PRODUCE,
                    ApiKeys.INIT_PRODUCER_ID,
                    ApiKeys.ADD_PARTITIONS_TO_TXN,
                    ApiKeys.ADD_OFFSETS_TO_TXN,
                    ApiKeys.END_TXN,
                    ApiKeys.TXN_OFFSET_COMMIT);
    private static final int MOST_LATE_MS = 1_500;
    private static final int MOST_SLOW_MS = 20;
    private static final int ONE_IN_LATE = 50;
    private static final int ONE_IN_UNANSWERED = 100;
    private static final int ONE_IN_SLOW = 10;
    private static final int LINGER_MS = 5_000;

    private final ServerSocket listener;
    private final ScheduledExecutorService late;
    private final Random random;
    private final Map<ApiKeys, Integer> delivered = new EnumMap<>(ApiKeys.class);
    private volatile int target;
    private volatile boolean isCalm;

    /** Listens on a free port. */
    DelayingProxy(long seed) throws IOException {
        random = new Random(seed);
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        late =
                Executors.newScheduledThreadPool(
                        2,
                        work -> {
                            Thread thread = new Thread(work, "late");
                            thread.setDaemon(true);
                            return thread;
                        });
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Sets the port of the server. */
    void target(int port) {
        target = port;
    }

    /** From now on everything is passed on at once. */
    void calm() {
        isCalm = true;
    }

    /** Returns how many requests were delivered late, by API. */
    synchronized Map<ApiKeys, Integer> delivered() {
        return new EnumMap<>(delivered);
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void start(Work work) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                work.run();
                            } catch (IOException | InterruptedException e) {
                                return; // a connection has ended, or the proxy
                            }
                        },
                        "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket server;
            try {
                server = new Socket(InetAddress.getLoopbackAddress(), target);
            } catch (IOException e) {
                client.close(); // the server is dead just now
                continue;
            }
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            start(() -> answers(server, client));
            start(() -> requests(client, server));
        }
    }

    private static void answers(Socket server, Socket client) throws IOException {
        try (server) {
            try (client) {
                server.getInputStream().transferTo(client.getOutputStream());
            } catch (IOException e) {
                // The client is cut off; what still comes is lost.
                server.getInputStream().transferTo(OutputStream.nullOutputStream());
            }
        }
    }

    private void requests(Socket client, Socket server) throws IOException, InterruptedException {
        boolean isLeftOpen = false;
        try (client) {
            InputStream in = client.getInputStream();
            DataInputStream data = new DataInputStream(in);
            while (true) {
                byte[] body = new byte[data.readInt()];
                data.readFully(body);
                ByteBuffer frame = ByteBuffer.allocate(4 + body.length);
                frame.putInt(body.length).put(body);
                ApiKeys key = ApiKeys.forId(frame.getShort(4));
                if (!isCalm && DELAYED.contains(key)) {
                    if (chance(ONE_IN_LATE)) {
                        isLeftOpen = true;
                        deliverLate(key, frame.array(), server);
                        return;
                    }
                    if (chance(ONE_IN_UNANSWERED)) {
                        isLeftOpen = true;
                        client.close(); // first: the answer would be faster
                        deliver(key, frame.array(), server);
                        return;
                    }
                    if (chance(ONE_IN_SLOW)) {
                        Thread.sleep(below(MOST_SLOW_MS));
                    }
                }
                server.getOutputStream().write(frame.array());
            }
        } finally {
            if (!isLeftOpen) {
                server.close();
            }
        }
    }

    private void deliverLate(ApiKeys key, byte[] frame, Socket server) {
        var unused =
                late.schedule(
                        () -> {
                            deliver(key, frame, server);
                            return null;
                        },
                        below(MOST_LATE_MS),
                        TimeUnit.MILLISECONDS);
    }

    private void deliver(ApiKeys key, byte[] frame, Socket server) throws IOException {
        server.getOutputStream().write(frame);
        synchronized (this) {
            delivered.merge(key, 1, Integer::sum);
        }
        var unused =
                late.schedule(
                        () -> {
                            server.close();
                            return null;
                        },
                        LINGER_MS,
                        TimeUnit.MILLISECONDS);
    }

    private synchronized boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private synchronized int below(int bound) {
        return random.nextInt(bound);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        late.shutdownNow();
    }
}
