package io.firn.management;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.firn.management.console.Console;
import io.firn.server.ManagementService.Managed;
import io.firn.server.ManagementService.Running;
import io.firn.server.config.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/**
 * The JDK's HTTP server, with as many threads as there may be connections: each request occupies
 * one while it is received, so that slow clients do not hold up the others. Thread-safe.
 */
final class Listening implements Running {
    private static final System.Logger LOG = System.getLogger("io.firn.management");
    private static final int MOST_CONNECTIONS = 64;
    private static final int BACKLOG = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** In s, unless the name says otherwise. Without them a client can hold what it gets. */
    private static final Map<String, Integer> LIMITS =
            Map.of(
                    "jdk.httpserver.maxConnections", MOST_CONNECTIONS,
                    "sun.net.httpserver.maxIdleConnections", MOST_CONNECTIONS / 2,
                    "sun.net.httpserver.idleInterval", 10,
                    "sun.net.httpserver.maxReqTime", 10,
                    "sun.net.httpserver.maxRspTime", 30,
                    "sun.net.httpserver.clockTick", 2_000, // ms
                    "sun.net.httpserver.maxReqHeaders", 50,
                    "sun.net.httpserver.maxReqHeaderSize", 16 << 10,
                    "sun.net.httpserver.drainAmount", 4 << 10);

    static {
        LIMITS.forEach(
                (key, value) -> {
                    if (System.getProperty(key) == null) {
                        System.setProperty(key, value.toString());
                    }
                });
    }

    private final Managed managed;
    private final HttpServer http;
    private final ThreadPoolExecutor requests;
    private final ThreadPoolExecutor attempts;
    private final ScheduledExecutorService seconds;
    private final Admission admission;
    private final Readiness readiness;
    private final Metrics metrics;
    private final ConsolePages console;
    private final URI uri;
    private SSLContext tls;

    Listening(Managed managed) throws IOException {
        this.managed = managed;
        this.admission = new Admission(managed.config());
        Endpoint where = managed.config().management().orElseThrow().endpoint();
        this.http = bind(where);
        this.requests =
                new ThreadPoolExecutor(
                        0,
                        MOST_CONNECTIONS,
                        10,
                        TimeUnit.SECONDS,
                        new SynchronousQueue<>(),
                        threads("firn-management-"));
        this.attempts =
                new ThreadPoolExecutor(
                        1,
                        1,
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        threads("firn-ready-"));
        attempts.allowCoreThreadTimeOut(true);
        this.seconds = Executors.newScheduledThreadPool(1, threads("firn-certificates-"));
        this.readiness = new Readiness(managed.store(), attempts, PATIENCE);
        http.setExecutor(requests);
        this.metrics = new Metrics(managed);
        serve("/health/live", exchange -> live());
        serve("/health/ready", exchange -> readiness.answer());
        serve("/metrics", exchange -> metrics.answer(accepted(exchange)));
        this.console = serveConsole();
        this.uri = uri(where.host());
        http.start();
        if (http instanceof HttpsServer https) {
            var unused = seconds.scheduleWithFixedDelay(() -> renew(https), 1, 1, TimeUnit.SECONDS);
        }
    }

    private Answer live() {
        List<String> reasons = managed.reasonsToEnd();
        return reasons.isEmpty()
                ? Answer.text(Answer.OK, "live")
                : Answer.text(Answer.UNAVAILABLE, String.join("\n", reasons));
    }

    /** The address without a path leads to the console. */
    private ConsolePages serveConsole() {
        String pages = "/health/live, /health/ready, /metrics";
        if (managed.config().text("management.console").equals("off")) {
            serveBelow("/", exchange -> Answer.text(Answer.NOT_FOUND, "Served: " + pages));
            return null;
        }
        String all = "Served: " + ConsolePages.PATH + ", " + pages;
        serveBelow(
                "/",
                exchange ->
                        exchange.getRequestURI().getPath().equals("/")
                                ? Answer.text(303, all).with("Location", ConsolePages.PATH)
                                : Answer.text(Answer.NOT_FOUND, all));
        ConsolePages pagesOfConsole = new ConsolePages(new Console(managed));
        serveBelow(ConsolePages.PATH, pagesOfConsole::answer);
        return pagesOfConsole;
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, name + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    private HttpServer bind(Endpoint where) throws IOException {
        InetSocketAddress address = new InetSocketAddress(where.host(), where.port());
        try {
            if (managed.tls().isEmpty()) {
                return HttpServer.create(address, BACKLOG);
            }
            HttpsServer https = HttpsServer.create(address, BACKLOG);
            use(https, managed.tls().get());
            return https;
        } catch (IOException e) {
            throw new IOException(
                    "management.listener: cannot listen on "
                            + where.host()
                            + ":"
                            + where.port()
                            + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private void use(HttpsServer https, SSLContext context) {
        tls = context;
        https.setHttpsConfigurator(
                new HttpsConfigurator(context) {
                    @Override
                    public void configure(HttpsParameters parameters) {
                        managed.tlsParameters().ifPresent(parameters::setSSLParameters);
                    }
                });
    }

    private URI uri(String host) {
        String shown = host.contains(":") ? "[" + host + "]" : host;
        int port = http.getAddress().getPort();
        return URI.create((managed.tls().isEmpty() ? "http://" : "https://") + shown + ":" + port);
    }

    /** Its files may have changed. */
    private void renew(HttpsServer https) {
        try {
            SSLContext now = managed.tls().orElseThrow();
            if (now != tls) {
                use(https, now);
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "renewing the certificates failed", e);
        }
    }

    private void serve(String path, Function<HttpExchange, Answer> source) {
        serveBelow(
                path,
                exchange ->
                        exchange.getRequestURI().getPath().equals(path)
                                ? source.apply(exchange)
                                : Answer.text(Answer.NOT_FOUND, "There is no such page."));
    }

    /** Serves all paths that begin so. */
    private void serveBelow(String path, Function<HttpExchange, Answer> source) {
        http.createContext(
                path,
                exchange -> {
                    try (exchange) {
                        Answer refusal = admission.refusal(exchange);
                        send(exchange, refusal == null ? source.apply(exchange) : refusal);
                    } catch (RuntimeException e) {
                        LOG.log(System.Logger.Level.ERROR, path + " failed", e);
                        throw e;
                    }
                });
    }

    private static String accepted(HttpExchange exchange) {
        return String.join(",", exchange.getRequestHeaders().getOrDefault("Accept", List.of()));
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", answer.type());
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Content-Security-Policy", "default-src 'none'");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Referrer-Policy", "no-referrer");
        answer.headers().forEach(headers::set);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(answer.status(), -1);
        } else {
            exchange.sendResponseHeaders(answer.status(), answer.content().length);
            exchange.getResponseBody().write(answer.content());
        }
    }

    @Override
    public URI uri() {
        return uri;
    }

    @Override
    public void close() {
        seconds.shutdownNow();
        http.stop(0);
        requests.shutdownNow();
        metrics.close();
        if (console != null) {
            console.close();
        }
        attempts.shutdown(); // not interrupted: it appends
        try {
            if (!attempts.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "an append for {0}/health/ready has not ended; the server ends meanwhile",
                        uri);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
