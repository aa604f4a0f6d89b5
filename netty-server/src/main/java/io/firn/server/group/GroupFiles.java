package io.firn.server.group;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.MediumException;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.annotation.concurrent.GuardedBy;

/**
 * The files of groups, one small text file each. It contains the members of the last complete
 * generation, so that they continue after a restart without a rebalance. Offsets are not part of
 * it: they are cursors of the topics.
 */
public final class GroupFiles {
    private static final String MAGIC = "group";
    private static final int VERSION = 1;
    private static final String PREFIX = "group-";
    private static final String METADATA = "note.";
    private static final String TOPIC = "topic.";
    private static final String OWNER = "owner";
    private static final long LARGE_BYTES = 256 << 10;

    /** File systems have no longer names, and answer with an error to the question for one. */
    private static final int LONGEST_NAME = 255;

    private final FileMedium medium;
    private final Path directory;

    /** A file uses several times its size while it is read or written: one large one at a time. */
    private final ReentrantLock large = new ReentrantLock();

    public GroupFiles(FileMedium medium, Path directory) throws IOException {
        this.medium = medium;
        this.directory = directory;
        medium.createDirectories(directory);
    }

    /**
     * Passes on all groups that have a file, one at a time. Corrupted files are logged.
     *
     * @throws IOException when one cannot be read now: another one would take its place
     */
    void forEach(long nowNs, Consumer<Group> visitor) throws IOException {
        for (String name : medium.list(directory)) {
            if (name.startsWith(PREFIX)) { // not a temporary file of an interrupted write
                Group group;
                try {
                    group = readFile(name, nowNs);
                } catch (DamagedFileException e) {
                    logCorrupted(name, e);
                    continue;
                }
                if (group != null) {
                    visitor.accept(group);
                }
            }
        }
    }

    /** Returns the ids of all groups that have a file. */
    List<String> ids() {
        try {
            List<String> ids = new ArrayList<>();
            for (String name : medium.list(directory)) {
                if (name.startsWith(PREFIX)) {
                    ids.add(URLDecoder.decode(name.substring(PREFIX.length()), UTF_8));
                }
            }
            return ids;
        } catch (IOException | IllegalArgumentException e) {
            throw new MediumException("groups could not be listed: " + e.getMessage(), e);
        }
    }

    /** Returns whether a group has a file. */
    boolean has(String groupId) {
        Path file = file(groupId);
        try {
            return isPossible(file) && medium.exists(file);
        } catch (IOException e) {
            throw new MediumException(
                    "group " + groupId + " could not be looked for: " + e.getMessage(), e);
        }
    }

    /** Returns a group as its file has it; null if it has none, or a corrupted one. */
    Group read(String groupId, long nowNs) {
        Path file = file(groupId);
        String name = file.getFileName().toString();
        try {
            return isPossible(file) ? readFile(name, nowNs) : null;
        } catch (DamagedFileException e) {
            logCorrupted(name, e);
            return null;
        } catch (IOException e) {
            throw new MediumException(
                    "group " + groupId + " could not be read: " + e.getMessage(), e);
        }
    }

    /** A client may ask for any id. */
    private static boolean isPossible(Path file) {
        return file.getFileName().toString().length() <= LONGEST_NAME;
    }

    private Group readFile(String name, long nowNs) throws IOException {
        Path file = directory.resolve(name);
        if (!medium.exists(file)) {
            return null;
        }
        boolean isLarge = isLarge(file);
        if (isLarge) {
            large.lock();
        }
        try {
            Fields fields = Fields.read(medium, file, MAGIC, VERSION);
            return fields == null ? null : decode(fields, nowNs);
        } finally {
            if (isLarge) {
                large.unlock();
            }
        }
    }

    private boolean isLarge(Path file) throws IOException {
        try {
            FileMedium.FileStatus status = medium.statusOf(file);
            return status == null || status.bytes() > LARGE_BYTES;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static void logCorrupted(String name, DamagedFileException e) {
        System.getLogger("io.firn.server")
                .log(
                        System.Logger.Level.ERROR,
                        "group file {0} is corrupted, its members have to join again: {1}",
                        name,
                        e.getMessage());
    }

    @GuardedBy("group")
    void write(Group group) {
        boolean isLarge = group.memoryBytes() > LARGE_BYTES;
        if (isLarge) {
            large.lock();
        }
        try {
            SmallFile.write(medium, file(group.id()), MAGIC, VERSION, encode(group));
            group.wrote();
        } catch (IOException e) {
            throw new MediumException(
                    "group " + group.id() + " could not be written: " + e.getMessage(), e);
        } finally {
            if (isLarge) {
                large.unlock();
            }
        }
    }

    void delete(String groupId) {
        try {
            medium.delete(file(groupId));
            medium.forceDirectory(directory);
        } catch (IOException e) {
            throw new MediumException(
                    "group " + groupId + " could not be deleted: " + e.getMessage(), e);
        }
    }

    private Path file(String groupId) {
        // Escaped, so that no character has a meaning for the file system.
        return directory.resolve(PREFIX + URLEncoder.encode(groupId, UTF_8).replace("*", "%2A"));
    }

    @GuardedBy("group")
    private static Map<String, String> encode(Group group) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("id", group.id());
        map.put("generation", Integer.toString(group.generation()));
        map.put("protocolType", group.protocolType());
        map.put("protocol", group.protocol() == null ? "" : group.protocol());
        map.put("leader", group.members().leader() == null ? "" : group.members().leader());
        map.put("emptySinceMs", Long.toString(group.emptySinceMs()));
        map.put(OWNER, group.owner());
        group.commits()
                .topics()
                .forEach((topic, bytes) -> map.put(TOPIC + topic, Long.toString(bytes)));
        for (Map.Entry<String, String> each : group.commits().metadata().entrySet()) {
            map.put(METADATA + each.getKey(), each.getValue());
        }
        int n = 0;
        for (Member member : group.members()) {
            String prefix = "member." + n++ + ".";
            map.put(prefix + "id", member.id());
            map.put(prefix + "instance", member.isStatic() ? "=" + member.instanceId() : "");
            map.put(prefix + "client", member.clientId());
            map.put(prefix + "host", member.clientHost());
            map.put(prefix + "sessionMs", Integer.toString(member.sessionMs()));
            map.put(prefix + "rebalanceMs", Integer.toString(member.rebalanceMs()));
            map.put(prefix + "assignment", text(member.assignment()));
            int p = 0;
            for (Map.Entry<String, byte[]> each : member.protocols().entrySet()) {
                map.put(prefix + "protocol." + p + ".name", each.getKey());
                map.put(prefix + "protocol." + p++ + ".metadata", text(each.getValue()));
            }
        }
        return map;
    }

    private Group decode(Fields fields, long nowNs) throws DamagedFileException {
        String id = fields.text("id");
        if (!file(id).equals(fields.file())) {
            throw fields.unexpected("id", "the group that the file is named by", id);
        }
        Group group = new Group(id, fields.number("emptySinceMs", Long.MIN_VALUE, Long.MAX_VALUE));
        synchronized (group) {
            group.generation(fields.integer("generation", -1, Integer.MAX_VALUE));
            group.protocolType(fields.text("protocolType"));
            fields.below(METADATA)
                    .values()
                    .forEach(
                            (key, value) -> {
                                var unused = group.commits().metadata(key, value);
                            });
            Fields topics = fields.below(TOPIC);
            for (String topic : topics.keys()) {
                group.commits()
                        .addTopic(
                                topics.id(topic, topic),
                                topics.number(topic, Long.MIN_VALUE, Long.MAX_VALUE));
            }
            for (int n = 0; fields.has("member." + n + ".id"); n++) {
                Member member = decodeMember(fields, "member." + n + ".");
                if (group.members().find(member.id()) != null) {
                    throw fields.damaged("it has a member twice");
                }
                group.add(member);
                group.renewSession(member, nowNs);
            }
            if (!group.members().isEmpty()) {
                group.protocol(fields.text("protocol"));
                group.members().leader(leaderIn(fields, group));
                group.state(GroupState.STABLE);
            }
            group.storedOwner(fields.has(OWNER) ? fields.text(OWNER) : GroupMemory.NOBODY);
            group.wrote();
        }
        return group;
    }

    @GuardedBy("group")
    private static String leaderIn(Fields fields, Group group) throws DamagedFileException {
        String leader = fields.text("leader");
        if (group.members().find(leader) == null) {
            throw fields.unexpected("leader", "one of the members", leader);
        }
        return leader;
    }

    private static Member decodeMember(Fields fields, String prefix) throws DamagedFileException {
        Map<String, byte[]> protocols = new LinkedHashMap<>();
        for (int p = 0; fields.has(prefix + "protocol." + p + ".name"); p++) {
            protocols.put(
                    fields.text(prefix + "protocol." + p + ".name"),
                    bytes(fields, prefix + "protocol." + p + ".metadata"));
        }
        String instance = fields.text(prefix + "instance");
        Member member =
                new Member(
                        new Member.Identity(
                                fields.text(prefix + "id"),
                                instance.isEmpty() ? null : instance.substring(1),
                                fields.text(prefix + "client"),
                                fields.text(prefix + "host")),
                        fields.integer(prefix + "sessionMs", 0, Integer.MAX_VALUE),
                        fields.integer(prefix + "rebalanceMs", 0, Integer.MAX_VALUE),
                        protocols);
        member.assignment(bytes(fields, prefix + "assignment"));
        return member;
    }

    private static String text(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] bytes(Fields fields, String key) throws DamagedFileException {
        String text = fields.text(key);
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw fields.unexpected(key, "bytes in Base64", text);
        }
    }
}
