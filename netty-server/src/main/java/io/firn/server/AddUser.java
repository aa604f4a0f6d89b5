package io.firn.server;

import io.firn.InvalidOptionException;
import io.firn.server.config.ServerConfig;
import io.firn.server.security.ScramUsers;
import io.firn.server.security.ScramUsers.User;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;

/** Adds a user to a store that no server has open: the first administrator. */
final class AddUser {
    private AddUser() {}

    /**
     * Adds the user, or gives it another password, for each SCRAM mechanism. Reads the password.
     *
     * @throws IOException if it could not be written
     * @throws io.firn.StoreLockedException if a server has the store open
     */
    static void add(ServerConfig config, String name) throws IOException {
        check(!name.isBlank()); // before the store is opened, which creates it
        try (Storage storage = Storage.open(config)) {
            String password = readPassword(name);
            check(password != null && !password.isEmpty());
            ServerFiles files = ServerFiles.of(storage.store(), config);
            ScramUsers users = ScramUsers.open(files.medium(), files.security());
            Map<User, ScramCredential> changes = new HashMap<>();
            for (ScramMechanism each : ScramMechanism.values()) {
                changes.put(
                        new User(name, each),
                        new ScramFormatter(each)
                                .generateCredential(password, each.minIterations()));
            }
            if (!users.change(changes)) {
                throw new IOException(
                        "--add-user: expected at most "
                                + ScramUsers.MOST
                                + " credentials, and there would be more; delete others first");
            }
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has what SCRAM needs", e);
        }
    }

    private static void check(boolean isGiven) {
        if (!isGiven) {
            throw new InvalidOptionException(
                    "--add-user: expected a name, and a password in one line of standard input");
        }
    }

    /** Reads a password from the terminal, without showing it, or from standard input. */
    private static String readPassword(String name) throws IOException {
        if (System.console() != null) {
            char[] typed = System.console().readPassword("Password of %s: ", name);
            return typed == null ? null : new String(typed);
        }
        return new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()))
                .readLine();
    }
}
