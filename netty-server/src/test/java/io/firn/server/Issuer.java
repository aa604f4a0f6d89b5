package io.firn.server;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.RsaJsonWebKey;
import org.jose4j.jwk.RsaJwkGenerator;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.lang.JoseException;

/** Issues tokens, and shows its public keys in a file or over https. */
final class Issuer implements AutoCloseable {
    static final String NAME = "https://issuer.example";
    static final String AUDIENCE = "firn";

    final AtomicInteger issued = new AtomicInteger();
    final AtomicInteger asked = new AtomicInteger();
    private final RsaJsonWebKey key;
    private volatile String shown;
    private HttpServer http;

    Issuer(String keyId) throws JoseException {
        key = RsaJwkGenerator.generateJwk(2_048);
        key.setKeyId(keyId);
        shown = new JsonWebKeySet(key).toJson();
    }

    RsaJsonWebKey key() {
        return key;
    }

    /** What is shown of it, and of others. */
    static String keySet(Issuer... all) {
        JsonWebKeySet set = new JsonWebKeySet();
        for (Issuer each : all) {
            set.addJsonWebKey(each.key);
        }
        return set.toJson();
    }

    void show(String text) {
        shown = text;
    }

    Path write(Path file) throws IOException {
        return write(file, shown);
    }

    /** Replaces a file at once, as one should. */
    static Path write(Path file, String text) throws IOException {
        Path other = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(other, text);
        return Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
    }

    static JwtClaims claims(String subject, long seconds) {
        JwtClaims claims = new JwtClaims();
        claims.setIssuer(NAME);
        claims.setAudience(AUDIENCE);
        claims.setSubject(subject);
        claims.setIssuedAtToNow();
        NumericDate end = NumericDate.now();
        end.addSeconds(seconds);
        claims.setExpirationTime(end);
        return claims;
    }

    String token(String subject, long seconds) throws JoseException {
        return sign(claims(subject, seconds));
    }

    String sign(JwtClaims claims) throws JoseException {
        JsonWebSignature signed = new JsonWebSignature();
        signed.setPayload(claims.toJson());
        signed.setKey(key.getPrivateKey());
        signed.setKeyIdHeaderValue(key.getKeyId());
        signed.setAlgorithmHeaderValue(AlgorithmIdentifiers.RSA_USING_SHA256);
        return signed.getCompactSerialization();
    }

    /** Answers requests for a token of this subject. Returns the address. */
    String serveTokens(String subject, long seconds) throws IOException {
        return serve(
                HttpServer.create(anyPort(), 0),
                "http",
                "/token",
                () -> {
                    issued.incrementAndGet();
                    return "{\"access_token\":\""
                            + token(subject, seconds)
                            + "\",\"token_type\":\"bearer\"}";
                });
    }

    /** Answers requests for its keys. */
    String serveKeys(SSLContext tls, int port) throws IOException {
        HttpsServer server =
                HttpsServer.create(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        return serve(
                server,
                "https",
                "/keys",
                () -> {
                    asked.incrementAndGet();
                    return shown;
                });
    }

    private interface Answer {
        String get() throws JoseException;
    }

    private String serve(HttpServer server, String scheme, String path, Answer answer) {
        server.createContext(
                path,
                exchange -> {
                    try (exchange) {
                        exchange.getRequestBody().readAllBytes();
                        byte[] text = answer.get().getBytes(StandardCharsets.UTF_8);
                        exchange.getResponseHeaders().add("Content-Type", "application/json");
                        exchange.sendResponseHeaders(200, text.length);
                        exchange.getResponseBody().write(text);
                    } catch (JoseException e) {
                        throw new IOException(e);
                    }
                });
        server.start();
        http = server;
        return scheme + "://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @Override
    public void close() {
        if (http != null) {
            http.stop(0);
        }
    }
}
