package io.firn.bench.peers;

import io.firn.Durability;
import io.firn.TopicOptions;
import java.time.Duration;
import java.util.Locale;

/** What {@code bin/bench two-processes} compares: a writer and a reader of one system. */
enum Pair {
    FIRN_WRITTEN_PMEM(Family.FIRN, true, "WRITTEN topic, emulated persistent memory") {
        @Override
        PeerLog create(boolean isWriter) {
            return new PairFirn(Durability.WRITTEN, true, !isWriter);
        }
    },
    FIRN_UNFORCED_PMEM(
            Family.FIRN,
            true,
            "WRITTEN topic that is not forced by time or size, emulated persistent memory") {
        @Override
        PeerLog create(boolean isWriter) {
            return new PairFirn(unforced(), true, !isWriter);
        }
    },
    FIRN_DURABLE_PMEM(Family.FIRN, true, "DURABLE topic, emulated persistent memory") {
        @Override
        PeerLog create(boolean isWriter) {
            return new PairFirn(Durability.DURABLE, true, !isWriter);
        }
    },
    CHRONICLE_MEMORY(Family.CHRONICLE, true, "writingDocument, in memory; not forced") {
        @Override
        PeerLog create(boolean isWriter) {
            return new ChroniclePeer(ChroniclePeer.Way.DOCUMENT);
        }
    },
    AERON_IPC(Family.AERON, true, "exclusive IPC publication, in memory; nothing is kept") {
        @Override
        PeerLog create(boolean isWriter) {
            return new PairAeron(isWriter);
        }
    },
    FIRN_WRITTEN_FILES(Family.FIRN, false, "WRITTEN topic, files") {
        @Override
        PeerLog create(boolean isWriter) {
            return new PairFirn(Durability.WRITTEN, false, !isWriter);
        }
    },
    FIRN_UNFORCED_FILES(
            Family.FIRN, false, "WRITTEN topic that is not forced by time or size, files") {
        @Override
        PeerLog create(boolean isWriter) {
            return new PairFirn(unforced(), false, !isWriter);
        }
    },
    CHRONICLE_FILES(Family.CHRONICLE, false, "writingDocument, files; not forced") {
        @Override
        PeerLog create(boolean isWriter) {
            return new ChroniclePeer(ChroniclePeer.Way.DOCUMENT);
        }
    },
    FIRN_DURABLE_FILES(
            Family.FIRN, false, "DURABLE topic, files; tryAppend, read when it is forced") {
        @Override
        PeerLog create(boolean isWriter) {
            return new PairFirn(Durability.DURABLE, false, !isWriter);
        }
    };

    private final Family family;
    private final boolean inMemory;
    private final String description;

    Pair(Family family, boolean inMemory, String description) {
        this.family = family;
        this.inMemory = inMemory;
        this.description = description;
    }

    private static TopicOptions unforced() {
        return TopicOptions.defaults()
                .withDurability(Durability.WRITTEN)
                .withForce(Integer.MAX_VALUE, Duration.ofHours(1));
    }

    /** Creates one side's log, which is not open yet. */
    abstract PeerLog create(boolean isWriter);

    /** Returns the name in options and tables. */
    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    Family family() {
        return family;
    }

    /** Whether the log is in a file system in memory. */
    boolean isInMemory() {
        return inMemory;
    }

    String description() {
        return description;
    }
}
