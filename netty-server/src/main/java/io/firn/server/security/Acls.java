package io.firn.server.security;

import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.server.state.StateFile;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * The ACLs of a store. A change is durable before it is used, and before it is answered (rule O25,
 * {@link StateFile}). Thread-safe; decisions read a snapshot.
 */
public final class Acls {
    /** With the longest texts, a file of these can still be read. */
    static final int MOST = 20_000;

    /** All of the file; it is written anew with each change. */
    private static final int MOST_CHARS = 8 << 20;

    private static final StateFile.Format<AclSnapshot> FORMAT = new Format();

    private final StateFile<AclSnapshot> file;

    private Acls(StateFile<AclSnapshot> file) {
        this.file = file;
    }

    /**
     * Reads the file; without one there are no ACLs.
     *
     * @param directory the directory of the file, which exists
     * @throws IOException if the file cannot be read
     */
    public static Acls open(FileMedium medium, Path directory) throws IOException {
        AclSnapshot none = AclSnapshot.NONE;
        return new Acls(StateFile.open(medium, directory.resolve("acls"), FORMAT, none));
    }

    private static final class Format implements StateFile.Format<AclSnapshot> {
        @Override
        public String magic() {
            return "acls";
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public int mostLines() {
            return MOST;
        }

        @Override
        public long mostChars() {
            return MOST_CHARS;
        }

        @Override
        public Map<String, String> format(AclSnapshot snapshot) {
            Map<String, String> lines = new HashMap<>();
            snapshot.byText().keySet().forEach(each -> lines.put(each, ""));
            return lines;
        }

        @Override
        public AclSnapshot parse(Map<String, String> lines) {
            Map<String, AclBinding> bindings = new HashMap<>();
            for (String each : lines.keySet()) {
                try {
                    AclBinding binding = Acls.parse(each);
                    bindings.put(Acls.format(binding), binding);
                } catch (IllegalArgumentException e) {
                    String line = Fields.shown(each);
                    throw new IllegalArgumentException("'" + line + "' is not an ACL", e);
                }
            }
            return AclSnapshot.of(bindings);
        }
    }

    private static String format(AclBinding binding) {
        AccessControlEntry entry = binding.entry();
        ResourcePattern pattern = binding.pattern();
        return String.join(
                " ",
                entry.permissionType().name(),
                entry.operation().name(),
                pattern.resourceType().name(),
                pattern.patternType().name(),
                URLEncoder.encode(pattern.name(), StandardCharsets.UTF_8),
                URLEncoder.encode(entry.principal(), StandardCharsets.UTF_8),
                URLEncoder.encode(entry.host(), StandardCharsets.UTF_8));
    }

    private static AclBinding parse(String line) {
        String[] parts = line.split(" ", -1);
        if (parts.length != 7) {
            throw new IllegalArgumentException("expected 7 words, found " + parts.length);
        }
        return new AclBinding(
                new ResourcePattern(
                        ResourceType.valueOf(parts[2]),
                        URLDecoder.decode(parts[4], StandardCharsets.UTF_8),
                        PatternType.valueOf(parts[3])),
                new AccessControlEntry(
                        URLDecoder.decode(parts[5], StandardCharsets.UTF_8),
                        URLDecoder.decode(parts[6], StandardCharsets.UTF_8),
                        AclOperation.valueOf(parts[1]),
                        AclPermissionType.valueOf(parts[0])));
    }

    /**
     * Adds and removes ACLs, all of them or none, durably on return. What is there already, or is
     * not there, is no error.
     *
     * @return false if there would be too many; nothing has changed
     * @throws IOException if they could not be written; whether they are there after a restart is
     *     then unknown, and until then the old ones are used
     */
    public boolean change(Collection<AclBinding> added, Collection<AclBinding> removed)
            throws IOException {
        Map<String, AclBinding> more = new HashMap<>();
        added.forEach(each -> more.put(format(each), each));
        if (more.size() > MOST) {
            return false; // before the file is written out
        }
        return file.change(
                before -> {
                    Map<String, AclBinding> next = new HashMap<>(before.byText());
                    removed.forEach(each -> next.remove(format(each)));
                    next.putAll(more);
                    return next.keySet().equals(before.byText().keySet())
                            ? before
                            : AclSnapshot.of(next);
                },
                !added.isEmpty());
    }

    /** Returns the ACLs. */
    public Collection<AclBinding> all() {
        return file.get().all();
    }

    AclSnapshot snapshot() {
        return file.get();
    }
}
