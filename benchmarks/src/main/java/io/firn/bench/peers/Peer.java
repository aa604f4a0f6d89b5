package io.firn.bench.peers;

import io.firn.Durability;
import java.util.Locale;
import java.util.function.Supplier;

/** A row of the tables: one way to append with one system. */
enum Peer {
    FIRN_WRITTEN(
            Family.FIRN,
            1,
            Survives.PROCESS_CRASH,
            "WRITTEN topic, exclusive appender",
            () -> new FirnPeer(Durability.WRITTEN, FirnPeer.Way.EXCLUSIVE)),
    FIRN_CLAIM(
            Family.FIRN,
            1,
            Survives.PROCESS_CRASH,
            "WRITTEN topic, tryClaim and commit",
            () -> new FirnPeer(Durability.WRITTEN, FirnPeer.Way.CLAIM)),
    FIRN_SHARED(
            Family.FIRN,
            1,
            Survives.PROCESS_CRASH,
            "WRITTEN topic, shared appender, used by one thread",
            () -> new FirnPeer(Durability.WRITTEN, FirnPeer.Way.SHARED)),
    CHRONICLE_DOCUMENT(
            Family.CHRONICLE,
            1,
            Survives.PROCESS_CRASH,
            "writingDocument and readingDocument; no checksum",
            () -> new ChroniclePeer(ChroniclePeer.Way.DOCUMENT)),
    CHRONICLE_BYTES(
            Family.CHRONICLE,
            1,
            Survives.PROCESS_CRASH,
            "writeBytes and readBytes with direct Bytes; no checksum",
            () -> new ChroniclePeer(ChroniclePeer.Way.BYTES)),
    AERON_ARCHIVE(
            Family.AERON,
            1,
            Survives.NOTHING,
            "offer to a recorded exclusive IPC publication, which the archive writes later; time"
                    + " until all is recorded; driver and archive in the process; no checksum",
            () -> new AeronPeer(false)),
    ROCKSDB_WAL(
            Family.ROCKSDB,
            1,
            Survives.PROCESS_CRASH,
            "put with WAL, sync=false; a key of 8 B more and a memtable; CRC",
            () -> new RocksPeer(false, 1)),
    FILE_CHANNEL_WRITE(
            Family.FILE_CHANNEL,
            1,
            Survives.PROCESS_CRASH,
            "one positional write and CRC32C for each record",
            () -> new FilePeer(false, 1)),
    MAPPING_PLAIN(
            Family.MAPPING,
            1,
            Survives.PROCESS_CRASH,
            "copy into a mapping, publish the length; no checksum",
            () -> new MappingPeer(false, false, 1)),
    MAPPING_CRC(
            Family.MAPPING,
            1,
            Survives.PROCESS_CRASH,
            "the same with CRC32C",
            () -> new MappingPeer(true, false, 1)),
    FIRN_WRITTEN_16(
            Family.FIRN,
            Peer.BATCH,
            Survives.PROCESS_CRASH,
            "WRITTEN topic, batches of 16",
            () -> new FirnPeer(Durability.WRITTEN, FirnPeer.Way.BATCH)),
    CHRONICLE_DOCUMENT_16(
            Family.CHRONICLE,
            Peer.BATCH,
            Survives.PROCESS_CRASH,
            "16 values in one document; no checksum",
            () -> new ChroniclePeer(ChroniclePeer.Way.BATCH)),
    ROCKSDB_WAL_16(
            Family.ROCKSDB,
            Peer.BATCH,
            Survives.PROCESS_CRASH,
            "WriteBatch of 16, sync=false",
            () -> new RocksPeer(false, Peer.BATCH)),
    FILE_CHANNEL_16(
            Family.FILE_CHANNEL,
            Peer.BATCH,
            Survives.PROCESS_CRASH,
            "one write and CRC32C for 16 records",
            () -> new FilePeer(false, Peer.BATCH)),
    MAPPING_PLAIN_16(
            Family.MAPPING,
            Peer.BATCH,
            Survives.PROCESS_CRASH,
            "16 values copied into a mapping, one length to publish; no checksum",
            () -> new MappingPeer(false, false, Peer.BATCH)),
    MAPPING_CRC_16(
            Family.MAPPING,
            Peer.BATCH,
            Survives.PROCESS_CRASH,
            "the same with one CRC32C",
            () -> new MappingPeer(true, false, Peer.BATCH)),
    FIRN_DURABLE(
            Family.FIRN,
            1,
            Survives.POWER_FAILURE,
            "DURABLE topic, exclusive appender; shared for several threads",
            () -> new FirnPeer(Durability.DURABLE, FirnPeer.Way.EXCLUSIVE)),
    CHRONICLE_SYNC(
            Family.CHRONICLE,
            1,
            Survives.POWER_FAILURE,
            "writingDocument, then sync()",
            () -> new ChroniclePeer(ChroniclePeer.Way.SYNC)),
    AERON_ARCHIVE_SYNC(
            Family.AERON,
            1,
            Survives.POWER_FAILURE,
            "offer, then wait for the recorded position; fileSyncLevel=1",
            () -> new AeronPeer(true)),
    ROCKSDB_WAL_SYNC(
            Family.ROCKSDB,
            1,
            Survives.POWER_FAILURE,
            "put with WAL, sync=true",
            () -> new RocksPeer(true, 1)),
    FILE_CHANNEL_SYNC(
            Family.FILE_CHANNEL,
            1,
            Survives.POWER_FAILURE,
            "write, CRC32C, force(false); one force for all threads that wait",
            () -> new FilePeer(true, 1)),
    MAPPING_SYNC(
            Family.MAPPING,
            1,
            Survives.POWER_FAILURE,
            "copy into a mapping, CRC32C, force of the record",
            () -> new MappingPeer(true, true, 1)),
    FIRN_DURABLE_16(
            Family.FIRN,
            Peer.BATCH,
            Survives.POWER_FAILURE,
            "DURABLE topic, batches of 16",
            () -> new FirnPeer(Durability.DURABLE, FirnPeer.Way.BATCH)),
    FILE_CHANNEL_SYNC_16(
            Family.FILE_CHANNEL,
            Peer.BATCH,
            Survives.POWER_FAILURE,
            "one write, CRC32C and force for 16 records",
            () -> new FilePeer(true, Peer.BATCH));

    /** The number of records in a batch, where batches are measured. */
    static final int BATCH = 16;

    private final Family family;
    private final int records;
    private final Survives survives;
    private final String description;
    private final Supplier<PeerLog> create;

    Peer(
            Family family,
            int records,
            Survives survives,
            String description,
            Supplier<PeerLog> create) {
        this.family = family;
        this.records = records;
        this.survives = survives;
        this.description = description;
        this.create = create;
    }

    /** Returns the name in options and tables. */
    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    Family family() {
        return family;
    }

    /** Returns the number of records that one append appends. */
    int records() {
        return records;
    }

    Survives survives() {
        return survives;
    }

    /** Whether an append waits for the disk. */
    boolean isForced() {
        return survives == Survives.POWER_FAILURE;
    }

    String description() {
        return description;
    }

    /** Creates a log that is not open yet. */
    PeerLog create() {
        return create.get();
    }
}
