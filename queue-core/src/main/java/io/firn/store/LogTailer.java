package io.firn.store;

import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.InvalidOptionException;
import io.firn.RecordHandler;
import io.firn.Tailer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** A tailer over one or more partitions, which take turns to be first. */
final class LogTailer implements Tailer {
    private final PartitionReader[] readers;
    private int first;
    private boolean polling;
    private volatile boolean closed;

    LogTailer(List<SegmentedLog> logs) {
        logs.forEach(log -> log.state().checkReadable());
        readers = logs.stream().map(PartitionReader::new).toArray(PartitionReader[]::new);
    }

    @Override
    public int poll(RecordHandler handler, int limit) {
        Objects.requireNonNull(handler, "handler");
        check(limit);
        polling = true;
        try {
            if (readers.length == 1) {
                return readers[0].poll(handler, limit);
            }
            int taken = 0;
            int start = first;
            first = start + 1 == readers.length ? 0 : start + 1;
            for (int i = 0; i < readers.length && taken < limit; i++) {
                PartitionReader reader = readers[(start + i) % readers.length];
                taken += reader.poll(handler, limit - taken);
                if (reader.stopped()) {
                    break;
                }
            }
            return taken;
        } finally {
            polling = false;
        }
    }

    @Override
    public int poll(RecordHandler handler, int limit, Duration timeout) {
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(timeout, "timeout");
        int taken = poll(handler, limit);
        if (taken > 0 || anyStopped() || timeout.isZero() || timeout.isNegative()) {
            return taken;
        }
        // A wait of more than 292 years is a wait without end.
        boolean endless = timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0;
        long deadline = System.nanoTime() + (endless ? Long.MAX_VALUE : timeout.toNanos());
        SegmentedLog log = readers[0].log();
        Signal signal = readers.length == 1 ? log.published() : log.topic().published();
        signal.enter();
        try {
            while (true) {
                taken = poll(handler, limit);
                long left = deadline - System.nanoTime();
                if (taken > 0 || left <= 0 || anyStopped()) {
                    return taken;
                }
                if (readers[0].log().store().isInvoker()) {
                    if (Thread.currentThread().isInterrupted()) {
                        return 0;
                    }
                    readers[0].log().store().invoke();
                } else {
                    signal.await(left);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } finally {
            signal.leave();
        }
    }

    private boolean anyStopped() {
        for (PartitionReader reader : readers) {
            if (reader.stopped()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public long offset(int partition) {
        return reader(partition).offset();
    }

    @Override
    public long offset() {
        return only().offset();
    }

    @Override
    public void seek(int partition, long offset) {
        checkIdle();
        if (offset < 0) {
            throw new InvalidOptionException("an offset must not be negative: " + offset);
        }
        reader(partition).seek(offset);
    }

    @Override
    public void seek(long offset) {
        seek(only().log().index(), offset);
    }

    @Override
    public void seekToStart() {
        checkIdle();
        for (PartitionReader reader : readers) {
            reader.seek(reader.log().logStartOffset());
        }
    }

    @Override
    public void seekToEnd() {
        checkIdle();
        for (PartitionReader reader : readers) {
            reader.seek(reader.log().visibleOffset());
        }
    }

    @Override
    public void seekToTimestamp(long timestampMs) {
        checkIdle();
        for (PartitionReader reader : readers) {
            reader.seekToTimestamp(timestampMs);
        }
    }

    @Override
    public void seekTo(Cursor cursor) {
        Objects.requireNonNull(cursor, "cursor");
        checkIdle();
        TopicContext topic = readers[0].log().topic();
        if (cursor instanceof TopicMember known && !known.topic().id().equals(topic.id())) {
            throw new InvalidOptionException(
                    "cursor "
                            + cursor.name()
                            + " belongs to topic "
                            + known.topic().name()
                            + " with the id "
                            + known.topic().id()
                            + ", this tailer reads topic "
                            + topic.name()
                            + " with the id "
                            + topic.id());
        }
        for (PartitionReader reader : readers) {
            long offset = cursor.offset(reader.log().index());
            reader.seek(offset < 0 ? reader.log().logStartOffset() : offset);
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    private void check(int limit) {
        checkIdle();
        if (limit < 1) {
            throw new InvalidOptionException("limit must be at least 1, not " + limit);
        }
    }

    private void checkIdle() {
        if (closed) {
            throw new ClosedException("this tailer was closed");
        }
        if (polling) {
            throw new IllegalStateException("a handler must not poll or seek its own tailer");
        }
    }

    private PartitionReader reader(int partition) {
        for (PartitionReader reader : readers) {
            if (reader.log().index() == partition) {
                return reader;
            }
        }
        throw new InvalidOptionException("this tailer does not read partition " + partition);
    }

    private PartitionReader only() {
        if (readers.length > 1) {
            throw new InvalidOptionException(
                    "this tailer reads " + readers.length + " partitions: say which one");
        }
        return readers[0];
    }
}
