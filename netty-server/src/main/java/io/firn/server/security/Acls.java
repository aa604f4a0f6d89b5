package io.firn.server.security;

import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * The ACLs of a store, in one file that is replaced as a whole. A change is durable before it is
 * used, and before it is answered (rule O25). Thread-safe; decisions read a snapshot.
 */
public final class Acls {
    private static final String MAGIC = "acls";
    private static final int VERSION = 1;

    /** With the longest texts, a file of these can still be read. */
    static final int MOST = 20_000;

    /** All of the file; it is written anew with each change. */
    private static final int MOST_BYTES = 8 << 20;

    private final FileMedium medium;
    private final Path file;
    private volatile AclSnapshot snapshot;

    private Acls(FileMedium medium, Path file, AclSnapshot snapshot) {
        this.medium = medium;
        this.file = file;
        this.snapshot = snapshot;
    }

    /**
     * Reads the file; without one there are no ACLs.
     *
     * @param directory the directory of the file, which exists
     * @throws IOException if the file cannot be read
     */
    public static Acls open(FileMedium medium, Path directory) throws IOException {
        Path file = directory.resolve("acls");
        Map<String, String> known = SmallFile.read(medium, file, MAGIC, VERSION);
        Set<AclBinding> bindings = new HashSet<>();
        if (known != null) {
            for (String each : known.keySet()) {
                try {
                    bindings.add(parse(each));
                } catch (IllegalArgumentException e) {
                    throw new IOException(file + ": '" + each + "' is not an ACL", e);
                }
            }
        }
        return new Acls(medium, file, new AclSnapshot(bindings));
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
    public synchronized boolean change(Collection<AclBinding> added, Collection<AclBinding> removed)
            throws IOException {
        Set<AclBinding> next = new HashSet<>(snapshot.all());
        removed.forEach(next::remove);
        next.addAll(added);
        if (next.equals(snapshot.all())) {
            return true;
        }
        Map<String, String> lines = new HashMap<>();
        long bytes = 0;
        for (AclBinding each : next) {
            String line = format(each);
            bytes += line.length() + 2;
            lines.put(line, "");
        }
        if (!added.isEmpty() && (next.size() > MOST || bytes > MOST_BYTES)) {
            return false;
        }
        SmallFile.write(medium, file, MAGIC, VERSION, lines);
        ScramUsers.protect(file, "rw-------");
        snapshot = new AclSnapshot(next); // only now, by O25
        return true;
    }

    /** Returns the ACLs. */
    public Set<AclBinding> all() {
        return snapshot.all();
    }

    AclSnapshot snapshot() {
        return snapshot;
    }
}
