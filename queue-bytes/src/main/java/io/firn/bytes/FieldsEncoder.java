package io.firn.bytes;

import java.util.Objects;
import net.openhft.chronicle.bytes.WriteBytesMarshallable;

/** Encodes the fields of one record after another into an array. Not thread-safe. */
final class FieldsEncoder {
    private final GrowingBytes bytes = new GrowingBytes();
    private boolean isWriting;

    /** Encodes fields; returns their length. */
    int encode(WriteBytesMarshallable fields) {
        Objects.requireNonNull(fields, "fields");
        if (isWriting) {
            throw new IllegalStateException(
                    "this appender is writing a record: a writer must not write another one by it");
        }
        isWriting = true;
        try {
            bytes.restart(0);
            fields.writeMarshallable(bytes);
            return (int) bytes.writePosition();
        } finally {
            isWriting = false;
        }
    }

    /** Returns the array that begins with the last record's fields. */
    byte[] array() {
        return bytes.array();
    }
}
