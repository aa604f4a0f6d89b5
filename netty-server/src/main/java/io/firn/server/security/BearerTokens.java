package io.firn.server.security;

import io.firn.InvalidOptionException;
import io.firn.server.config.Listener;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.NumericDate;
import org.jose4j.jwt.consumer.ErrorCodeValidator;
import org.jose4j.jwt.consumer.ErrorCodes;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.jwx.HeaderParameterNames;
import org.jose4j.jwx.JsonWebStructure;

/**
 * Decides whether a token (JWT) of OAUTHBEARER is valid: signed by a key of the configured issuer,
 * for this server, and not expired. The only class beside {@link TokenKeys} that uses jose4j; it is
 * loaded when a listener has OAUTHBEARER. Thread-safe.
 */
final class BearerTokens {
    private static final String PREFIX = "sasl.oauthbearer.";
    private static final int MOST_CHARS_OF_REASON = 300;
    private static final int MOST_CHARS_OF_HEADER = 50;

    /** As OpenID Connect has it for {@code sub}. The name is remembered wherever the client is. */
    private static final int MOST_CHARS_OF_NAME = 255;

    /**
     * Only those whose keys are public: whoever may read a key could otherwise sign with it. What
     * is encrypted cannot be read at all.
     */
    private static final String[] ALGORITHMS = {
        AlgorithmIdentifiers.RSA_USING_SHA256,
        AlgorithmIdentifiers.RSA_USING_SHA384,
        AlgorithmIdentifiers.RSA_USING_SHA512,
        AlgorithmIdentifiers.RSA_PSS_USING_SHA256,
        AlgorithmIdentifiers.RSA_PSS_USING_SHA384,
        AlgorithmIdentifiers.RSA_PSS_USING_SHA512,
        AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256,
        AlgorithmIdentifiers.ECDSA_USING_P384_CURVE_AND_SHA384,
        AlgorithmIdentifiers.ECDSA_USING_P521_CURVE_AND_SHA512,
        AlgorithmIdentifiers.EDDSA
    };

    /** Errors in claims, of a token with the right signature. The others may quote the token. */
    private static final Set<Integer> OF_CLAIMS =
            Set.of(
                    ErrorCodes.EXPIRED,
                    ErrorCodes.EXPIRATION_MISSING,
                    ErrorCodes.ISSUED_AT_MISSING,
                    ErrorCodes.ISSUED_AT_INVALID_FUTURE,
                    ErrorCodes.NOT_YET_VALID,
                    ErrorCodes.AUDIENCE_MISSING,
                    ErrorCodes.AUDIENCE_INVALID,
                    ErrorCodes.ISSUER_MISSING,
                    ErrorCodes.ISSUER_INVALID,
                    ErrorCodes.MALFORMED_CLAIM);

    private final TokenKeys keys;
    private final JwtConsumer consumer;
    private final String subject;
    private final int skewSeconds;

    /**
     * What is kept of a valid token: not the token itself.
     *
     * @param principalName whom it is of
     * @param lifetimeMs its end, in ms since 1970, after which it is invalid
     */
    record Token(String principalName, long lifetimeMs) implements OAuthBearerToken {
        @Override
        public String value() {
            return "";
        }

        @Override
        public Set<String> scope() {
            return Set.of();
        }

        @Override
        public Long startTimeMs() {
            return null;
        }
    }

    /** Says what was expected of a token and what was found. */
    static final class RefusedTokenException extends Exception {
        private static final long serialVersionUID = 1;

        RefusedTokenException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Reads what tokens of a listener have to contain, and the keys.
     *
     * @throws InvalidOptionException if something is missing, or a file with keys cannot be used
     */
    BearerTokens(Listener listener) {
        String issuer = listener.text(PREFIX + "expected.issuer");
        List<String> audiences = listener.list(PREFIX + "expected.audience");
        if (issuer == null || issuer.isBlank()) {
            throw missing(listener, "expected.issuer", "the claim iss of tokens");
        }
        if (audiences.isEmpty()) {
            throw missing(listener, "expected.audience", "one or more values of the claim aud");
        }
        if (listener.text(PREFIX + "jwks.endpoint.url") == null) {
            throw missing(
                    listener,
                    "jwks.endpoint.url",
                    "the https:// or file:// address of the keys that sign tokens");
        }
        subject = listener.text(PREFIX + "sub.claim.name");
        skewSeconds = Integer.parseInt(listener.text(PREFIX + "clock.skew.seconds"));
        keys = new TokenKeys(listener);
        consumer =
                new JwtConsumerBuilder()
                        .setJwsAlgorithmConstraints(
                                AlgorithmConstraints.ConstraintType.PERMIT, ALGORITHMS)
                        .setJweAlgorithmConstraints(AlgorithmConstraints.ALLOW_ONLY_NONE)
                        .setVerificationKeyResolver(keys)
                        .setExpectedIssuer(issuer)
                        .setExpectedAudience(audiences.toArray(String[]::new))
                        .setRequireExpirationTime()
                        .setRequireIssuedAt()
                        .setAllowedClockSkewInSeconds(skewSeconds)
                        .build();
    }

    private static InvalidOptionException missing(Listener listener, String key, String what) {
        return new InvalidOptionException(
                PREFIX
                        + key
                        + ": OAUTHBEARER for listener "
                        + listener
                        + " expects "
                        + what
                        + ", found nothing");
    }

    /** Takes up keys that have changed. Reads a file or asks another server. */
    void refreshKeys() {
        keys.refresh();
    }

    /**
     * Verifies a token.
     *
     * @throws RefusedTokenException if it is invalid
     */
    Token verify(String token) throws RefusedTokenException {
        try {
            JwtClaims claims = consumer.processToClaims(token);
            String name = claims.getStringClaimValue(subject);
            if (name == null || name.isBlank()) {
                throw refused("a token with the claim " + subject, "one without it");
            }
            if (name.length() > MOST_CHARS_OF_NAME) {
                throw refused(
                        "a claim " + subject + " of at most " + MOST_CHARS_OF_NAME + " characters",
                        name.length() + " characters");
            }
            NumericDate end = claims.getExpirationTime();
            // Where the clocks differ, the session lasts as long as the token would be accepted.
            long seconds = Math.min(end.getValue(), Integer.MAX_VALUE * 100L) + skewSeconds;
            return new Token(name, seconds * 1_000);
        } catch (InvalidJwtException e) {
            throw describe(e);
        } catch (MalformedClaimException e) {
            throw refused("a token with the claims exp and " + subject, "claims of another type");
        } catch (RuntimeException e) {
            throw refused("a signed JWT", "what cannot be read: " + e.getClass().getSimpleName());
        }
    }

    private RefusedTokenException describe(InvalidJwtException e) {
        String ofClaims =
                e.getErrorDetails().stream()
                        .filter(each -> OF_CLAIMS.contains(each.getErrorCode()))
                        .map(ErrorCodeValidator.Error::getErrorMessage)
                        .collect(Collectors.joining(" "));
        if (!ofClaims.isEmpty()) {
            return new RefusedTokenException(PrintableText.of(ofClaims, MOST_CHARS_OF_REASON));
        }
        List<JsonWebStructure> parts =
                e.getJwtContext() == null ? List.of() : e.getJwtContext().getJoseObjects();
        if (parts.isEmpty()) {
            return refused("a signed JWT", "what cannot be read as one");
        }
        JsonWebStructure last = parts.get(0);
        return refused(
                "a JWT signed by an asymmetric algorithm with " + keys,
                "the algorithm "
                        + shown(last, HeaderParameterNames.ALGORITHM)
                        + ", the key "
                        + shown(last, HeaderParameterNames.KEY_ID)
                        + (e.hasErrorCode(ErrorCodes.SIGNATURE_INVALID)
                                ? ", and a signature of something else"
                                : ""));
    }

    /** Returns a value of a header, which a client may have made of any type. */
    private static String shown(JsonWebStructure token, String name) {
        Object value = token.getHeaders().getObjectHeaderValue(name);
        return value == null || value instanceof String
                ? PrintableText.of((String) value, MOST_CHARS_OF_HEADER)
                : "of another type";
    }

    private static RefusedTokenException refused(String expected, String found) {
        return new RefusedTokenException("OAUTHBEARER expects " + expected + ", found " + found);
    }
}
