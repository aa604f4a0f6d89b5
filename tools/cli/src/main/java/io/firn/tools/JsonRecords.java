package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.firn.StoredRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads records from JSON, as {@link RecordFormat} writes them. */
final class JsonRecords {
    private static final String EXPECTED = "an object of JSON as firn export writes it is expected";

    private final JsonFactory factory =
            JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxStringLength(Integer.MAX_VALUE)
                                    .build())
                    .build();
    private final boolean isText;

    /**
     * Creates a reader.
     *
     * @param isText whether keys and values are text, or Base64
     */
    JsonRecords(boolean isText) {
        this.isText = isText;
    }

    /**
     * Reads a line.
     *
     * @return null when it is empty
     * @throws IOException when it is not what is expected; the message says so
     */
    StoredRecord read(byte[] line) throws IOException {
        try (JsonParser json = factory.createParser(line)) {
            JsonToken first = json.nextToken();
            if (first == null) {
                return null;
            }
            if (first != JsonToken.START_OBJECT) {
                throw new IOException(EXPECTED + ", found " + first);
            }
            StoredRecord record = record(json);
            if (json.nextToken() != null) {
                throw new IOException(EXPECTED + " on each line, found more after it");
            }
            return record;
        } catch (JsonProcessingException e) {
            throw new IOException(EXPECTED + ": " + e.getOriginalMessage(), e);
        }
    }

    private StoredRecord record(JsonParser json) throws IOException {
        long partition = -1;
        long timestamp = -1;
        byte[] key = null;
        byte[] value = null;
        List<StoredRecord.Header> headers = new ArrayList<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "partition" -> partition = number(json, name, Integer.MAX_VALUE);
                case "timestamp" -> timestamp = number(json, name, Long.MAX_VALUE);
                case "offset" -> number(json, name, Long.MAX_VALUE);
                case "key" -> key = bytes(json, name);
                case "value" -> value = bytes(json, name);
                case "headers" -> headers(json, headers);
                default -> throw unknown(name);
            }
        }
        return new StoredRecord((int) partition, -1, timestamp, key, value, headers);
    }

    private void headers(JsonParser json, List<StoredRecord.Header> headers) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw new IOException("headers: an array is expected, found " + json.currentToken());
        }
        while (json.nextToken() == JsonToken.START_OBJECT) {
            String key = null;
            byte[] value = null;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken token = json.nextToken();
                if (name.equals("key") && token == JsonToken.VALUE_STRING) {
                    key = json.getText();
                } else if (name.equals("value")) {
                    value = bytes(json, "header");
                } else {
                    throw unknown(name);
                }
            }
            if (key == null) {
                throw new IOException("headers: each has a key, which is a text");
            }
            headers.add(new StoredRecord.Header(key, value));
        }
        if (json.currentToken() != JsonToken.END_ARRAY) {
            throw new IOException("headers: an object is expected, found " + json.currentToken());
        }
    }

    private static IOException unknown(String name) {
        return new IOException(
                EXPECTED
                        + ", with partition, offset, timestamp, key, value and headers; found '"
                        + Escapes.printable(name)
                        + "'");
    }

    private static long number(JsonParser json, String name, long most) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw new IOException(name + ": a number is expected, found " + json.currentToken());
        }
        long value = json.getLongValue();
        if (value > most) {
            throw new IOException(name + ": at most " + most + " is expected, found " + value);
        }
        return value;
    }

    private byte[] bytes(JsonParser json, String name) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw new IOException(
                    name + ": a text or null is expected, found " + json.currentToken());
        }
        if (isText) {
            return json.getText().getBytes(UTF_8);
        }
        try {
            return json.getBinaryValue();
        } catch (JsonProcessingException e) {
            throw new IOException(
                    name
                            + ": Base64 is expected, and text only with --text: "
                            + e.getOriginalMessage(),
                    e);
        }
    }
}
