package io.firn.server.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.FirnException;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The files of groups, one small text file each. It contains the members of the last complete
 * generation, so that they continue after a restart without a rebalance. Offsets are not part of
 * it: they are cursors of the topics.
 */
final class GroupFiles {
    private static final String MAGIC = "group";
    private static final int VERSION = 1;
    private static final String METADATA = "note.";

    private final FileMedium medium;
    private final Path directory;

    GroupFiles(FileMedium medium, Path directory) throws IOException {
        this.medium = medium;
        this.directory = directory;
        medium.createDirectories(directory);
    }

    /** Returns all groups that have a file. Corrupted files are logged and skipped. */
    List<Group> readAll(long nowNs) throws IOException {
        List<Group> groups = new ArrayList<>();
        for (String name : medium.list(directory)) {
            if (name.startsWith(".")) {
                continue; // a temporary file of a write that a crash interrupted
            }
            try {
                groups.add(
                        decode(
                                SmallFile.read(medium, directory.resolve(name), MAGIC, VERSION),
                                nowNs));
            } catch (IOException | IllegalArgumentException e) {
                System.getLogger("io.firn.server")
                        .log(
                                System.Logger.Level.ERROR,
                                "group file {0} is corrupted, its members have to join again: {1}",
                                name,
                                e.getMessage());
            }
        }
        return groups;
    }

    @GuardedBy("group")
    void write(Group group) {
        try {
            SmallFile.write(medium, file(group.id()), MAGIC, VERSION, encode(group));
        } catch (IOException e) {
            throw new FirnException(
                    "group " + group.id() + " could not be written: " + e.getMessage(), e);
        }
    }

    void delete(String groupId) {
        try {
            medium.delete(file(groupId));
            medium.forceDirectory(directory);
        } catch (IOException e) {
            throw new FirnException(
                    "group " + groupId + " could not be deleted: " + e.getMessage(), e);
        }
    }

    private Path file(String groupId) {
        // Escaped, so that no character has a meaning for the file system.
        return directory.resolve(
                "group-" + URLEncoder.encode(groupId, StandardCharsets.UTF_8).replace("*", "%2A"));
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
        for (Map.Entry<String, String> each : group.commitMetadata().entrySet()) {
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

    private static Group decode(Map<String, String> map, long nowNs) {
        Group group = new Group(map.get("id"), Long.parseLong(map.get("emptySinceMs")));
        synchronized (group) {
            group.generation(Integer.parseInt(map.get("generation")));
            group.protocolType(map.get("protocolType"));
            for (Map.Entry<String, String> each : map.entrySet()) {
                if (each.getKey().startsWith(METADATA)) {
                    group.commitMetadata()
                            .put(each.getKey().substring(METADATA.length()), each.getValue());
                }
            }
            for (int n = 0; map.containsKey("member." + n + ".id"); n++) {
                Member member = decodeMember(map, "member." + n + ".");
                group.add(member);
                group.renewSession(member, nowNs);
            }
            if (!group.members().isEmpty()) {
                group.protocol(map.get("protocol"));
                group.members().leader(map.get("leader"));
                group.state(GroupState.STABLE);
            }
        }
        return group;
    }

    private static Member decodeMember(Map<String, String> map, String prefix) {
        Map<String, byte[]> protocols = new LinkedHashMap<>();
        for (int p = 0; map.containsKey(prefix + "protocol." + p + ".name"); p++) {
            protocols.put(
                    map.get(prefix + "protocol." + p + ".name"),
                    bytes(map.get(prefix + "protocol." + p + ".metadata")));
        }
        String instance = map.get(prefix + "instance");
        Member member =
                new Member(
                        map.get(prefix + "id"),
                        instance.isEmpty() ? null : instance.substring(1),
                        map.get(prefix + "client"),
                        map.get(prefix + "host"),
                        Integer.parseInt(map.get(prefix + "sessionMs")),
                        Integer.parseInt(map.get(prefix + "rebalanceMs")),
                        protocols);
        member.assignment(bytes(map.get(prefix + "assignment")));
        return member;
    }

    private static String text(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] bytes(String text) {
        return Base64.getDecoder().decode(text);
    }
}
