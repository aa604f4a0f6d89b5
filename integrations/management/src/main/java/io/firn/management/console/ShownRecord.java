package io.firn.management.console;

import io.firn.LogRecord;
import io.firn.StoredRecord;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * A record, with as much of it as may be shown.
 *
 * @param keyBytes the length of its key; −1 if it has none
 * @param key null if it has none, or keys are not shown
 * @param headers null if values are not shown
 */
record ShownRecord(
        long offset,
        long timestampMs,
        int keyBytes,
        int valueBytes,
        int headerCount,
        Bytes key,
        Bytes value,
        List<Header> headers) {
    private static final int MOST_KEY_BYTES = 256;
    private static final int MOST_VALUE_BYTES = 4 << 10;
    private static final int MOST_HEADERS = 20;

    /** The headers of a larger record are not looked at: for that, all of it is copied. */
    private static final int MOST_COPIED_BYTES = 1 << 20;

    /** A header. */
    record Header(String key, Bytes value) {
        static Header of(StoredRecord.Header header) {
            byte[] value = header.value();
            return new Header(
                    cut(header.key()),
                    value == null ? null : Bytes.of(value, value.length, MOST_KEY_BYTES));
        }

        private static String cut(String text) {
            return text.length() <= MOST_KEY_BYTES ? text : text.substring(0, MOST_KEY_BYTES) + "…";
        }
    }

    /**
     * The beginning of some bytes.
     *
     * @param text as UTF-8; null if they are something else
     * @param hex null if they are text
     * @param cut whether there are more
     */
    record Bytes(String text, String hex, boolean cut) {

        static Bytes of(DirectBuffer buffer, int length, int most) {
            byte[] first = new byte[Math.min(length, most)];
            buffer.getBytes(0, first);
            return of(first, length, most);
        }

        static Bytes of(byte[] bytes, int length, int most) {
            int shown = Math.min(bytes.length, most);
            boolean cut = shown < length;
            String text = text(ByteBuffer.wrap(bytes, 0, shown), cut);
            return text == null
                    ? new Bytes(null, HexFormat.of().formatHex(bytes, 0, shown), cut)
                    : new Bytes(text, null, cut);
        }

        /** A character that was cut in the middle is left out. */
        private static String text(ByteBuffer bytes, boolean cut) {
            CharsetDecoder decoder =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .onMalformedInput(CodingErrorAction.REPORT)
                            .onUnmappableCharacter(CodingErrorAction.REPORT);
            CharBuffer chars = CharBuffer.allocate(bytes.remaining());
            boolean isText = !decoder.decode(bytes, chars, !cut).isError();
            return isText && isPrintable(chars.flip()) ? chars.toString() : null;
        }

        private static boolean isPrintable(CharBuffer chars) {
            return chars.chars().allMatch(c -> c >= ' ' || c == '\t' || c == '\n' || c == '\r');
        }
    }

    static ShownRecord of(LogRecord record, Shown shown) {
        boolean hasValue = shown.hasValues() && record.hasValue();
        boolean hasKey = shown.hasKeys() && record.hasKey();
        return new ShownRecord(
                record.offset(),
                record.timestamp(),
                record.keyLength(),
                record.valueLength(),
                record.headerCount(),
                hasKey ? Bytes.of(record.directKey(), record.keyLength(), MOST_KEY_BYTES) : null,
                hasValue
                        ? Bytes.of(record.directValue(), record.valueLength(), MOST_VALUE_BYTES)
                        : null,
                shown.hasValues() ? headers(record) : null);
    }

    private static List<Header> headers(LogRecord record) {
        boolean isSmall = record.valueLength() <= MOST_COPIED_BYTES;
        if (record.headerCount() == 0 || !isSmall) {
            return List.of();
        }
        return record.copy().headers().stream().limit(MOST_HEADERS).map(Header::of).toList();
    }
}
