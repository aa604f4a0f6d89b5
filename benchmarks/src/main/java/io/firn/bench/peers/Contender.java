package io.firn.bench.peers;

import io.firn.Durability;
import io.firn.TopicOptions;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;

/** What {@link AppendTail} compares. */
enum Contender {
    FLOOR("a mapping of sparse files by hand: header, CRC32C and value; no background"),
    CHRONICLE("Chronicle Queue, writingDocument: no checksum, no forces"),
    CHRONICLE_BYTES("Chronicle Queue, writeBytes"),
    FIRN("WRITTEN topic, exclusive appender, file tier, defaults"),
    FIRN_PINNED("the same; the threads of the store have --background-cpus"),
    FIRN_UNFORCED("the same; withForce(Integer.MAX_VALUE, 1 day): forced when a segment is sealed");

    private final String description;

    Contender(String description) {
        this.description = description;
    }

    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String description() {
        return description;
    }

    /** Creates a log that is not open yet. */
    PeerLog create(ThreadFactory pinned) {
        TopicOptions written = TopicOptions.defaults().withDurability(Durability.WRITTEN);
        TopicOptions unforced = written.withForce(Integer.MAX_VALUE, Duration.ofDays(1));
        return switch (this) {
            case FLOOR -> Peer.MAPPING_CRC.create();
            case CHRONICLE -> Peer.CHRONICLE_DOCUMENT.create();
            case CHRONICLE_BYTES -> Peer.CHRONICLE_BYTES.create();
            case FIRN -> new FirnPeer(written, FirnPeer.Way.EXCLUSIVE, null);
            case FIRN_PINNED -> new FirnPeer(written, FirnPeer.Way.EXCLUSIVE, pinned);
            case FIRN_UNFORCED -> new FirnPeer(unforced, FirnPeer.Way.EXCLUSIVE, pinned);
        };
    }
}
