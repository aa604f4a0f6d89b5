package io.firn.bytes;

import io.firn.LogRecord;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import java.nio.BufferUnderflowException;
import net.openhft.chronicle.bytes.ReadBytesMarshallable;

/** Reads records by their fields. Used again, so that it is no garbage. Not thread-safe. */
final class FieldsHandler implements RecordHandler {
    private final RecordBytes bytes = new RecordBytes();
    private RecordFields reader;
    private ReadBytesMarshallable plain;

    FieldsHandler with(RecordFields fields) {
        reader = fields;
        plain = null;
        return this;
    }

    FieldsHandler with(ReadBytesMarshallable fields) {
        plain = fields;
        return this;
    }

    @Override
    public Action onRecord(LogRecord record) {
        try {
            RecordBytes fields = bytes.of(record);
            if (plain != null) {
                plain.readMarshallable(fields);
            } else {
                reader.read(record, fields);
            }
            return Action.CONTINUE;
        } catch (BufferUnderflowException e) {
            throw new MalformedValueException(
                    record.partition(),
                    record.offset(),
                    "the reader expects more bytes than the value has, "
                            + Math.max(0, record.valueLength()),
                    e);
        } finally {
            bytes.end();
        }
    }
}
