package io.firn.server.security;

import io.firn.InvalidOptionException;
import io.firn.server.config.Listener;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;

/**
 * The users of a listener that authenticate by PLAIN. They are in the configuration, in the form of
 * JAAS that Kafka has for them, of which only the text is read: no login module is loaded.
 */
final class PlainUsers {
    private static final String KEY = "plain.sasl.jaas.config";
    private static final String MODULE = ".plain.PlainLoginModule";
    private static final String USER = "user_";

    private final Map<String, byte[]> passwords;

    private PlainUsers(Map<String, byte[]> passwords) {
        this.passwords = passwords;
    }

    /** Reads the users of a listener. */
    static PlainUsers of(Listener listener) {
        String text = listener.text(KEY);
        if (text == null) {
            throw invalid(listener, "nothing");
        }
        List<AppConfigurationEntry> entries;
        try {
            entries = JaasConfig.entries(listener, "PLAIN", text);
        } catch (RuntimeException e) {
            throw invalid(listener, "what cannot be read"); // its message may contain a password
        }
        Map<String, byte[]> passwords = new HashMap<>();
        for (AppConfigurationEntry each : entries) {
            if (!each.getLoginModuleName().endsWith(MODULE)) {
                throw invalid(listener, "another login module");
            }
            each.getOptions()
                    .forEach(
                            (name, value) -> {
                                if (name.startsWith(USER)) {
                                    passwords.put(
                                            name.substring(USER.length()), bytes(value.toString()));
                                }
                            });
        }
        if (passwords.isEmpty()) {
            throw invalid(listener, "no user");
        }
        return new PlainUsers(passwords);
    }

    private static InvalidOptionException invalid(Listener listener, String found) {
        return new InvalidOptionException(
                listener.ownKey(KEY)
                        + ": expected org.apache.kafka.common.security"
                        + MODULE
                        + " required user_NAME=\"PASSWORD\"; with one or more users, found "
                        + found);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether it is the user's password; takes as long for an unknown user. */
    boolean isPassword(String name, char[] password) {
        byte[] given = bytes(new String(password));
        byte[] expected = passwords.get(name);
        boolean equal = MessageDigest.isEqual(expected == null ? given : expected, given);
        return equal && expected != null;
    }
}
