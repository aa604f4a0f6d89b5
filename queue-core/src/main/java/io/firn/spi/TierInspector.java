package io.firn.spi;

import io.firn.medium.FileMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * Reads what is left of a tier that can perhaps no longer be opened; for {@code bin/firn verify}.
 * Found by {@link java.util.ServiceLoader}.
 *
 * @see StorageTier
 */
public interface TierInspector {

    /**
     * Returns what is left of a tier in a directory. Changes nothing and acquires no lock; while
     * another process writes, the result may be partly old and partly new.
     *
     * @return null when the directory shows no sign of a tier of this kind
     * @throws IOException when it cannot be read
     */
    TierRemains inspect(FileMedium medium, Path directory) throws IOException;

    /**
     * Returns the file that names a tier and its store, made without a backup from what else is in
     * the directory; null when a tier of this kind has no such file, or it is whole.
     *
     * @param tierId the id that it had
     * @throws IOException when the directory cannot be read
     */
    default RebuiltFile rebuild(FileMedium medium, Path directory, UUID tierId, UUID storeId)
            throws IOException {
        return null;
    }

    /**
     * A file that is made again.
     *
     * @param found what is wrong with it now
     * @param assumed what is not known, one sentence each
     */
    record RebuiltFile(Path file, String found, byte[] content, List<String> assumed) {}

    /** What an inspector found of a tier. Immutable. */
    final class TierRemains {
        private final String name;
        private final UUID tierId;
        private final UUID storeId;
        private final List<String> notes;
        private final List<String> flaws;
        private final List<Remains> segments;

        /** Creates what was found; the accessors say what each is. */
        public TierRemains(
                String name,
                UUID tierId,
                UUID storeId,
                List<String> notes,
                List<String> flaws,
                List<Remains> segments) {
            this.name = name;
            this.tierId = tierId;
            this.storeId = storeId;
            this.notes = notes;
            this.flaws = flaws;
            this.segments = segments;
        }

        /** Returns the kind and place of the tier. */
        public String name() {
            return name;
        }

        /** Returns the id of the tier; null when it can no longer be read. */
        public UUID tierId() {
            return tierId;
        }

        /** Returns the id of its store; null when it can no longer be read. */
        public UUID storeId() {
            return storeId;
        }

        /** Returns remarks about the tier as a whole, one line each. */
        public List<String> notes() {
            return notes;
        }

        /** Returns what is wrong with the tier, one line each. */
        public List<String> flaws() {
            return flaws;
        }

        /** Returns the segments, in any state and of any topic. */
        public List<Remains> segments() {
            return segments;
        }

        /** What is left of a segment. Immutable. */
        public static final class Remains {
            private final String place;
            private final Mark mark;
            private final String flaw;
            private final Bytes bytes;

            /** Creates what was found; the accessors say what each is. */
            public Remains(String place, Mark mark, String flaw, Bytes bytes) {
                this.place = place;
                this.mark = mark;
                this.flaw = flaw;
                this.bytes = bytes;
            }

            /** Returns where it is. */
            public String place() {
                return place;
            }

            /** Returns the newest valid mark; null when there is none. */
            public Mark mark() {
                return mark;
            }

            /** Returns what is wrong with it apart from its batches; empty when nothing is. */
            public String flaw() {
                return flaw;
            }

            /** Returns what reads all bytes that may hold batches. */
            public Bytes bytes() {
                return bytes;
            }
        }

        /** Reads from the medium. */
        @FunctionalInterface
        public interface Bytes {
            /** Reads all of it. */
            byte[] read() throws IOException;
        }
    }
}
