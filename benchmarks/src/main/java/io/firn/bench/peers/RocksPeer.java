package io.firn.bench.peers;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.TransactionLogIterator;
import org.rocksdb.VectorMemTableConfig;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB, used for its write-ahead log. A put also goes into the memtable; that is the cheapest
 * one (a vector), large enough not to be written out. Keys are numbers of 8 bytes.
 */
final class RocksPeer implements PeerLog {
    static {
        RocksDB.loadLibrary();
    }

    private final boolean sync;
    private final int batch;
    private final AtomicLong next = new AtomicLong();
    private Options options;
    private RocksDB db;

    RocksPeer(boolean sync, int batch) {
        this.sync = sync;
        this.batch = batch;
    }

    @Override
    public void open(Path directory, Shape shape) throws RocksDBException {
        options =
                new Options()
                        .setCreateIfMissing(true)
                        .setMemTableConfig(new VectorMemTableConfig())
                        .setAllowConcurrentMemtableWrite(false) // a vector demands it
                        .setWriteBufferSize(4L << 30)
                        .setAllowFAllocate(false) // else it reserves 1.1 write buffers ahead
                        .setAvoidFlushDuringRecovery(true)
                        .setAvoidFlushDuringShutdown(true)
                        .setWalTtlSeconds(3600);
        db = RocksDB.open(options, directory.resolve("db").toString());
        next.set(db.getLatestSequenceNumber());
    }

    @Override
    public LogAppender appender() {
        WriteOptions writing = new WriteOptions().setSync(sync);
        Key key = new Key();
        if (batch == 1) {
            return value -> db.put(writing, next(key), value);
        }
        WriteBatch records = new WriteBatch();
        return value -> {
            records.clear();
            for (int i = 0; i < batch; i++) {
                records.put(next(key), value);
            }
            db.write(writing, records);
        };
    }

    private byte[] next(Key key) {
        key.number.putLong(0, next.getAndIncrement());
        return key.bytes;
    }

    /** The key of one appender's records. */
    private static final class Key {
        private final byte[] bytes = new byte[Long.BYTES];
        private final ByteBuffer number = ByteBuffer.wrap(bytes);
    }

    @Override
    public LogReader reader() throws RocksDBException {
        return new Reader();
    }

    @Override
    public String version() {
        return RocksDB.rocksdbVersion().toString();
    }

    @Override
    public void close() {
        db.close();
        options.close();
    }

    private final class Reader implements LogReader {
        private TransactionLogIterator log;
        private final Values values = new Values();

        Reader() throws RocksDBException {
            rewind();
        }

        @Override
        public int poll(byte[] target, Runnable onRecord) throws RocksDBException {
            if (!log.isValid()) {
                return 0;
            }
            values.target = target;
            values.onRecord = onRecord;
            values.count = 0;
            try (WriteBatch read = log.getBatch().writeBatch()) {
                read.iterate(values);
            }
            log.next();
            return values.count;
        }

        @Override
        public void rewind() throws RocksDBException {
            if (log != null) {
                log.close();
            }
            log = db.getUpdatesSince(0);
        }

        @Override
        public void close() {
            log.close();
            values.close();
        }
    }

    /** Copies the values of a batch. */
    private static final class Values extends WriteBatch.Handler {
        private byte[] target;
        private Runnable onRecord;
        private int count;

        @Override
        public void put(int columnFamily, byte[] key, byte[] value) {
            put(key, value);
        }

        @Override
        public void put(byte[] key, byte[] value) {
            System.arraycopy(value, 0, target, 0, value.length);
            count++;
            onRecord.run();
        }

        @Override
        public void merge(int columnFamily, byte[] key, byte[] value) {}

        @Override
        public void merge(byte[] key, byte[] value) {}

        @Override
        public void delete(int columnFamily, byte[] key) {}

        @Override
        public void delete(byte[] key) {}

        @Override
        public void singleDelete(int columnFamily, byte[] key) {}

        @Override
        public void singleDelete(byte[] key) {}

        @Override
        public void deleteRange(int columnFamily, byte[] from, byte[] to) {}

        @Override
        public void deleteRange(byte[] from, byte[] to) {}

        @Override
        public void logData(byte[] blob) {}

        @Override
        public void putBlobIndex(int columnFamily, byte[] key, byte[] value) {}

        @Override
        public void markBeginPrepare() {}

        @Override
        public void markEndPrepare(byte[] xid) {}

        @Override
        public void markNoop(boolean emptyBatch) {}

        @Override
        public void markRollback(byte[] xid) {}

        @Override
        public void markCommit(byte[] xid) {}

        @Override
        public void markCommitWithTimestamp(byte[] xid, byte[] timestamp) {}
    }
}
