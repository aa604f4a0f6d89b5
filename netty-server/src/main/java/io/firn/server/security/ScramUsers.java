package io.firn.server.security;

import io.firn.medium.FileMedium;
import io.firn.medium.OpenToOthers;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramCredentialUtils;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;

/**
 * The users that authenticate by SCRAM: salted and hashed passwords, in one file that is replaced
 * as a whole. A change is durable before it is used, and before it is answered (rule O25): a user
 * who was told of a new password, or of the end of an old one, can rely on it after a crash.
 * Thread-safe.
 */
public final class ScramUsers {
    private static final String MAGIC = "scram-users";
    private static final int VERSION = 1;
    private static final String SECRET = "secret-for-unknown-users";
    private static final int SECRET_BYTES = 32;

    /** More could not be written in one file. */
    static final int MOST = 20_000;

    /** Of a credential that nobody has; as many as of those that clients create by default. */
    private static final int ITERATIONS = 4_096;

    private static final int SALT_BITS = 130;

    private final FileMedium medium;
    private final Path file;
    private final byte[] secret;

    /** Replaced as a whole. */
    private volatile Map<User, ScramCredential> users;

    /**
     * Whose credential it is.
     *
     * @param name the name, as the user says it
     * @param mechanism for which mechanism
     */
    public record User(String name, ScramMechanism mechanism) {}

    private ScramUsers(
            FileMedium medium, Path file, byte[] secret, Map<User, ScramCredential> users) {
        this.medium = medium;
        this.file = file;
        this.secret = secret;
        this.users = users;
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
        protect(directory, "rwx------");
        Path file = directory.resolve("users");
        Map<String, String> known = SmallFile.read(medium, file, MAGIC, VERSION);
        if (known == null) {
            byte[] secret = new byte[SECRET_BYTES];
            new SecureRandom().nextBytes(secret);
            ScramUsers none = new ScramUsers(medium, file, secret, Map.of());
            none.write(Map.of());
            return none;
        }
        Map<User, ScramCredential> users = new HashMap<>();
        byte[] secret = null;
        for (Map.Entry<String, String> each : known.entrySet()) {
            if (each.getKey().equals(SECRET)) {
                secret = Base64.getDecoder().decode(each.getValue());
                continue;
            }
            int colon = each.getKey().indexOf(':');
            ScramMechanism mechanism =
                    ScramMechanism.forMechanismName(each.getKey().substring(0, Math.max(0, colon)));
            if (mechanism == null) {
                throw new IOException(file + ": no mechanism is known for one of its users");
            }
            users.put(
                    new User(each.getKey().substring(colon + 1), mechanism),
                    ScramCredentialUtils.credentialFromString(each.getValue()));
        }
        if (secret == null) {
            throw new IOException(file + ": " + SECRET + " is missing");
        }
        return new ScramUsers(medium, file, secret, Map.copyOf(users));
    }

    /** On a simulated medium, or another kind of file system, there is nothing to set. */
    static void protect(Path path, String permissions) throws IOException {
        if (Files.exists(path)
                && Files.getFileAttributeView(path, PosixFileAttributeView.class) != null) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        }
    }

    private void write(Map<User, ScramCredential> now) throws IOException {
        Map<String, String> lines = new TreeMap<>();
        lines.put(SECRET, Base64.getEncoder().encodeToString(secret));
        now.forEach(
                (user, credential) ->
                        lines.put(
                                user.mechanism().mechanismName() + ":" + user.name(),
                                ScramCredentialUtils.credentialToString(credential)));
        SmallFile.write(medium, file, MAGIC, VERSION, lines);
        protect(file, "rw-------");
    }

    /**
     * Makes changes, all or none of them, durably on return.
     *
     * @param changes the new credentials; null removes one
     * @throws IOException if they could not be written; whether they are there after a restart is
     *     then unknown, and until then the old ones are used
     */
    public synchronized void change(Map<User, ScramCredential> changes) throws IOException {
        Map<User, ScramCredential> next = new HashMap<>(users);
        changes.forEach(
                (user, credential) -> {
                    if (credential == null) {
                        next.remove(user);
                    } else {
                        next.put(user, credential);
                    }
                });
        write(next);
        users = Map.copyOf(next); // only now, by O25
    }

    /** Returns whether there is room for so many more credentials. */
    public boolean hasRoomFor(int more) {
        return users.size() + more <= MOST;
    }

    /** Returns the credentials, by user. */
    public Map<User, ScramCredential> all() {
        return users;
    }

    /**
     * Returns a user's credential. For a user who is unknown, returns one that no password fits and
     * that is always the same, so that a client cannot tell the two apart.
     */
    ScramCredential find(String name, ScramMechanism mechanism) {
        User user = new User(name, mechanism);
        ScramCredential nobodys = nobodys(user); // in each case: it takes a time
        return users.getOrDefault(user, nobodys);
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
            mac.init(new SecretKeySpec(secret, "HmacSHA512"));
            String text = what + ":" + user.mechanism().mechanismName() + ":" + user.name();
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA512", e);
        }
    }
}
