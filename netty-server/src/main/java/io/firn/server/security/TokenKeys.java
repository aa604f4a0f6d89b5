package io.firn.server.security;

import io.firn.InvalidOptionException;
import io.firn.medium.FileMedium;
import io.firn.medium.OpenToOthers;
import io.firn.server.config.Listener;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.Key;
import java.util.List;
import javax.annotation.concurrent.GuardedBy;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.oauthbearer.internals.secured.JaasOptionsUtils;
import org.jose4j.http.Get;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwx.JsonWebStructure;
import org.jose4j.keys.resolvers.JwksVerificationKeyResolver;
import org.jose4j.keys.resolvers.VerificationKeyResolver;
import org.jose4j.lang.JoseException;
import org.jose4j.lang.UnresolvableKeyException;

/**
 * The public keys by which tokens are verified: a JSON Web Key Set in a file, or sent by another
 * server over https. Verifying waits neither for a disk nor for that server: it uses the keys that
 * were read last, and a key that is not among them makes the background read them early. Keys that
 * cannot be read are logged, and those from before stay in use. Thread-safe.
 */
final class TokenKeys implements VerificationKeyResolver {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final String PREFIX = "sasl.oauthbearer.jwks.endpoint.";
    private static final String URL = PREFIX + "url";
    private static final String BEARER = "OAUTHBEARER";
    private static final int MOST_BYTES = 512 * 1024;
    private static final int TIMEOUT_MS = 5_000;
    private static final int SHOWN_KEYS = 5;
    private static final int MOST_CHARS_OF_ID = 50;
    private static final int MOST_CHARS_OF_REASON = 300;

    private final URI where;
    private final Path file;
    private final Get http;
    private final long refreshMs;
    private final long firstBackOffMs;
    private final long mostBackOffMs;

    private volatile Keys keys;
    private volatile boolean isMissed;

    @GuardedBy("this")
    private FileTime changed;

    @GuardedBy("this")
    private long triedNs;

    @GuardedBy("this")
    private long pauseMs;

    @GuardedBy("this")
    private long backOffMs;

    /** What was logged of keys that cannot be used: they are looked at again and again. */
    @GuardedBy("this")
    private String refusal = "";

    private record Keys(List<JsonWebKey> all, VerificationKeyResolver resolver) {}

    /**
     * Reads the keys. Those of another server may be missing at first, so that clients of other
     * mechanisms do not depend on it.
     *
     * @throws InvalidOptionException if the address is invalid, or a file cannot be used
     */
    TokenKeys(Listener listener) {
        refreshMs = number(listener, "refresh.ms");
        firstBackOffMs = number(listener, "retry.backoff.ms");
        mostBackOffMs = number(listener, "retry.backoff.max.ms");
        where = address(listener.text(URL));
        boolean isFile = "file".equals(where.getScheme());
        file = isFile ? path(where) : null;
        http = isFile ? null : get(listener);
        synchronized (this) {
            backOffMs = firstBackOffMs;
            if (isFile) {
                OpenToOthers.warn(FileMedium.real(), URL, file);
                try {
                    readFile();
                } catch (IOException | JoseException e) {
                    throw new InvalidOptionException(
                            URL + ": " + where + " cannot be used: " + reason(e));
                }
            } else {
                fetch();
            }
        }
    }

    private static long number(Listener listener, String key) {
        return Long.parseLong(listener.text(PREFIX + key));
    }

    private static URI address(String text) {
        try {
            URI address = URI.create(text.trim());
            boolean isHttps = "https".equals(address.getScheme()) && address.getHost() != null;
            boolean isFile = "file".equals(address.getScheme()) && address.getPath() != null;
            if ((isHttps || isFile) && address.getUserInfo() == null) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw new InvalidOptionException(
                URL + ": expected https://HOST/PATH or file:///PATH, found '" + text + "'");
    }

    private static Path path(URI address) {
        try {
            return Path.of(address);
        } catch (IllegalArgumentException e) {
            throw new InvalidOptionException(
                    URL + ": expected file:///PATH, found '" + address + "'");
        }
    }

    private static Get get(Listener listener) {
        Get get = new Get();
        get.setConnectTimeout(TIMEOUT_MS);
        get.setReadTimeout(TIMEOUT_MS);
        get.setRetries(0);
        get.setResponseBodySizeLimit(MOST_BYTES);
        String key = JaasConfig.key(BEARER);
        String text = listener.text(key);
        if (text == null) {
            return get;
        }
        try {
            List<AppConfigurationEntry> entries = JaasConfig.entries(listener, BEARER, text);
            boolean hasTls =
                    entries.get(0).getOptions().keySet().stream()
                            .anyMatch(each -> each.startsWith("ssl."));
            if (hasTls) {
                get.setSslSocketFactory(
                        new JaasOptionsUtils(BEARER, entries).createSSLSocketFactory());
            }
            return get;
        } catch (RuntimeException e) { // its message may contain a password
            throw new InvalidOptionException(
                    listener.ownKey(key)
                            + ": expected org.apache.kafka.common.security.oauthbearer"
                            + ".OAuthBearerLoginModule required; with options of TLS that can be"
                            + " used, such as ssl.truststore.location, found others");
        }
    }

    // ---- reading

    /** Reads the keys if it is time to. May wait for another server for some seconds. */
    synchronized void refresh() {
        if (file == null) {
            long pausedMs = (System.nanoTime() - triedNs) / 1_000_000;
            if (pausedMs >= (isMissed ? Math.min(mostBackOffMs, pauseMs) : pauseMs)) {
                fetch();
            }
            return;
        }
        try {
            if (!Files.getLastModifiedTime(file).equals(changed)) {
                readFile();
            }
        } catch (IOException | JoseException e) {
            refuse(e);
        }
    }

    @GuardedBy("this")
    private void readFile() throws IOException, JoseException {
        changed = Files.getLastModifiedTime(file);
        if (Files.size(file) > MOST_BYTES) {
            throw new IOException(
                    "expected up to " + MOST_BYTES + " bytes, found " + Files.size(file));
        }
        use(Files.readString(file));
    }

    @GuardedBy("this")
    private void fetch() {
        isMissed = false;
        try {
            use(http.get(where.toString()).getBody());
            pauseMs = refreshMs;
            backOffMs = firstBackOffMs;
        } catch (IOException | JoseException e) {
            pauseMs = backOffMs;
            backOffMs = Math.min(2 * backOffMs, mostBackOffMs);
            refuse(e);
        }
        triedNs = System.nanoTime();
    }

    @GuardedBy("this")
    private void use(String text) throws JoseException {
        List<JsonWebKey> all =
                parse(text).stream().filter(PublicJsonWebKey.class::isInstance).toList();
        if (all.isEmpty()) {
            throw new JoseException("expected one or more public keys, found none");
        }
        if (keys == null || !refusal.isEmpty()) {
            LOG.log(System.Logger.Level.INFO, "{0}: keys of tokens in use: {1}", where, all.size());
        }
        keys = new Keys(all, new JwksVerificationKeyResolver(all));
        refusal = "";
    }

    private static List<JsonWebKey> parse(String text) throws JoseException {
        try {
            return new JsonWebKeySet(text).getJsonWebKeys();
        } catch (RuntimeException e) { // for example, a key that is a number
            throw new JoseException("no keys", e);
        }
    }

    @GuardedBy("this")
    private void refuse(Exception e) {
        String now = reason(e);
        if (!now.equals(refusal)) {
            refusal = now;
            LOG.log(
                    System.Logger.Level.ERROR,
                    "{0}: keys of tokens cannot be read, and are tried again; {1}: {2}",
                    where,
                    keys == null ? "tokens are refused" : "those from before stay in use",
                    now);
        }
    }

    private static String reason(Exception e) {
        return e instanceof JoseException && e.getCause() != null
                ? "expected a JSON Web Key Set, found other text"
                : PrintableText.of(e.toString(), MOST_CHARS_OF_REASON);
    }

    // ---- use

    @Override
    public Key resolveKey(JsonWebSignature signed, List<JsonWebStructure> nesting)
            throws UnresolvableKeyException {
        Keys now = keys;
        try {
            if (now == null) {
                throw new UnresolvableKeyException("no keys");
            }
            return now.resolver.resolveKey(signed, nesting);
        } catch (UnresolvableKeyException e) {
            isMissed = true;
            throw e;
        }
    }

    @Override
    public String toString() {
        Keys now = keys;
        if (now == null) {
            return "a key of " + where + ", which could not be read yet";
        }
        List<String> ids =
                now.all.stream()
                        .limit(SHOWN_KEYS)
                        .map(each -> PrintableText.of(each.getKeyId(), MOST_CHARS_OF_ID))
                        .toList();
        return "a key of " + where + " " + ids + (now.all.size() > SHOWN_KEYS ? " ..." : "");
    }
}
