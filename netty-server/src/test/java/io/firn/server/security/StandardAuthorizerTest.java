package io.firn.server.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.junit.jupiter.api.Test;

/**
 * Decides random questions by random ACLs as Kafka's StandardAuthorizer does. {@code
 * -Dfirn.acl.questions=1000000} asks more of them, {@code -Dfirn.acl.seed} other ones.
 */
class StandardAuthorizerTest {
    private static final int QUESTIONS_OF_A_SET = 50;
    private static final String SUPER_USER = "User:root";

    private static final List<String> NAMES =
            List.of("a", "ab", "abc", "b", "ba", "*", "*a", "aé", "kafka-cluster", "hardcode");
    private static final List<String> PRINCIPALS =
            List.of("User:a", "User:b", "User:*", SUPER_USER, "Group:a", "User:a:b");

    /** Kafka cannot decide for a client whose own name is that of everybody: it throws. */
    private static final List<String> CLIENTS =
            PRINCIPALS.stream().filter(each -> !each.equals("User:*")).toList();

    private static final List<String> HOSTS = List.of("127.0.0.1", "127.0.0.2", "0:0:0:0:0:0:0:1");
    private static final List<ResourceType> TYPES =
            List.of(ResourceType.TOPIC, ResourceType.GROUP, ResourceType.CLUSTER);
    private static final List<AclOperation> OPERATIONS =
            List.of(AclOperation.values()).stream()
                    .filter(each -> each != AclOperation.UNKNOWN && each != AclOperation.ANY)
                    .toList();

    private final Random random = new Random(Long.getLong("firn.acl.seed", 7L));

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private AclBinding binding() {
        boolean deny = random.nextInt(4) == 0;
        return new AclBinding(
                new ResourcePattern(
                        any(TYPES),
                        any(NAMES),
                        random.nextBoolean() ? PatternType.LITERAL : PatternType.PREFIXED),
                new AccessControlEntry(
                        any(PRINCIPALS),
                        random.nextBoolean() ? "*" : any(HOSTS),
                        any(OPERATIONS),
                        deny ? AclPermissionType.DENY : AclPermissionType.ALLOW));
    }

    private static StandardAuthorizer kafkas(
            Set<AclBinding> acls, boolean open, PluginMetrics metrics) {
        StandardAuthorizer authorizer = new StandardAuthorizer();
        authorizer.configure(
                Map.of(
                        "node.id",
                        "1",
                        "super.users",
                        SUPER_USER,
                        "allow.everyone.if.no.acl.found",
                        Boolean.toString(open)));
        Map<Uuid, StandardAcl> all = new java.util.HashMap<>();
        acls.forEach(each -> all.put(Uuid.randomUuid(), StandardAcl.fromAclBinding(each)));
        authorizer.withPluginMetrics(metrics);
        authorizer.loadSnapshot(all);
        authorizer.completeInitialLoad();
        return authorizer;
    }

    /** A request of a client. */
    private record Client(KafkaPrincipal principal, InetAddress clientAddress)
            implements AuthorizableRequestContext {
        @Override
        public String listenerName() {
            return "SASL_PLAINTEXT";
        }

        @Override
        public SecurityProtocol securityProtocol() {
            return SecurityProtocol.SASL_PLAINTEXT;
        }

        @Override
        public int requestType() {
            return 0;
        }

        @Override
        public int requestVersion() {
            return 9;
        }

        @Override
        public String clientId() {
            return "client";
        }

        @Override
        public int correlationId() {
            return 1;
        }
    }

    @Test
    void shouldDecideAsKafkasAuthorizer() throws Exception {
        long questions = Long.getLong("firn.acl.questions", 30_000L);
        long allowed = 0;
        long asked = 0;
        while (asked < questions) {
            Set<AclBinding> acls = new HashSet<>();
            for (int i = random.nextInt(30); i > 0; i--) {
                acls.add(binding());
            }
            boolean open = random.nextInt(3) == 0;
            AclSnapshot snapshot =
                    AclSnapshot.of(
                            acls.stream()
                                    .collect(Collectors.toMap(AclBinding::toString, acl -> acl)));
            AccessControl ours = new AclAccessControl(() -> snapshot, Set.of(SUPER_USER), open);
            try (Metrics metrics = new Metrics();
                    PluginMetricsImpl own = new PluginMetricsImpl(metrics, Map.of());
                    StandardAuthorizer kafkas = kafkas(acls, open, own)) {
                for (int i = 0; i < QUESTIONS_OF_A_SET; i++) {
                    asked++;
                    allowed += check(ours, kafkas, acls) ? 1 : 0;
                }
            }
        }
        // Neither of them always says the same.
        assertTrue(allowed > questions / 10 && allowed < questions * 9 / 10, allowed + " allowed");
    }

    private boolean check(AccessControl ours, StandardAuthorizer kafkas, Set<AclBinding> acls)
            throws Exception {
        String principal = any(CLIENTS);
        int colon = principal.indexOf(':');
        InetAddress address = InetAddress.getByName(any(HOSTS));
        Client client =
                new Client(
                        new KafkaPrincipal(
                                principal.substring(0, colon), principal.substring(colon + 1)),
                        address);
        AclOperation operation = any(OPERATIONS);
        ResourceType type = any(TYPES);
        String name = any(NAMES);
        if (name.equals("*a")) {
            name = "a"; // Kafka does not apply the ACLs for all names to those that begin with *
        }
        if (operation == AclOperation.ALL) {
            operation = AclOperation.READ; // is not asked for
        }
        boolean one = ours.isAllowed(principal, address.getHostAddress(), operation, type, name);
        Action action =
                new Action(
                        operation,
                        new ResourcePattern(type, name, PatternType.LITERAL),
                        1,
                        true,
                        true);
        String what = client + " " + operation + " " + type + " " + name + " by " + acls;
        assertEquals(
                kafkas.authorize(client, List.of(action)).get(0) == AuthorizationResult.ALLOWED,
                one,
                what);
        boolean some = ours.isAllowedOnAny(principal, address.getHostAddress(), operation, type);
        assertEquals(
                kafkas.authorizeByResourceType(client, operation, type)
                        == AuthorizationResult.ALLOWED,
                some,
                what);
        return one;
    }
}
