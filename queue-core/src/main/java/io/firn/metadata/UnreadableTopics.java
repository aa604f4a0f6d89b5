package io.firn.metadata;

import io.firn.UnreadableTopicException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The topics of a store that cannot be served, as found at one moment. While there are any, no
 * topic is created: the new, empty topic could take the name of one that only needs repair.
 * Immutable.
 */
public final class UnreadableTopics {
    public static final UnreadableTopics NONE = new UnreadableTopics(List.of());

    private final List<Unreadable> all;

    public UnreadableTopics(List<Unreadable> all) {
        this.all = List.copyOf(all);
    }

    /**
     * A topic that cannot be served.
     *
     * @param file the file to repair
     * @param name its name; null when that is unknown
     * @param reason what was found
     * @param isDamaged whether its files are known to be wrong; otherwise they could not be read
     *     now, and may be whole
     */
    public record Unreadable(UUID id, Path file, String name, String reason, boolean isDamaged) {
        public String told() {
            String what = name == null ? "topic " + id : "topic '" + name + "' with the id " + id;
            return what + " (" + file + "): " + reason;
        }
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    public List<Unreadable> all() {
        return all;
    }

    /** What was found, by id. */
    public Map<UUID, String> byId() {
        Map<UUID, String> reasons = new LinkedHashMap<>();
        all.forEach(each -> reasons.put(each.id, each.told()));
        return Map.copyOf(reasons);
    }

    /**
     * Throws when one of them may be the topic of that name, which is not among the readable ones.
     */
    public void checkMayBeMissing(String name) {
        if (mayBe(name)) {
            throw new UnreadableTopicException(
                    "topic '" + name + "' is not among the topics that can be read. " + told());
        }
    }

    /**
     * Throws when a topic of that name must not be created.
     *
     * @param isAskedFor whether topics may be created while some cannot be read
     */
    public void checkMayCreate(String name, boolean isAskedFor) {
        boolean isTheirs = all.stream().anyMatch(each -> name.equals(each.name));
        if (isTheirs || (!isAskedFor && !isEmpty())) {
            throw new UnreadableTopicException(
                    "topic '"
                            + name
                            + "' is not created: a topic that cannot be read "
                            + (isTheirs ? "has that name. " : "may have that name. ")
                            + told());
        }
    }

    /** Throws when there are some, which a backup would leave out. */
    public void checkNone() {
        if (!isEmpty()) {
            throw new UnreadableTopicException("no backup is made: " + told());
        }
    }

    private boolean mayBe(String name) {
        return all.stream().anyMatch(each -> each.name == null || each.name.equals(name));
    }

    /** All of them, and what to do. */
    public String told() {
        StringBuilder text = new StringBuilder(400);
        text.append(all.size() == 1 ? "1 topic" : all.size() + " topics");
        text.append(" of the store cannot be read: ").append(listed());
        text.append("nothing of them was changed. ").append(remedy());
        text.append(
                ". To give a topic up, move its directory and its segments away. To"
                        + " create topics while some cannot be read, open the store with"
                        + " createTopicsBesideUnreadableOnes()");
        return text.toString();
    }

    /** Returns what is told of each. */
    public String listed() {
        return all.stream().map(each -> each.told() + "; ").collect(Collectors.joining());
    }

    /** Returns what makes them readable again, as a sentence. */
    public String remedy() {
        boolean isAnyDamaged = all.stream().anyMatch(each -> each.isDamaged);
        boolean isAnyWhole = all.stream().anyMatch(each -> !each.isDamaged);
        StringBuilder text = new StringBuilder(200);
        if (isAnyWhole) {
            text.append("What could not be read may be whole: see to the medium");
        }
        if (isAnyDamaged) {
            text.append(isAnyWhole ? ". Restore damaged or missing files" : "Restore the files");
            text.append(" from a copy");
        }
        return text.append(" and open the store again").toString();
    }
}
