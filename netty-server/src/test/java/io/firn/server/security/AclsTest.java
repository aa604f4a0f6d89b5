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
