package io.firn.medium;

import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileErrors.UnsupportedVersionException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * A small text file of keys and values with a checksum. It is replaced as a whole ({@link
 * WholeFile}): after a crash it has its old content or its new content.
 *
 * <pre>
 * firn topic 1
 * name=orders
 * partitions=4
 * crc32c=1c3f09aa
 * </pre>
 *
 * Keys are sorted; in keys and values a backslash, a line end and an equals sign are written {@code
 * \\}, {@code \n}, {@code \r} and {@code \e}. The checksum covers all bytes before its own line;
 * header and checksum stay as they are in every version. UTF-8.
 *
 * @see io.firn.spi.StorageTier
 */
public final class SmallFile {
    private static final String FIRST_WORD = "firn ";
    private static final Pattern MAGIC = Pattern.compile("[a-z0-9-]+");
    private static final String CRC_KEY = "crc32c=";
    private static final int CRC_LINE_LENGTH = CRC_KEY.length() + 8 + 1;

    /**
     * What is written can be read: one limit for both. The largest file is that of a cursor, with
     * up to 31 bytes for a partition: enough for a million partitions.
     */
    private static final int MAX_BYTES = 32 << 20;

    /** Of a file's bytes, while it is read. */
    private static final long COPIES = 4;

    /** Memory for a line beyond its characters, while it is read. */
    private static final long LINE_MEMORY = 200;

    private SmallFile() {}

    /**
     * Replaces the file, durably on return. One thread at a time per file.
     *
     * @param magic one word that says what kind of file it is
     * @param version format version, 1 or greater
     * @throws IOException when it could not be written, or would have more than 32 MiB
     */
    public static void write(
            FileMedium medium, Path file, String magic, int version, Map<String, String> values)
            throws IOException {
        WholeFile.write(medium, file, content(file, magic, version, values));
    }

    /**
     * Returns what {@link #write} writes.
     *
     * @throws IOException when it has more than 32 MiB
     */
    public static byte[] content(Path file, String magic, int version, Map<String, String> values)
            throws IOException {
        byte[] bytes = encode(magic, version, values);
        if (bytes.length > MAX_BYTES) {
            throw new IOException(
                    file
                            + " would have "
                            + bytes.length
                            + " bytes, and could not be read again above "
                            + MAX_BYTES);
        }
        requireMemory(file, bytes, "would need", Runtime.getRuntime().maxMemory());
        return bytes;
    }

    /**
     * Reads the file.
     *
     * @param magic the expected kind of file
     * @param version the newest format version that the caller knows
     * @return the keys and values, sorted; null when there is no such file
     * @throws DamagedFileException when it is damaged or of another kind
     * @throws IOException when it could not be read
     * @throws UnsupportedVersionException when a newer Firn wrote it
     */
    public static Map<String, String> read(FileMedium medium, Path file, String magic, int version)
            throws IOException {
        Found found = readAll(medium, file);
        while (found != null) {
            // A file that was replaced after it was opened may have been overwritten with another
            // one's content (SpareSpace), which is written once only and not found again.
            Found again = readAll(medium, file);
            if (again != null && found.isSame(again)) {
                found.requireWhole(file);
                return decode(file, found.bytes(), magic, version);
            }
            found = again;
        }
        return null;
    }

    /**
     * Refuses what a process of this heap cannot hold, before it tries: a file with a right
     * checksum may be foreign.
     *
     * @param needs how the message says it
     */
    static void requireMemory(Path file, byte[] bytes, String needs, long heapBytes)
            throws IOException {
        long lines = 0;
        for (byte each : bytes) {
            lines += each == '\n' ? 1 : 0;
        }
        long needed = COPIES * bytes.length + LINE_MEMORY * lines;
        if (needed > heapBytes / 2) {
            throw new IOException(
                    file
                            + " has "
                            + lines
                            + " lines in "
                            + bytes.length
                            + " bytes and "
                            + needs
                            + " about "
                            + needed
                            + " bytes of memory to be read, expected up to half of the heap of "
                            + heapBytes
                            + ": use a larger heap (-Xmx), or restore the file");
        }
    }

    /** What a file contains, as far as it could be read. */
    private record Found(long size, byte[] bytes) {
        boolean isSame(Found other) {
            return size == other.size && Arrays.equals(bytes, other.bytes);
        }

        void requireWhole(Path file) throws DamagedFileException {
            if (bytes.length != size) {
                throw damaged(
                        file, "only " + bytes.length + " of " + size + " bytes could be read");
            }
        }
    }

    private static Found readAll(FileMedium medium, Path file) throws IOException {
        if (!medium.exists(file)) {
            return null;
        }
        try (MediumFile in = medium.open(file, false)) {
            long size = in.size();
            if (size > MAX_BYTES) {
                throw damaged(file, "it has " + size + " bytes, more than " + MAX_BYTES);
            }
            byte[] bytes = new byte[(int) size];
            int read = in.read(0, bytes, 0, bytes.length);
            return new Found(size, read == size ? bytes : Arrays.copyOf(bytes, Math.max(0, read)));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static byte[] encode(String magic, int version, Map<String, String> values) {
        if (!MAGIC.matcher(magic).matches() || version < 1) {
            throw new IllegalArgumentException(
                    "magic is one word of a-z, 0-9 and -, version 1 or greater; found '"
                            + magic
                            + "' and "
                            + version);
        }
        StringBuilder text = new StringBuilder(128);
        text.append(FIRST_WORD).append(magic).append(' ').append(version).append('\n');
        new TreeMap<>(values)
                .forEach(
                        (key, value) -> {
                            escape(text, key);
                            text.append('=');
                            escape(text, value);
                            text.append('\n');
                        });
        byte[] covered = text.toString().getBytes(StandardCharsets.UTF_8);
        text.append(CRC_KEY).append(crc(covered, covered.length)).append('\n');
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, String> decode(Path file, byte[] bytes, String magic, int version)
            throws IOException {
        int covered = bytes.length - CRC_LINE_LENGTH;
        if (covered <= 0) {
            throw damaged(file, "it has only " + bytes.length + " bytes");
        }
        String found = new String(bytes, covered, CRC_LINE_LENGTH, StandardCharsets.UTF_8);
        String expected = CRC_KEY + crc(bytes, covered) + '\n';
        if (!found.equals(expected)) {
            // What is no checksum may be part of a secret.
            String shown = found.startsWith(CRC_KEY) ? "'" + found.strip() + "'" : "another one";
            throw damaged(
                    file, "its last line should be '" + expected.strip() + "' and is " + shown);
        }
        requireMemory(file, bytes, "needs", Runtime.getRuntime().maxMemory());
        String[] lines = new String(bytes, 0, covered, StandardCharsets.UTF_8).split("\n");
        checkHeader(file, lines[0], magic, version);
        Map<String, String> values = new TreeMap<>();
        for (int i = 1; i < lines.length; i++) {
            int equals = lines[i].indexOf('=');
            if (equals < 0) {
                throw damaged(file, "line " + (i + 1) + " is not key=value");
            }
            String key = unescape(lines[i].substring(0, equals));
            if (values.put(key, unescape(lines[i].substring(equals + 1))) != null) {
                throw damaged(file, "it has the key '" + Fields.shown(key) + "' twice");
            }
        }
        return Collections.unmodifiableMap(values);
    }

    private static void checkHeader(Path file, String header, String magic, int version)
            throws IOException {
        String start = FIRST_WORD + magic + ' ';
        if (!header.startsWith(start)) {
            throw damaged(
                    file,
                    "its first line should begin '"
                            + start
                            + "' and is '"
                            + Fields.shown(header)
                            + "'");
        }
        int found;
        try {
            found = Integer.parseInt(header.substring(start.length()));
        } catch (NumberFormatException e) {
            throw damaged(
                    file,
                    "its first line should end in a version and is '" + Fields.shown(header) + "'");
        }
        if (found < 1) {
            throw damaged(file, "its version should be 1 or greater and is " + found);
        }
        if (found > version) {
            throw new UnsupportedVersionException(file.toString(), version, found);
        }
    }

    private static void escape(StringBuilder out, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '=' -> out.append("\\e");
                default -> out.append(c);
            }
        }
    }

    private static String unescape(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\' || i + 1 == text.length()) {
                out.append(c);
                continue;
            }
            char escaped = text.charAt(++i);
            switch (escaped) {
                case 'n' -> out.append('\n');
                case 'r' -> out.append('\r');
                case 'e' -> out.append('=');
                default -> out.append(escaped);
            }
        }
        return out.toString();
    }

    private static String crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    static DamagedFileException damaged(Path file, String reason) {
        return new DamagedFileException(
                file + " is damaged: " + reason + "; restore it from a backup");
    }
}
