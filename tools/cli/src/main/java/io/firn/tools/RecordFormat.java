package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.firn.RefusedException;
import io.firn.StoredRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/** How records are written by an export. One object is for one output, and one thread. */
abstract class RecordFormat {
    /** The formats, by the names that the command line has for them. */
    enum Kind {
        /** One JSON object on each line. */
        JSON,
        /** The value, and a newline. */
        LINES,
        /** The length of the value as a big-endian int, −1 for none, and the value. */
        RAW
    }

    private RecordFormat() {}

    /**
     * Returns a format.
     *
     * @param isText whether JSON has text, which must be valid UTF-8, or Base64
     */
    static RecordFormat of(Kind kind, boolean isText, OutputStream out) throws IOException {
        return switch (kind) {
            case JSON -> new Json(out, isText);
            case LINES -> new Lines(out);
            case RAW -> new Raw(out);
        };
    }

    /** Writes a record; nothing of it when it fails with another exception than IOException. */
    abstract void write(StoredRecord record) throws IOException;

    private static final class Json extends RecordFormat {
        private final OutputStream out;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private final JsonGenerator json;
        private final boolean isText;

        Json(OutputStream out, boolean isText) throws IOException {
            this.out = out;
            json =
                    JsonFactory.builder()
                            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                            .build()
                            .createGenerator(line)
                            .setRootValueSeparator(null);
            this.isText = isText;
        }

        @Override
        void write(StoredRecord record) throws IOException {
            json.writeStartObject();
            json.writeNumberField("partition", record.partition());
            json.writeNumberField("offset", record.offset());
            json.writeNumberField("timestamp", record.timestamp());
            json.writeFieldName("key");
            write(record.key(), "key", record);
            json.writeFieldName("value");
            write(record.value(), "value", record);
            json.writeArrayFieldStart("headers");
            for (StoredRecord.Header header : record.headers()) {
                json.writeStartObject();
                json.writeStringField("key", header.key());
                json.writeFieldName("value");
                write(header.value(), "header " + header.key(), record);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
            json.writeRaw('\n');
            json.flush();
            line.writeTo(out);
            line.reset();
        }

        private void write(byte[] bytes, String what, StoredRecord record) throws IOException {
            if (bytes == null) {
                json.writeNull();
            } else if (!isText) {
                json.writeBinary(bytes);
            } else {
                try {
                    json.writeString(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
                } catch (CharacterCodingException e) {
                    throw new RefusedException(
                            "partition %d, offset %d: the %s is not text in UTF-8: leave --text out, for Base64"
                                    .formatted(record.partition(), record.offset(), what),
                            e);
                }
            }
        }
    }

    private static final class Lines extends RecordFormat {
        private final OutputStream out;

        Lines(OutputStream out) {
            this.out = out;
        }

        @Override
        void write(StoredRecord record) throws IOException {
            if (record.value() != null) {
                out.write(record.value());
            }
            out.write('\n');
        }
    }

    private static final class Raw extends RecordFormat {
        private final OutputStream out;
        private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);

        Raw(OutputStream out) {
            this.out = out;
        }

        @Override
        void write(StoredRecord record) throws IOException {
            byte[] value = record.value();
            length.putInt(0, value == null ? -1 : value.length);
            out.write(length.array());
            if (value != null) {
                out.write(value);
            }
        }
    }
}
