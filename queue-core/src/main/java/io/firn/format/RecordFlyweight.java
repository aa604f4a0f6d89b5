package io.firn.format;

import io.firn.LogRecord;
import io.firn.StoredRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/** Shows one record after another of a batch, by views of its memory. Not thread-safe. */
public final class RecordFlyweight extends RecordParser implements LogRecord {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final Loan loan = new Loan();
    private final HeadersFlyweight headers = new HeadersFlyweight(loan);
    private ByteBuffer keyView;
    private ByteBuffer valueView;
    private final BufferView directKey = new BufferView();
    private final BufferView directValue = new BufferView();
    private int partition;

    /** Points at memory whose buffers may be kept. */
    public void wrap(ByteBuffer memory) {
        wrap(memory, null);
    }

    /**
     * Points at memory; makes the views that the handler gets.
     *
     * @param onHandOut run when one of them is handed out for the first time; may be null
     */
    public void wrap(ByteBuffer memory, Runnable onHandOut) {
        loan.of(onHandOut);
        ByteBuffer readOnly = memory.asReadOnlyBuffer();
        keyView = readOnly.duplicate();
        valueView = readOnly.duplicate();
        pointAt(readOnly);
        headers.wrap(readOnly);
    }

    /** Points at nothing, so that it does not keep the memory. Allocates nothing. */
    public void unwrap() {
        loan.of(null);
        keyView = NOTHING;
        valueView = NOTHING;
        pointAt(NOTHING);
        headers.wrap(NOTHING);
    }

    /** Sets whether the memory may be looked at through this record: in a handler only. */
    public void valid(boolean isValid) {
        loan.valid(isValid);
        if (!isValid) {
            directKey.hide();
            directValue.hide();
        }
    }

    /**
     * Points at the records of a batch.
     *
     * @param base its first offset
     * @param next the offset after its last
     * @param time its base timestamp, or with append time its largest
     * @param isAppendTime whether all records have that time
     * @param recordsEnd position after the last record
     */
    public void batch(
            int inPartition,
            long base,
            long next,
            long time,
            boolean isAppendTime,
            int recordsEnd) {
        partition = inPartition;
        batch(base, next, time, isAppendTime, recordsEnd);
    }

    /**
     * Shows the record at a position of the memory.
     *
     * @return the position of the next one; −1 when there is no well-formed record, or its offset
     *     is not one of the batch's
     */
    public int show(int position) {
        return parse(position);
    }

    @Override
    public int partition() {
        return partition;
    }

    @Override
    public boolean hasKey() {
        return keyLength() >= 0;
    }

    @Override
    public ByteBuffer key() {
        loan.handOut();
        return keyOrNull();
    }

    private ByteBuffer keyOrNull() {
        return part(keyView, keyAt(), keyLength());
    }

    @Override
    public DirectBuffer directKey() {
        loan.handOut();
        return keyLength() < 0 ? null : directKey.show(memory(), keyAt(), keyLength());
    }

    @Override
    public boolean hasValue() {
        return valueLength() >= 0;
    }

    @Override
    public ByteBuffer value() {
        loan.handOut();
        return valueOrNull();
    }

    private ByteBuffer valueOrNull() {
        return part(valueView, valueAt(), valueLength());
    }

    private static ByteBuffer part(ByteBuffer view, int at, int length) {
        return length < 0 ? null : view.limit(at + length).position(at);
    }

    @Override
    public DirectBuffer directValue() {
        loan.handOut();
        return valueLength() < 0 ? null : directValue.show(memory(), valueAt(), valueLength());
    }

    @Override
    public void getValue(byte[] target, int at) {
        loan.check();
        memory().get(valueAt(), target, at, Math.max(valueLength(), 0));
    }

    @Override
    public Headers headers() {
        headers.start(headersAt(), headerCount());
        return headers;
    }

    @Override
    public StoredRecord copy() {
        loan.check();
        List<StoredRecord.Header> copies = new ArrayList<>(headerCount());
        headers();
        while (headers.next()) {
            copies.add(new StoredRecord.Header(headers.key(), bytesOf(headers.valueOrNull())));
        }
        return new StoredRecord(
                partition,
                offset(),
                timestamp(),
                bytesOf(keyOrNull()),
                bytesOf(valueOrNull()),
                List.copyOf(copies));
    }

    private static byte[] bytesOf(ByteBuffer view) {
        if (view == null) {
            return null;
        }
        byte[] copy = new byte[view.remaining()];
        view.get(view.position(), copy);
        return copy;
    }

    /**
     * What a record's user may do with the memory that it shows: look at it inside of a handler,
     * and keep a buffer of it if its owner is told. Not thread-safe.
     */
    static final class Loan {
        private boolean isOver;
        private Runnable onHandOut;

        /** Lends other memory; the owner is told when a buffer of it is handed out, unless null. */
        void of(Runnable owner) {
            onHandOut = owner;
        }

        /** Sets whether the memory may be looked at. */
        void valid(boolean isValid) {
            isOver = !isValid;
        }

        /** Throws when the memory may not be looked at. */
        void check() {
            if (isOver) {
                throw new IllegalStateException(
                        "a record is valid only inside of the handler that got it: copy() keeps it");
            }
        }

        /** Called before a buffer of the memory goes to a user, who may keep it. */
        void handOut() {
            check();
            if (onHandOut != null) {
                onHandOut.run();
                onHandOut = null;
            }
        }
    }
}
