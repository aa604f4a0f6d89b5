package io.firn.server.security;

import io.firn.server.config.ServerConfig;
import io.firn.server.security.BearerTokens.RefusedTokenException;
import io.firn.server.security.BearerTokens.Token;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jose4j.jwk.EcJwkGenerator;
import org.jose4j.jwk.EllipticCurveJsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.RsaJsonWebKey;
import org.jose4j.jwk.RsaJwkGenerator;
import org.jose4j.keys.EllipticCurves;

/**
 * What {@code bin/check fuzz --jazzer-tokens} runs, guided by the code that an input reaches:
 * tokens of OAUTHBEARER that clients send, and sets of keys that another server sends. The first
 * byte of an input says what the others are. Whatever they are: a token is refused or valid,
 * nothing else is thrown; only what the key has signed is valid; and after hostile keys the right
 * ones work.
 */
public final class TokenJazzerTarget {
    private static final String ISSUER = "https://issuer.example";
    private static final String AUDIENCE = "firn";
    private static final String HEADER = "{\"alg\":\"ES256\",\"kid\":\"one\"}";
    private static final int KINDS = 7;
    private static final int RARELY = 8;

    /** Held: what a logger was set to goes with it. */
    private static final Logger LOG = Logger.getLogger("io.firn");

    private static EllipticCurveJsonWebKey key;
    private static String keys;
    private static Path file;
    private static long time = 1_000_000_000_000L;
    private static BearerTokens tokens;
    private static String honestClaims;
    private static String honest;

    private TokenJazzerTarget() {}

    /** Makes the keys. */
    public static void fuzzerInitialize() throws Exception {
        LOG.setLevel(Level.OFF);
        key = EcJwkGenerator.generateJwk(EllipticCurves.P256);
        key.setKeyId("one");
        RsaJsonWebKey other = RsaJwkGenerator.generateJwk(2_048);
        other.setKeyId("two");
        keys = new JsonWebKeySet(key, other).toJson();
        file = Files.createTempDirectory("firn-jazzer").resolve("keys");
        show(keys.getBytes(StandardCharsets.UTF_8));
        long now = System.currentTimeMillis() / 1_000;
        honestClaims =
                String.format(
                        "{\"iss\":\"%s\",\"aud\":\"%s\",\"sub\":\"alice\",\"iat\":%d,\"exp\":%d}",
                        ISSUER, AUDIENCE, now, now + 1_000_000);
        honest = signed(HEADER.getBytes(StandardCharsets.UTF_8), utf8(honestClaims));
        tokens =
                new BearerTokens(
                        ServerConfig.of(
                                        Map.of(
                                                "listeners",
                                                "SASL_PLAINTEXT://127.0.0.1:0",
                                                "sasl.enabled.mechanisms",
                                                "OAUTHBEARER",
                                                "sasl.oauthbearer.jwks.endpoint.url",
                                                file.toUri().toString(),
                                                "sasl.oauthbearer.expected.issuer",
                                                ISSUER,
                                                "sasl.oauthbearer.expected.audience",
                                                AUDIENCE))
                                .listeners()
                                .get(0));
        if (verify(honest) == null) {
            throw new IllegalStateException("the right token was refused");
        }
    }

    /** Jazzer's entry. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        if (input.length == 0) {
            return;
        }
        byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
        switch ((input[0] & 0xff) % KINDS) {
            case 0 -> mustBeRefused(new String(bytes, StandardCharsets.UTF_8));
            case 1 -> verify(signed(utf8(HEADER), bytes)); // other claims
            case 2 -> mustBeRefused(encoded(bytes) + '.' + encoded(utf8(honestClaims)) + ".");
            case 3 -> mustBeRefused(unsigned(bytes));
            case 4 -> changed(bytes);
            case 5 -> hostileKeys(bytes);
            default -> hostileKeys(change(utf8(keys), bytes));
        }
    }

    /** {@code TokenJazzerTarget DIRECTORY}: inputs to begin with. */
    public static void main(String[] arguments) throws IOException {
        Path corpus = Files.createDirectories(Path.of(arguments[0]));
        String claims = "\1{\"iss\":\"i\",\"aud\":[\"firn\"],\"exp\":1e3,\"iat\":-1,\"sub\":{}}";
        String set =
                "\5{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"kid\":\"one\"},"
                        + "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"},"
                        + "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AA\",\"x5c\":[\"AA\"]},"
                        + "{\"kty\":\"oct\",\"k\":\"AA\"}]}";
        String[] seeds = {
            "\0eyJhbGciOiJub25lIn0.e30.",
            claims,
            "\2{\"alg\":\"none\"}",
            "\3{\"alg\":\"HS256\"}",
            "\3{\"alg\":\"ES256\",\"crit\":[\"b64\"],\"b64\":false,\"jwk\":{}}",
            "\4ab",
            set,
            "\6ab"
        };
        for (int i = 0; i < seeds.length; i++) {
            Files.write(corpus.resolve("seed-" + i), utf8(seeds[i]));
        }
        System.out.println(seeds.length + " inputs to begin with");
    }

    // ---- tokens

    /** Returns what is known of a valid token; null if it is refused. */
    private static Token verify(String token) {
        try {
            Token valid = tokens.verify(token);
            if (valid.principalName().isBlank()) {
                throw new IllegalStateException("valid without a name");
            }
            return valid;
        } catch (RefusedTokenException e) {
            if (e.getMessage().chars().anyMatch(each -> each < ' ')) {
                throw new IllegalStateException("more than one line: " + e.getMessage());
            }
            return null;
        }
    }

    private static void mustBeRefused(String token) {
        if (verify(token) != null) {
            throw new IllegalStateException("valid without a signature: " + token);
        }
    }

    /** A token with this header and a signature that the bytes are a part of. */
    private static String unsigned(byte[] header) {
        byte[] signature = Arrays.copyOf(header, 64);
        return encoded(header) + '.' + encoded(utf8(honestClaims)) + '.' + encoded(signature);
    }

    /** A right one with some bytes changed is of the same claims, or refused. */
    private static void changed(byte[] bytes) {
        String token = new String(change(utf8(honest), bytes), StandardCharsets.ISO_8859_1);
        Token valid = verify(token);
        if (valid != null && !valid.principalName().equals("alice")) {
            throw new IllegalStateException("it is of " + valid.principalName());
        }
    }

    private static String signed(byte[] header, byte[] claims) throws GeneralSecurityException {
        String text = encoded(header) + '.' + encoded(claims);
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(key.getPrivateKey());
        signature.update(utf8(text));
        return text + '.' + encoded(signature.sign());
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Changes a byte for each three: where, in two, and by what. */
    private static byte[] change(byte[] text, byte[] changes) {
        for (int i = 0; i + 2 < changes.length; i += 3) {
            int at = (((changes[i] & 0xff) << 8) | (changes[i + 1] & 0xff)) % text.length;
            text[at] ^= changes[i + 2];
        }
        return text;
    }

    // ---- keys

    private static void hostileKeys(byte[] set) throws IOException {
        show(set);
        tokens.refreshKeys();
        Token valid = verify(honest); // by these keys, or by those from before
        if (valid != null && !valid.principalName().equals("alice")) {
            throw new IllegalStateException("it is of " + valid.principalName());
        }
        if (set.length % RARELY == 0) {
            mustBeRefused(unsigned(utf8("{\"alg\":\"RS256\"}")));
        }
        show(utf8(keys));
        tokens.refreshKeys();
        if (verify(honest) == null) {
            throw new IllegalStateException("the right keys were not taken up");
        }
    }

    private static void show(byte[] set) throws IOException {
        Files.write(file, set);
        Files.setLastModifiedTime(file, FileTime.fromMillis(time += 1_000));
    }
}
