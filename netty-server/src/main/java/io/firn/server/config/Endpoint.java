package io.firn.server.config;

import io.firn.InvalidOptionException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a listener.
 *
 * @param name the name of the listener, in upper case
 * @param host a host name or address; empty for all addresses of this machine
 * @param port the port; 0 for any free one
 * @see ServerConfig
 */
public record Endpoint(String name, String host, int port) {
    private static final Pattern FORM =
            Pattern.compile(
                    "([A-Za-z0-9_-]+)://(?:\\[([0-9a-fA-F:.%]+)]|([^:/\\[\\]]*)):(\\d{1,5})");

    static Endpoint parse(String key, String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(4)) > 65_535) {
            throw new InvalidOptionException(
                    key + ": expected NAME://HOST:PORT, found '" + text + "'");
        }
        String host = matcher.group(2) == null ? matcher.group(3) : matcher.group(2);
        return new Endpoint(
                matcher.group(1).toUpperCase(Locale.ROOT),
                host,
                Integer.parseInt(matcher.group(4)));
    }

    /** Returns whether it stands for all addresses of this machine. */
    public boolean isAnyAddress() {
        return host.isEmpty() || host.equals("0.0.0.0") || host.equals("::");
    }
}
