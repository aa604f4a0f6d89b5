package io.firn.server.security;

import io.firn.medium.FileMedium;
import io.firn.medium.OpenToOthers;
import io.firn.server.state.StateFile;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramCredentialUtils;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;

/**
 * The users that authenticate by SCRAM: salted and hashed passwords. A change is durable before it
 * is used, and before it is answered (rule O25, {@link StateFile}): a user who was told of a new
 * password, or of the end of an old one, can rely on it after a crash. Thread-safe.
 */
public final class ScramUsers {
    private static final String SECRET = "secret-for-unknown-users";
    private static final int SECRET_BYTES = 32;

    /** How many credentials there may be; more could not be written in one file. */
    public static final int MOST = 20_000;

    /** Of a credential that nobody has; as many as of those that clients create by default. */
    private static final int ITERATIONS = 4_096;

    private static final int SALT_BITS = 130;

    private static final StateFile.Format<State> FORMAT = new Format();

    private final StateFile<State> file;

    /** The users, and a secret that stays the same. */
    private static final class State {
        private final byte[] secret;
        private final Map<User, ScramCredential> users;

        State(byte[] secret, Map<User, ScramCredential> users) {
            this.secret = secret;
            this.users = Collections.unmodifiableMap(new HashMap<>(users)); // see User
        }
    }

    /**
     * Whose credential it is.
     *
     * @param name the name, as the user says it
     * @param mechanism for which mechanism
     */
    public record User(String name, ScramMechanism mechanism) implements Comparable<User> {
        @Override
        public int compareTo(User other) { // hash maps need it when many names have one hash
            int order = mechanism.compareTo(other.mechanism);
            return order == 0 ? name.compareTo(other.name) : order;
        }
    }

    private ScramUsers(StateFile<State> file) {
        this.file = file;
    }

    /**
     * Reads the file, or creates one without users. Its directory is for the owner of the process
     * only.
     *
     * @param directory the directory of the file; its parent exists
     * @throws IOException if the file cannot be read or created
     */
    public static ScramUsers open(FileMedium medium, Path directory) throws IOException {
        OpenToOthers.warn(medium, "the directory of users", directory);
        OpenToOthers.warn(medium, "the file of users", directory.resolve("users"));
        medium.createDirectories(directory);
        closeToOthers(directory);
        Path path = directory.resolve("users");
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        State none = new State(secret, Map.of());
        StateFile<State> file = StateFile.open(medium, path, FORMAT, none);
        if (file.get() == none) {
            file.write(); // the secret stays the same
        }
        return new ScramUsers(file);
    }

    /** On a simulated medium, or another kind of file system, there is nothing to set. */
    private static void closeToOthers(Path directory) throws IOException {
        try {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        } catch (NoSuchFileException | UnsupportedOperationException e) {
            return;
        }
    }

    private static final class Format implements StateFile.Format<State> {
        @Override
        public String magic() {
            return "scram-users";
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public int mostLines() {
            return MOST + 1; // the secret
        }

        @Override
        public Map<String, String> format(State state) {
            Map<String, String> lines = new HashMap<>();
            lines.put(SECRET, Base64.getEncoder().encodeToString(state.secret));
            state.users.forEach(
                    (user, credential) ->
                            lines.put(
                                    user.mechanism().mechanismName() + ":" + user.name(),
                                    ScramCredentialUtils.credentialToString(credential)));
            return lines;
        }

        @Override
        public State parse(Map<String, String> lines) {
            Map<User, ScramCredential> users = new HashMap<>();
            lines.forEach(
                    (key, value) -> {
                        if (!key.equals(SECRET)) {
                            users.put(user(key), credential(value));
                        }
                    });
            String secret = lines.get(SECRET);
            if (secret == null) {
                throw new IllegalArgumentException(SECRET + " is missing");
            }
            byte[] decoded = Base64.getDecoder().decode(secret);
            if (decoded.length != SECRET_BYTES) {
                throw new IllegalArgumentException(
                        SECRET + " should have " + SECRET_BYTES + " bytes, not " + decoded.length);
            }
            return new State(decoded, users);
        }

        private static ScramCredential credential(String value) {
            try {
                return ScramCredentialUtils.credentialFromString(value);
            } catch (IllegalArgumentException e) { // its message has the value
                throw new IllegalArgumentException("the credential of a user is invalid");
            }
        }

        private static User user(String key) {
            int colon = key.indexOf(':');
            ScramMechanism mechanism =
                    ScramMechanism.forMechanismName(key.substring(0, Math.max(0, colon)));
            if (mechanism == null) {
                throw new IllegalArgumentException("no mechanism is known for one of its users");
            }
            return new User(key.substring(colon + 1), mechanism);
        }
    }

    /**
     * Makes changes, all or none of them, durably on return.
     *
     * @param changes the new credentials; null removes one
     * @return false if there would be more than {@link #MOST}; nothing has changed. Credentials can
     *     be removed in any case
     * @throws IOException if they could not be written; whether they are there after a restart is
     *     then unknown, and until then the old ones are used
     */
    public boolean change(Map<User, ScramCredential> changes) throws IOException {
        if (changes.values().stream().filter(Objects::nonNull).count() > MOST) {
            return false; // before all of them are written out
        }
        return file.change(
                before -> {
                    Map<User, ScramCredential> next = new HashMap<>(before.users);
                    changes.forEach(
                            (user, credential) -> {
                                if (credential == null) {
                                    next.remove(user);
                                } else {
                                    next.put(user, credential);
                                }
                            });
                    return new State(before.secret, next);
                },
                changes.values().stream().anyMatch(Objects::nonNull));
    }

    /** Returns the credentials, by user. */
    public Map<User, ScramCredential> all() {
        return file.get().users;
    }

    /**
     * Returns a user's credential. For a user who is unknown, returns one that no password fits and
     * that is always the same, so that a client cannot tell the two apart.
     */
    ScramCredential find(String name, ScramMechanism mechanism) {
        User user = new User(name, mechanism);
        ScramCredential nobodys = nobodys(user); // in each case: it takes a time
        return all().getOrDefault(user, nobodys);
    }

    private ScramCredential nobodys(User user) {
        byte[] salt =
                new BigInteger(1, Arrays.copyOf(derive("salt", user), SALT_BITS / 8 + 1))
                        .shiftRight(SALT_BITS % 8 == 0 ? 0 : 8 - SALT_BITS % 8)
                        .toString(Character.MAX_RADIX)
                        .getBytes(StandardCharsets.UTF_8); // as Kafka's clients make them
        int bytes = user.mechanism() == ScramMechanism.SCRAM_SHA_256 ? 32 : 64;
        return new ScramCredential(
                salt,
                Arrays.copyOf(derive("stored", user), bytes),
                Arrays.copyOf(derive("server", user), bytes),
                ITERATIONS);
    }

    private byte[] derive(String what, User user) {
        try {
            Mac mac = Mac.getInstance("HmacSHA512");
            mac.init(new SecretKeySpec(file.get().secret, "HmacSHA512"));
            String text = what + ":" + user.mechanism().mechanismName() + ":" + user.name();
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA512", e);
        }
    }
}
