package io.firn.server.security;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.security.ScramUsers.User;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.junit.jupiter.api.Test;

/** Users of SCRAM, on a medium that loses what was not forced. */
class ScramUsersTest {
    private static final Path DIRECTORY = Path.of("/server/security");
    private static final User ALICE = new User("alice", ScramMechanism.SCRAM_SHA_256);
    private static final User BOB = new User("bob", ScramMechanism.SCRAM_SHA_512);

    private final SimulatedFileMedium medium = new SimulatedFileMedium();

    private static ScramCredential credential(String salt) {
        return new ScramCredential(
                salt.getBytes(StandardCharsets.UTF_8), new byte[32], new byte[32], 4_096);
    }

    private static Set<String> salts(ScramUsers users) {
        Set<String> all = new java.util.TreeSet<>();
        users.all()
                .forEach(
                        (user, credential) ->
                                all.add(
                                        user.name()
                                                + " "
                                                + new String(
                                                        credential.salt(),
                                                        StandardCharsets.UTF_8)));
        return all;
    }

    private static Map<User, ScramCredential> bobForAlice() {
        Map<User, ScramCredential> changes = new HashMap<>();
        changes.put(ALICE, null);
        changes.put(BOB, credential("new"));
        return changes;
    }

    private void crash(List<SimulatedFileMedium> left) {
        for (int seed = 0; seed < 30; seed++) {
            left.add(medium.crash(Survival.random(seed)));
        }
        left.add(medium.crash(Survival.NONE));
        left.add(medium.crash(Survival.NAMES));
        left.add(medium.crash(Survival.BYTES));
    }

    /** O25: all of a change or nothing of it, and all of it once it has returned. */
    @Test
    void shouldHaveAChangeWholeOrNotAtAllAfterAPowerCutAndForCertainOnceItHasReturned()
            throws IOException {
        ScramUsers users = ScramUsers.open(medium, DIRECTORY);
        users.change(Map.of(ALICE, credential("old")));
        Set<String> before = Set.of("alice old");
        Set<String> after = Set.of("bob new");
        List<SimulatedFileMedium> left = new ArrayList<>();
        medium.onOperation(
                number -> {
                    crash(left);
                    assertEquals(before, salts(users), "used before it is durable");
                });
        users.change(bobForAlice());
        assertFalse(left.isEmpty());
        for (SimulatedFileMedium found : left) {
            Set<String> there = salts(ScramUsers.open(found, DIRECTORY));
            assertTrue(Set.of(before, after).contains(there), there.toString());
        }
        assertEquals(after, salts(users));
        left.clear();
        crash(left);
        for (SimulatedFileMedium found : left) {
            assertEquals(after, salts(ScramUsers.open(found, DIRECTORY)));
        }
    }

    @Test
    void shouldUseTheOldOnesWhenAChangeCannotBeWritten() throws IOException {
        ScramUsers users = ScramUsers.open(medium, DIRECTORY);
        users.change(Map.of(ALICE, credential("old")));
        int next = medium.operations() + 1;
        medium.faults().failOperations(number -> number == next);
        assertThrows(IOException.class, () -> users.change(bobForAlice()));
        medium.faults().none();
        assertEquals(Set.of("alice old"), salts(users));
        users.change(bobForAlice());
        assertEquals(Set.of("bob new"), salts(users));
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
