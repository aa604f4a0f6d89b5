package io.firn.server.security;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * A set of ACLs, and what follows from it, by the rules of Kafka's StandardAuthorizer. Immutable.
 *
 * <p>An ACL holds for the resource of its name, for all of a kind ({@code *}), or for those whose
 * names begin with its name. Of the ACLs that hold for a resource, one that denies counts before
 * those that allow. To allow READ, WRITE, DELETE or ALTER allows DESCRIBE too, and to allow
 * ALTER_CONFIGS allows DESCRIBE_CONFIGS; to deny implies nothing.
 */
final class AclSnapshot {
    /** An address in numbers, which is not looked up anywhere. */
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:][0-9a-fA-F.]*:[0-9a-fA-F:.]*");

    static final AclSnapshot NONE = of(Map.of());

    private static final String EVERYBODY = "User:*";
    private static final String ANYWHERE = "*";

    /** What the ACLs say of one question. */
    enum Verdict {
        ALLOWED,
        DENIED,
        /** There are ACLs for the resource, none of which is about this. */
        NOT_MENTIONED,
        /** There is no ACL for the resource at all. */
        NO_ACL
    }

    /** By their text, because the hashes of ACLs may all be the same, and they have no order. */
    private final Map<String, AclBinding> byText;

    private final Map<ResourceType, Kind> kinds = new EnumMap<>(ResourceType.class);

    /** The ACLs for one kind of resource. */
    private static final class Kind {
        private final Map<String, Named> literal = new HashMap<>();
        private final Map<String, Named> prefixed = new HashMap<>();

        /** The lengths of the prefixes, ascending. */
        private int[] lengths = {};

        void add(AclBinding binding) {
            ResourcePattern pattern = binding.pattern();
            boolean isLiteral = pattern.patternType() == PatternType.LITERAL;
            (isLiteral ? literal : prefixed)
                    .computeIfAbsent(pattern.name(), name -> new Named())
                    .add(binding.entry());
            if (!isLiteral) {
                int length = pattern.name().length();
                if (Arrays.binarySearch(lengths, length) < 0) {
                    lengths = Arrays.copyOf(lengths, lengths.length + 1);
                    lengths[lengths.length - 1] = length;
                    Arrays.sort(lengths);
                }
            }
        }
    }

    /** The ACLs of one name, by whom they are for. */
    private static final class Named {
        private final Map<String, List<AccessControlEntry>> byPrincipal = new HashMap<>();

        void add(AccessControlEntry entry) {
            byPrincipal
                    .computeIfAbsent(entry.principal(), principal -> new ArrayList<>())
                    .add(
                            new AccessControlEntry(
                                    entry.principal(),
                                    asOfClients(entry.host()),
                                    entry.operation(),
                                    entry.permissionType()));
        }

        List<AccessControlEntry> of(String principal) {
            return byPrincipal.getOrDefault(principal, List.of());
        }
    }

    private AclSnapshot(Map<String, AclBinding> bindings) {
        byText = Collections.unmodifiableMap(new HashMap<>(bindings));
        for (AclBinding each : byText.values()) {
            kinds.computeIfAbsent(each.pattern().resourceType(), type -> new Kind()).add(each);
        }
    }

    /** Returns a snapshot of ACLs, each with a text of its own. */
    static AclSnapshot of(Map<String, AclBinding> byText) {
        return new AclSnapshot(byText);
    }

    /** Returns the ACLs by their texts. */
    Map<String, AclBinding> byText() {
        return byText;
    }

    /** Returns the ACLs. */
    Collection<AclBinding> all() {
        return byText.values();
    }

    // ---- one resource

    /** Returns what the ACLs say of an operation of a client on a resource. */
    Verdict decide(
            String principal, String host, AclOperation operation, ResourceType type, String name) {
        Kind kind = kinds.get(type);
        if (kind == null) {
            return Verdict.NO_ACL;
        }
        Verdict verdict = Verdict.NO_ACL;
        verdict = and(verdict, kind.literal.get(name), principal, host, operation);
        verdict =
                and(
                        verdict,
                        kind.literal.get(ResourcePattern.WILDCARD_RESOURCE),
                        principal,
                        host,
                        operation);
        for (int length : kind.lengths) {
            if (length > name.length() || verdict == Verdict.DENIED) {
                break;
            }
            Named found = kind.prefixed.get(name.substring(0, length));
            verdict = and(verdict, found, principal, host, operation);
        }
        return verdict;
    }

    private static Verdict and(
            Verdict before, Named found, String principal, String host, AclOperation operation) {
        if (found == null || before == Verdict.DENIED) {
            return before;
        }
        Verdict verdict = before == Verdict.NO_ACL ? Verdict.NOT_MENTIONED : before;
        verdict = and(verdict, found.of(principal), host, operation);
        return verdict == Verdict.DENIED || principal.equals(EVERYBODY)
                ? verdict
                : and(verdict, found.of(EVERYBODY), host, operation);
    }

    private static Verdict and(
            Verdict before, List<AccessControlEntry> entries, String host, AclOperation operation) {
        Verdict verdict = before;
        for (AccessControlEntry each : entries) {
            if (isFrom(each, host) && isAbout(each, operation)) {
                if (each.permissionType() == AclPermissionType.DENY) {
                    return Verdict.DENIED;
                }
                verdict = Verdict.ALLOWED;
            }
        }
        return verdict;
    }

    private static boolean isFrom(AccessControlEntry entry, String host) {
        return entry.host().equals(ANYWHERE) || entry.host().equals(host);
    }

    private static boolean isAbout(AccessControlEntry entry, AclOperation asked) {
        AclOperation said = entry.operation();
        if (said == asked || said == AclOperation.ALL) {
            return true;
        }
        if (entry.permissionType() != AclPermissionType.ALLOW) {
            return false;
        }
        return switch (asked) {
            case DESCRIBE ->
                    said == AclOperation.READ
                            || said == AclOperation.WRITE
                            || said == AclOperation.DELETE
                            || said == AclOperation.ALTER;
            case DESCRIBE_CONFIGS -> said == AclOperation.ALTER_CONFIGS;
            default -> false;
        };
    }

    // ---- any resource of a kind

    /**
     * Returns whether some name is allowed and not denied: an ACL for all or for a prefix may allow
     * it, and one for this name, a shorter prefix or all may deny it. Here no operation implies
     * another.
     */
    boolean allowsAny(String principal, String host, AclOperation operation, ResourceType type) {
        Kind kind = kinds.get(type);
        if (kind == null
                || says(AclPermissionType.DENY, everything(kind), principal, host, operation)) {
            return false;
        }
        if (says(AclPermissionType.ALLOW, everything(kind), principal, host, operation)) {
            return true;
        }
        Set<String> denied = new HashSet<>();
        kind.prefixed.forEach(
                (name, entries) -> {
                    if (says(AclPermissionType.DENY, entries, principal, host, operation)) {
                        denied.add(name);
                    }
                });
        for (Map.Entry<String, Named> each : kind.literal.entrySet()) {
            Named entries = each.getValue();
            if (says(AclPermissionType.ALLOW, entries, principal, host, operation)
                    && !says(AclPermissionType.DENY, entries, principal, host, operation)
                    && !beginsWithAny(each.getKey(), denied)) {
                return true;
            }
        }
        for (Map.Entry<String, Named> each : kind.prefixed.entrySet()) {
            if (says(AclPermissionType.ALLOW, each.getValue(), principal, host, operation)
                    && !beginsWithAny(each.getKey(), denied)) {
                return true;
            }
        }
        return false;
    }

    private static Named everything(Kind kind) {
        return kind.literal.get(ResourcePattern.WILDCARD_RESOURCE);
    }

    private static boolean says(
            AclPermissionType what,
            Named found,
            String principal,
            String host,
            AclOperation operation) {
        return found != null
                && (says(what, found.of(principal), host, operation)
                        || says(what, found.of(EVERYBODY), host, operation));
    }

    private static boolean says(
            AclPermissionType what,
            List<AccessControlEntry> entries,
            String host,
            AclOperation operation) {
        for (AccessControlEntry each : entries) {
            if (each.permissionType() == what
                    && isFrom(each, host)
                    && (each.operation() == operation || each.operation() == AclOperation.ALL)) {
                return true;
            }
        }
        return false;
    }

    private static boolean beginsWithAny(String name, Set<String> prefixes) {
        if (prefixes.isEmpty()) {
            return false;
        }
        for (int end = 1; end <= name.length(); end++) {
            if (prefixes.contains(name.substring(0, end))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns an IPv6 address as Java writes those of clients, without the short forms: an ACL that
     * denies something to {@code ::1} would otherwise be for nobody. Other texts stay as they are.
     */
    private static String asOfClients(String host) {
        if (!IPV6.matcher(host).matches()) {
            return host;
        }
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException e) {
            return host; // not an address
        }
    }
}
