package io.firn.format;

import io.firn.LogRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Shows one header after another of a record that was parsed. Not thread-safe. */
final class HeadersFlyweight implements LogRecord.Headers {
    private final RecordFlyweight.Loan loan;
    private ByteBuffer bytes;
    private ByteBuffer view;
    private int left;
    private int at;
    private int nameAt;
    private int nameLength;
    private int contentAt;
    private int contentLength;

    HeadersFlyweight(RecordFlyweight.Loan loan) {
        this.loan = loan;
    }

    /** Points at memory. */
    void wrap(ByteBuffer memory) {
        bytes = memory;
        view = null;
    }

    /** Starts before the first header of a record. */
    void start(int position, int count) {
        at = position;
        left = count;
    }

    @Override
    public boolean next() {
        if (left == 0) {
            return false;
        }
        loan.check();
        left--;
        nameLength = (int) Varint.get(bytes, at);
        nameAt = at + Varint.length(bytes, at);
        int afterName = nameAt + nameLength;
        contentLength = (int) Varint.get(bytes, afterName);
        contentAt = afterName + Varint.length(bytes, afterName);
        at = contentAt + Math.max(contentLength, 0);
        return true;
    }

    @Override
    public String key() {
        loan.check();
        byte[] name = new byte[nameLength];
        bytes.get(nameAt, name);
        return new String(name, StandardCharsets.UTF_8);
    }

    @Override
    public ByteBuffer value() {
        loan.handOut();
        return valueOrNull();
    }

    /** Returns the value without handing it out. */
    ByteBuffer valueOrNull() {
        if (contentLength < 0) {
            return null;
        }
        if (view == null) {
            view = bytes.duplicate();
        }
        return view.limit(contentAt + contentLength).position(contentAt);
    }
}
