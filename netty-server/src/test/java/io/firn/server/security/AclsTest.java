package io.firn.server.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;

/** ACLs, on a medium that loses what was not forced. */
class AclsTest {
    private static final Path DIRECTORY = Path.of("/server/security");
    private static final AclBinding OLD = binding("old");
    private static final AclBinding NEW = binding("new");

    private final SimulatedFileMedium medium = new SimulatedFileMedium();

    private static AclBinding binding(String name) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, name, PatternType.LITERAL),
                new AccessControlEntry(
                        "User:alice", "*", AclOperation.READ, AclPermissionType.ALLOW));
    }

    private Acls open(SimulatedFileMedium on) throws IOException {
        on.createDirectories(DIRECTORY);
        return Acls.open(on, DIRECTORY);
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
        Acls acls = open(medium);
        assertTrue(acls.change(List.of(OLD), List.of()));
        List<SimulatedFileMedium> left = new ArrayList<>();
        medium.onOperation(
                number -> {
                    crash(left);
                    assertEquals(Set.of(OLD), acls.all(), "used before it is durable");
                });
        assertTrue(acls.change(List.of(NEW), List.of(OLD)));
        assertFalse(left.isEmpty());
        for (SimulatedFileMedium found : left) {
            Set<AclBinding> there = open(found).all();
            assertTrue(Set.of(Set.of(OLD), Set.of(NEW)).contains(there), there.toString());
        }
        assertEquals(Set.of(NEW), acls.all());
        left.clear();
        crash(left);
        for (SimulatedFileMedium found : left) {
            assertEquals(Set.of(NEW), open(found).all());
        }
    }

    @Test
    void shouldUseTheOldOnesWhenAChangeCannotBeWritten() throws IOException {
        Acls acls = open(medium);
        assertTrue(acls.change(List.of(OLD), List.of()));
        int next = medium.operations() + 1;
        medium.faults().failOperations(number -> number == next);
        assertThrows(IOException.class, () -> acls.change(List.of(NEW), List.of(OLD)));
        medium.faults().none();
        assertEquals(Set.of(OLD), acls.all());
        assertTrue(acls.change(List.of(NEW), List.of(OLD)));
        assertEquals(Set.of(NEW), acls.all());
    }

    @Test
    void shouldRefuseMoreThanAFileHoldsAndStillDelete() throws IOException {
        Acls acls = open(medium);
        List<AclBinding> many = new ArrayList<>();
        for (int i = 0; i < Acls.MOST; i++) {
            many.add(binding("topic-" + i));
        }
        assertTrue(acls.change(many, List.of()));
        assertFalse(acls.change(List.of(NEW), List.of()));
        assertEquals(Acls.MOST, open(medium).all().size());
        assertTrue(acls.change(List.of(), List.of(many.get(0))));
        assertTrue(acls.change(List.of(NEW), List.of()));
        List<AclBinding> large = new ArrayList<>();
        for (int i = 0; i < 9_000; i++) {
            large.add(binding("x".repeat(1_000) + i));
        }
        acls.change(List.of(), acls.all());
        assertFalse(acls.change(large, List.of()));
        assertEquals(Set.of(), acls.all());
    }

    @Test
    void shouldRefuseSuperUsersWhoNoClientCanBe() {
        assertEquals(
                Set.of("User:admin", "User:CN=root,O=x", "User:a:b"),
                AclAccessControl.superUsers(" User:admin; User:CN=root,O=x ;;User:a:b"));
        for (String wrong :
                List.of("admin", "user:admin", "USER:admin", "User:", "User:a,User:b", "Group:a")) {
            String message =
                    assertThrows(
                                    InvalidOptionException.class,
                                    () -> AclAccessControl.superUsers("User:root;" + wrong))
                            .getMessage();
            assertTrue(message.contains("'" + wrong + "'"), message);
        }
    }
}
