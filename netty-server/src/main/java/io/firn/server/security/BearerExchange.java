package io.firn.server.security;

import io.firn.server.security.BearerTokens.RefusedTokenException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.sasl.SaslException;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerExtensionsValidatorCallback;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallback;

/**
 * Answers what Kafka's server of OAUTHBEARER asks in one exchange: whether the token is valid. A
 * client that has shown an invalid one is told so, and then has to end the exchange. Used by one
 * thread.
 */
final class BearerExchange implements AuthenticateCallbackHandler {
    /** Larger than what servers of HTTP accept in a header. */
    static final int MOST_BYTES = 32_768;

    /** Parts of a message, and bytes of its first one, a name: Kafka's pattern recurses by both. */
    private static final int MOST_PARTS = 32;

    private static final int MOST_NAME_BYTES = 1_024;
    private static final byte SEPARATOR = 1;

    private final BearerTokens tokens;
    private final Consumer<String> onName;
    private final Consumer<String> onRefusal;
    private boolean refused;

    /**
     * Begins an exchange.
     *
     * @param onName is told whom a valid token is of
     * @param onRefusal is told why a token is invalid; never the token
     */
    BearerExchange(BearerTokens tokens, Consumer<String> onName, Consumer<String> onRefusal) {
        this.tokens = tokens;
        this.onName = onName;
        this.onRefusal = onRefusal;
    }

    /**
     * Checks the size of a message and of its parts.
     *
     * @throws SaslException if it is too large
     */
    static void check(byte[] message) throws SaslException {
        int parts = 1;
        for (int i = 0; i < message.length; i++) {
            if (message[i] == SEPARATOR) {
                parts++;
            } else if (parts == 1 && i >= MOST_NAME_BYTES) {
                throw new SaslException("a name of more than " + MOST_NAME_BYTES + " bytes");
            }
        }
        if (message.length > MOST_BYTES || parts > MOST_PARTS) {
            throw new SaslException(
                    "a message of " + message.length + " bytes, " + parts + " parts");
        }
    }

    @Override
    public void configure(
            Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {
        // BearerTokens has read the configuration
    }

    @Override
    public void handle(Callback[] all) throws IOException, UnsupportedCallbackException {
        for (Callback each : all) {
            if (each instanceof OAuthBearerValidatorCallback asked) {
                verify(asked);
            } else if (each instanceof OAuthBearerExtensionsValidatorCallback asked) {
                // As in Kafka: nothing here depends on them.
                asked.inputExtensions().map().keySet().forEach(asked::valid);
            } else {
                throw new UnsupportedCallbackException(each);
            }
        }
    }

    private void verify(OAuthBearerValidatorCallback asked) throws IOException {
        if (refused) {
            throw new IOException("expected the end of the exchange, found another token");
        }
        try {
            BearerTokens.Token token = tokens.verify(asked.tokenValue());
            onName.accept(token.principalName());
            asked.token(token);
        } catch (RefusedTokenException e) {
            refused = true;
            onRefusal.accept(e.getMessage());
            asked.error("invalid_token", null, null);
        }
    }

    @Override
    public void close() {}
}
