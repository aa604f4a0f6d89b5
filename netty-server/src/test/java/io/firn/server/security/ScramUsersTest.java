package io.firn.server.security;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.medium.WholeFile;
import io.firn.server.security.ScramUsers.User;
import io.firn.server.state.StateFileContract;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.junit.jupiter.api.Test;

/** Users of SCRAM, on a medium that loses what was not forced. */
class ScramUsersTest extends StateFileContract {
    private static final User ALICE = new User("alice", ScramMechanism.SCRAM_SHA_256);

    @Override
    protected Kept kept(FileMedium on) throws IOException {
        ScramUsers users = ScramUsers.open(on, DIRECTORY);
        return new Kept() {
            @Override
            public Set<String> all() {
                Set<String> all = new TreeSet<>();
                users.all()
                        .forEach(
                                (user, credential) -> {
                                    assertArrayEquals(salt(user.name()), credential.salt());
                                    all.add(user.name());
                                });
                return all;
            }

            @Override
            public void change(String added, String removed) throws IOException {
                Map<User, ScramCredential> changes = new HashMap<>();
                changes.put(new User(removed, ScramMechanism.SCRAM_SHA_256), null);
                changes.put(
                        new User(added, ScramMechanism.SCRAM_SHA_256),
                        new ScramCredential(salt(added), new byte[32], new byte[32], 4_096));
                users.change(changes);
            }
        };
    }

    private static byte[] salt(String name) {
        return ("salt of " + name).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldNotShowACredentialThatCannotBeRead() throws IOException {
        medium.createDirectories(DIRECTORY);
        ScramUsers.open(medium, DIRECTORY);
        Path file = DIRECTORY.resolve("users");
        Map<String, String> lines = new HashMap<>(SmallFile.read(medium, file, "scram-users", 1));
        lines.put("SCRAM-SHA-256:alice", "salt=s3cret");
        SmallFile.write(medium, file, "scram-users", 1, lines);
        IOException e = assertThrows(IOException.class, () -> ScramUsers.open(medium, DIRECTORY));
        for (Throwable each = e; each != null; each = each.getCause()) {
            assertFalse(each.toString().contains("s3cret"), each.toString());
        }
        assertTrue(e.getMessage().contains(file + " is damaged: "), e.getMessage());
    }

    @Test
    void shouldShowNothingOfAFileThatIsCut() throws IOException {
        medium.createDirectories(DIRECTORY);
        kept(medium).change("alice", "nobody");
        Path file = DIRECTORY.resolve("users");
        byte[] whole = WholeFile.read(medium, file, 1 << 20);
        String text = new String(whole, StandardCharsets.UTF_8);
        int secrets = text.lastIndexOf("crc32c");
        for (int length = 0; length < whole.length; length++) {
            WholeFile.write(medium, file, Arrays.copyOf(whole, length));
            String shown =
                    assertThrows(IOException.class, () -> ScramUsers.open(medium, DIRECTORY))
                            .toString();
            if (length >= 8 && length <= secrets) {
                assertFalse(shown.contains(text.substring(length - 8, length)), shown);
            }
        }
    }

    @Test
    void shouldGiveAnUnknownUserTheSameCredentialEachTimeAndAnotherOneInAnotherStore()
            throws IOException {
        byte[] first = ScramUsers.open(medium, DIRECTORY).find("x", ALICE.mechanism()).salt();
        byte[] again = ScramUsers.open(medium, DIRECTORY).find("x", ALICE.mechanism()).salt();
        assertArrayEquals(first, again);
        byte[] other =
                ScramUsers.open(new SimulatedFileMedium(), DIRECTORY)
                        .find("x", ALICE.mechanism())
                        .salt();
        assertFalse(java.util.Arrays.equals(first, other));
        String salt = new String(first, StandardCharsets.UTF_8);
        assertTrue(salt.matches("[0-9a-z]{20,26}"), salt);
    }
}
