package io.firn.management;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.firn.server.config.ServerConfig;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides which requests are served. A page in a browser can make it send requests to this listener
 * by a name of its own that stands for this machine's address; so the name in the header Host has
 * to be known, unless it is an address. Thread-safe.
 */
final class Admission {
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]+)(:\\d+)?");
    private static final Pattern ADDRESS = Pattern.compile("\\[.*]|\\d+\\.\\d+\\.\\d+\\.\\d+");

    /** After a wrong password, so that few can be tried. */
    private static final long PENALTY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Set<String> hosts = new HashSet<>();

    /** The digest of what a client has to send; null if there is no password. */
    private final byte[] credentials;

    Admission(ServerConfig config) {
        hosts.add("localhost");
        config.management().ifPresent(each -> hosts.add(lower(each.endpoint().host())));
        config.list("management.hosts").forEach(each -> hosts.add(lower(each)));
        String password = config.text("management.password");
        credentials =
                password == null
                        ? null
                        : digest(
                                "Basic "
                                        + Base64.getEncoder()
                                                .encodeToString(
                                                        (config.text("management.user")
                                                                        + ":"
                                                                        + password)
                                                                .getBytes(StandardCharsets.UTF_8)));
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** Of one length, so that the time of a comparison says nothing. */
    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Returns why a request is refused; null if it is served. */
    Answer refusal(HttpExchange exchange) {
        Headers headers = exchange.getRequestHeaders();
        List<String> host = headers.getOrDefault("Host", List.of());
        if (host.size() != 1 || !isKnown(host.get(0))) {
            return Answer.text(
                    421,
                    "The header Host must be one address, or a name of this listener:"
                            + " management.hosts adds names.");
        }
        if (!exchange.getRequestMethod().matches("GET|HEAD")) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            return Answer.text(405, "Only GET and HEAD are served.");
        }
        List<String> given = headers.getOrDefault("Authorization", List.of(""));
        if (credentials != null && !MessageDigest.isEqual(credentials, digest(given.get(0)))) {
            LockSupport.parkNanos(PENALTY_NS);
            exchange.getResponseHeaders()
                    .set("WWW-Authenticate", "Basic realm=\"firn\", charset=\"UTF-8\"");
            return Answer.text(401, "The user and password of management.user are expected.");
        }
        return null;
    }

    private boolean isKnown(String host) {
        Matcher matcher = HOST.matcher(host);
        return matcher.matches()
                && (ADDRESS.matcher(matcher.group(1)).matches()
                        || hosts.contains(lower(matcher.group(1))));
    }
}
