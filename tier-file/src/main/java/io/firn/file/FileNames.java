package io.firn.file;

import io.firn.medium.WholeFile;
import io.firn.spi.Block.Sidecar;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of a tier's directories and files.
 *
 * <pre>
 * tier                                      the ids of the tier and of its store
 * lock                                      held while the tier is open for writing
 * readers                                   empty; read-only tiers hold a shared lock in it
 * 0f8c…-…3a/                                a topic's id, as in the store's topics/
 *     7/                                    a partition
 *         .000000000000002a.active          not sealed, or sealed and not finished; epoch 0x2a
 *         .000000000000002a.active.tmp      being reserved; ignored after a crash
 *         .000000000000002a.seal            reserved for its mark
 *         .000000000000002a.spare           of a deleted segment, to become the next one's
 *         00000000000000000042.log          sealed and finished; base offset 42
 *         00000000000000000042.mark         see {@link SealMark}
 *         00000000000000000042.index        sidecars
 *         00000000000000000042.timeindex
 *         .00000000000000000042.mark.tmp    the next content of one of these
 *         .00000000000000000042.deleted     deleted; the next open removes the rest
 *         .00000000000000000042.copy        a copy being made; ignored with mark, sidecars
 *         00000000000000000042.3/           made by compaction, in generation 3
 *             00000000000000000042.log      with its mark and sidecars, named as above
 *             .00000000000000000042.deleted deleted; the next open removes the directory
 *         .00000000000000000042.3.copy/     being made; the next open removes it
 * </pre>
 *
 * <p>A segment that was rewritten has a directory of its own, in which the names are those that
 * Kafka's tools expect. The number in the directory's name is the generation that it was made in;
 * the mark may have a higher one.
 */
final class FileNames {
    static final String TIER = "tier";
    static final String LOCK = "lock";
    static final String READERS = "readers";

    /** Created by the system in the root of a file system. */
    private static final String LOST_AND_FOUND = "lost+found";

    private static final Pattern TOPIC =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern PARTITION = Pattern.compile("0|[1-9][0-9]{0,9}");
    private static final Pattern ACTIVE =
            Pattern.compile("\\.([0-9a-f]{16})\\.(active|active\\.tmp|seal|spare)");
    private static final Pattern SEALED =
            Pattern.compile("([0-9]{20})\\.(log|mark|index|timeindex)");
    private static final Pattern HIDDEN =
            Pattern.compile("\\.([0-9]{20})\\.(deleted|copy|(?:mark|index|timeindex)\\.tmp)");

    private static final Pattern REWRITTEN =
            Pattern.compile("(\\.)?([0-9]{20})\\.([1-9][0-9]{0,9})(\\.copy)?");

    private static final int EPOCH_DIGITS = 16;
    private static final int BASE_DIGITS = 20;

    private FileNames() {}

    /** The kinds of files in a partition's directory. */
    enum Kind {
        ACTIVE,
        SEAL,
        SPARE,
        LOG,
        MARK,
        INDEX,
        TIMEINDEX,
        DELETED,
        COPY,
        REWRITTEN,
        REWRITTEN_COPY,
        TEMPORARY,
        UNKNOWN
    }

    /**
     * A file's name, parsed.
     *
     * @param number the epoch of an active or spare file, the base offset of any other
     * @param generation of a directory; 0 of a file
     */
    record Entry(Kind kind, long number, int generation) {
        static final Entry UNKNOWN = new Entry(Kind.UNKNOWN, -1, 0);
    }

    /** Returns the names that may exist in a tier's directory beside the topics. */
    static Set<String> atRoot() {
        return Set.of(
                TIER,
                WholeFile.temporaryFor(Path.of(TIER)).toString(),
                LOCK,
                READERS,
                LOST_AND_FOUND);
    }

    static String topic(UUID id) {
        return id.toString();
    }

    /** Returns the topic that a directory belongs to; null when it is not a topic's. */
    static UUID parseTopic(String name) {
        return TOPIC.matcher(name).matches() ? UUID.fromString(name) : null;
    }

    /** Returns the partition that a directory belongs to; −1 when it is not a partition's. */
    static int parsePartition(String name) {
        long number = PARTITION.matcher(name).matches() ? Long.parseLong(name) : -1;
        return number <= Integer.MAX_VALUE ? (int) number : -1;
    }

    static String active(long epoch) {
        return hidden(epoch) + ".active";
    }

    static String reservedSeal(long epoch) {
        return hidden(epoch) + ".seal";
    }

    static String spare(long epoch) {
        return hidden(epoch) + ".spare";
    }

    static String log(long baseOffset) {
        return sealed(baseOffset, "log");
    }

    static String mark(long baseOffset) {
        return sealed(baseOffset, "mark");
    }

    static String sidecar(long baseOffset, Sidecar kind) {
        return sealed(baseOffset, kind.name().toLowerCase(Locale.ROOT));
    }

    static String deleted(long baseOffset) {
        return "." + sealed(baseOffset, "deleted");
    }

    static String copy(long baseOffset) {
        return "." + sealed(baseOffset, "copy");
    }

    /** Returns the name of the directory of a segment that was rewritten. */
    static String rewritten(long baseOffset, int generation) {
        return sealed(baseOffset, Integer.toString(generation));
    }

    /** Returns the name of such a directory while it is made. */
    static String rewrittenCopy(long baseOffset, int generation) {
        return "." + rewritten(baseOffset, generation) + ".copy";
    }

    /** Returns the name of an active file while its space is reserved. */
    static String temporaryActive(long epoch) {
        return active(epoch) + ".tmp";
    }

    static Entry parse(String name) {
        Matcher active = ACTIVE.matcher(name);
        if (active.matches()) {
            Kind kind =
                    switch (active.group(2)) {
                        case "active" -> Kind.ACTIVE;
                        case "seal" -> Kind.SEAL;
                        case "spare" -> Kind.SPARE;
                        default -> Kind.TEMPORARY;
                    };
            return new Entry(kind, Long.parseUnsignedLong(active.group(1), 16), 0);
        }
        Matcher sealed = SEALED.matcher(name);
        if (sealed.matches()) {
            return entry(
                    Kind.valueOf(sealed.group(2).toUpperCase(Locale.ROOT)), sealed.group(1), "0");
        }
        Matcher hidden = HIDDEN.matcher(name);
        if (hidden.matches()) {
            Kind kind =
                    switch (hidden.group(2)) {
                        case "deleted" -> Kind.DELETED;
                        case "copy" -> Kind.COPY;
                        default -> Kind.TEMPORARY;
                    };
            return entry(kind, hidden.group(1), "0");
        }
        Matcher rewritten = REWRITTEN.matcher(name);
        if (rewritten.matches() && (rewritten.group(1) == null) == (rewritten.group(4) == null)) {
            Kind kind = rewritten.group(1) == null ? Kind.REWRITTEN : Kind.REWRITTEN_COPY;
            return entry(kind, rewritten.group(2), rewritten.group(3));
        }
        return Entry.UNKNOWN;
    }

    private static Entry entry(Kind kind, String digits, String generation) {
        try {
            return new Entry(kind, Long.parseLong(digits), Integer.parseInt(generation));
        } catch (NumberFormatException e) {
            // Twenty digits can exceed the range of a long, ten that of an int.
            return Entry.UNKNOWN;
        }
    }

    private static String sealed(long baseOffset, String extension) {
        return padded(Long.toString(baseOffset), BASE_DIGITS) + "." + extension;
    }

    private static String hidden(long epoch) {
        return "." + padded(Long.toHexString(epoch), EPOCH_DIGITS);
    }

    private static String padded(String number, int digits) {
        return "0".repeat(digits - number.length()) + number;
    }
}
