package io.firn.server.security;

import io.firn.server.config.Listener;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.security.JaasContext;

/** Reads what the configuration says in the form of JAAS. No login module is loaded. */
final class JaasConfig {
    private JaasConfig() {}

    /** Returns the key of a mechanism's text, without the prefix of a listener. */
    static String key(String mechanism) {
        return mechanism.toLowerCase(Locale.ROOT) + ".sasl.jaas.config";
    }

    /**
     * Returns the entries of a text.
     *
     * @throws RuntimeException if it cannot be read; the message may contain a password
     */
    static List<AppConfigurationEntry> entries(Listener listener, String mechanism, String text) {
        return JaasContext.loadServerContext(
                        new ListenerName(listener.name()),
                        mechanism,
                        Map.of(key(mechanism), new Password(text)))
                .configurationEntries();
    }
}
