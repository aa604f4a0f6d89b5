package io.firn.metadata;

import io.firn.CleanupPolicy;
import io.firn.InvalidOptionException;
import io.firn.Survives;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.medium.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A topic file that is made without a backup: of the lines of the damaged one that can still be
 * read, and of what the other files of the topic show.
 *
 * @param assumed what is not known, one sentence each
 */
public record RebuiltTopic(byte[] content, List<String> assumed) {
    private static final int MOST_BYTES = 1 << 20;
    private static final Pattern LINE = Pattern.compile("([A-Za-z]+)=([^\\\\\\p{Cntrl}]*)");
    private static final String NAME = "name";

    /**
     * What other files show of a topic.
     *
     * @param name null if nothing does
     * @param partitions 1 or more
     */
    public record Evidence(
            String name, int partitions, boolean isCompacted, boolean isReplicated) {}

    /** Makes the file. */
    public static RebuiltTopic of(FileMedium medium, Path file, Evidence seen) throws IOException {
        List<String> assumed = new ArrayList<>();
        Map<String, String> legible = legible(medium, file);
        String name = name(legible.remove(NAME), seen.name, file, assumed);
        if ("true".equals(legible.remove("deleted"))) {
            assumed.add("it was being deleted, and exists again");
        }
        Map<String, String> options = new LinkedHashMap<>();
        legible.forEach(
                (key, value) -> {
                    if (isOption(options, key, value)) {
                        assumed.add(key + " is " + value + ", from the damaged file");
                    }
                });
        TopicOptions all = TopicOptionsFormat.decode(options);
        if (!options.containsKey("partitions") || all.partitions() < seen.partitions) {
            all = all.withPartitions(seen.partitions);
            assumed.add(
                    "it has " + seen.partitions + " partitions, as its segments and files show");
        }
        if (!options.containsKey("minimumClass")) {
            all = all.withMinimumClass(Survives.PROCESS_CRASH);
        }
        if (seen.isCompacted && all.cleanup() == CleanupPolicy.DELETE) {
            all = all.withCleanup(CleanupPolicy.COMPACT);
            assumed.add("it is compacted, as some of its segments are");
        }
        if (seen.isReplicated && !all.isReplicated()) {
            all = all.withReplicated(true);
            assumed.add("it is a copy of another log, as one of its files shows");
        }
        assumed.add("all other options have their defaults");
        Map<String, String> values = TopicOptionsFormat.encode(all);
        values.put(NAME, name);
        values.put("deleted", "false");
        int version = TopicOptionsFormat.versionOf(all);
        return new RebuiltTopic(SmallFile.content(file, "topic", version, values), assumed);
    }

    private static String name(String legible, String seen, Path file, List<String> assumed) {
        if (seen != null) {
            return seen;
        }
        if (legible != null && isName(legible)) {
            assumed.add("its name is " + legible + ", from the damaged file");
            return legible;
        }
        String made = "recovered-" + file.getParent().getFileName();
        assumed.add("its name is not known: " + made);
        return made;
    }

    private static boolean isName(String text) {
        try {
            Topic.checkName(text);
            return true;
        } catch (InvalidOptionException e) {
            return text.equals(TopicFiles.JOURNAL);
        }
    }

    /** Adds an option, unless what was read is none, or does not fit those before it. */
    private static boolean isOption(Map<String, String> options, String key, String value) {
        Map<String, String> with = new LinkedHashMap<>(options);
        with.put(key, value);
        try {
            TopicOptionsFormat.decode(with);
        } catch (InvalidOptionException e) {
            return false;
        }
        return !value.isEmpty() && options.put(key, value) == null;
    }

    /** Returns what looks like a line of a topic file, in the order of the file. */
    private static Map<String, String> legible(FileMedium medium, Path file) throws IOException {
        Map<String, String> found = new LinkedHashMap<>();
        byte[] bytes = WholeFile.read(medium, file, MOST_BYTES);
        if (bytes != null) {
            for (String line :
                    new String(bytes, java.nio.charset.StandardCharsets.UTF_8).split("\n")) {
                Matcher matcher = LINE.matcher(line);
                if (matcher.matches()) {
                    found.put(matcher.group(1), matcher.group(2));
                }
            }
        }
        return found;
    }
}
