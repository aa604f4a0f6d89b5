package io.firn.server.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.medium.FileMedium;
import io.firn.server.state.StateFileContract;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;

/** ACLs, on a medium that loses what was not forced. */
class AclsTest extends StateFileContract {
    private static final AclBinding NEW = binding("new");

    private static AclBinding binding(String name) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, name, PatternType.LITERAL),
                new AccessControlEntry(
                        "User:alice", "*", AclOperation.READ, AclPermissionType.ALLOW));
    }

    private Acls open() throws IOException {
        medium.createDirectories(DIRECTORY);
        return Acls.open(medium, DIRECTORY);
    }

    @Override
    protected Kept kept(FileMedium on) throws IOException {
        Acls acls = Acls.open(on, DIRECTORY);
        return new Kept() {
            @Override
            public Set<String> all() {
                return acls.all().stream()
                        .map(each -> each.pattern().name())
                        .collect(Collectors.toSet());
            }

            @Override
            public void change(String added, String removed) throws IOException {
                List<AclBinding> gone = removed == null ? List.of() : List.of(binding(removed));
                assertTrue(acls.change(List.of(binding(added)), gone));
            }
        };
    }

    private static AclBinding denial(String host) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, "orders", PatternType.LITERAL),
                new AccessControlEntry(
                        "User:alice", host, AclOperation.READ, AclPermissionType.DENY));
    }

    private static AclSnapshot.Verdict read(Acls acls, String host) {
        return acls.snapshot()
                .decide("User:alice", host, AclOperation.READ, ResourceType.TOPIC, "orders");
    }

    @Test
    void shouldKnowAnAddressInEachOfItsForms() throws IOException {
        Acls acls = open();
        List<AclBinding> written =
                List.of(
                        denial("::1"),
                        denial("2001:DB8::a"),
                        denial("::ffff:10.0.0.1"),
                        denial("10.0.0.2"),
                        denial(":::"),
                        denial("db8:zz"));
        acls.change(written, List.of());
        for (Acls each : List.of(acls, open())) {
            assertEquals(AclSnapshot.Verdict.DENIED, read(each, "0:0:0:0:0:0:0:1"));
            assertEquals(AclSnapshot.Verdict.DENIED, read(each, "2001:db8:0:0:0:0:0:a"));
            assertEquals(AclSnapshot.Verdict.DENIED, read(each, "10.0.0.1"));
            assertEquals(AclSnapshot.Verdict.DENIED, read(each, "10.0.0.2"));
            assertEquals(AclSnapshot.Verdict.NOT_MENTIONED, read(each, "0:0:0:0:0:0:0:2"));
            assertEquals(Set.copyOf(written), Set.copyOf(each.all()), "as they were written");
        }
    }

    @Test
    void shouldRefuseMoreThanAFileHoldsAndStillDelete() throws IOException {
        Acls acls = open();
        List<AclBinding> many = new ArrayList<>();
        for (int i = 0; i < Acls.MOST; i++) {
            many.add(binding("topic-" + i));
        }
        assertTrue(acls.change(many, List.of()));
        assertFalse(acls.change(List.of(NEW), List.of()));
        assertEquals(Acls.MOST, open().all().size());
        assertTrue(acls.change(List.of(), List.of(many.get(0))));
        assertTrue(acls.change(List.of(NEW), List.of()));
        List<AclBinding> large = new ArrayList<>();
        for (int i = 0; i < 9_000; i++) {
            large.add(binding("x".repeat(1_000) + i));
        }
        acls.change(List.of(), acls.all());
        assertFalse(acls.change(large, List.of()));
        assertEquals(Set.of(), Set.copyOf(acls.all()));
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
