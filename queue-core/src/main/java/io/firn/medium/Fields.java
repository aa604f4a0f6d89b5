package io.firn.medium;

import io.firn.medium.FileErrors.DamagedFileException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The keys and values of a small file, read strictly: for what is not there, and for what is not
 * what was asked for, each method throws a {@link DamagedFileException} that names the file. A
 * right checksum does not make a file one of ours. Immutable.
 *
 * @see io.firn.spi.StorageTier
 */
public final class Fields {
    /**
     * The largest offset, epoch or other number that grows: counting on from it does not overflow
     * before the end of time.
     */
    public static final long MOST = Long.MAX_VALUE / 2;

    private static final int MOST_SHOWN = 60;

    private final Path file;
    private final String prefix;
    private final Map<String, String> values;

    private Fields(Path file, String prefix, Map<String, String> values) {
        this.file = file;
        this.prefix = prefix;
        this.values = values;
    }

    /** Returns values as they are in a file, or will be. */
    public static Fields of(Path file, Map<String, String> values) {
        return new Fields(file, "", values);
    }

    /**
     * Reads a file, as {@link SmallFile#read}.
     *
     * @return null when there is no such file
     */
    public static Fields read(FileMedium medium, Path file, String magic, int version)
            throws IOException {
        Map<String, String> values = SmallFile.read(medium, file, magic, version);
        return values == null ? null : of(file, values);
    }

    /** Returns those whose keys have a prefix, by the rest of their keys. */
    public Fields below(String start) {
        Map<String, String> found = new TreeMap<>();
        values.forEach(
                (key, value) -> {
                    if (key.startsWith(start)) {
                        found.put(key.substring(start.length()), value);
                    }
                });
        return new Fields(file, prefix + start, found);
    }

    /** Returns the file. */
    public Path file() {
        return file;
    }

    /** Returns all values by their keys. */
    public Map<String, String> values() {
        return values;
    }

    /** Returns the keys, sorted if they are of a file. */
    public Set<String> keys() {
        return values.keySet();
    }

    /** Returns whether there is a key. */
    public boolean has(String key) {
        return values.containsKey(key);
    }

    /** Returns a value. */
    public String text(String key) throws DamagedFileException {
        String value = values.get(key);
        if (value == null) {
            throw damaged("it has no '" + shown(prefix + key) + "'");
        }
        return value;
    }

    /** Returns a value that is a whole number in a range. */
    public long number(String key, long least, long most) throws DamagedFileException {
        return number(key, text(key), least, most);
    }

    /** Returns a value that is an offset, or another number from 0 on. */
    public long offset(String key) throws DamagedFileException {
        return number(key, 0, MOST);
    }

    /** Returns a value that is a whole number in a range of ints. */
    public int integer(String key, int least, int most) throws DamagedFileException {
        return (int) number(key, least, most);
    }

    /** Returns a key that is a whole number in a range. */
    public long numberIn(String key, long least, long most) throws DamagedFileException {
        return number("a key", prefix + key, key, least, most);
    }

    /**
     * Returns a value that consists of whole numbers with spaces between them.
     *
     * @throws DamagedFileException also when there are fewer than {@code least} or more than {@code
     *     most} of them
     */
    public long[] numbers(String key, int least, int most) throws DamagedFileException {
        String value = text(key);
        String[] words = value.split(" ", most + 1);
        if (words.length < least || words.length > most) {
            throw unexpected(key, least + " to " + most + " numbers", value);
        }
        long[] numbers = new long[words.length];
        for (int i = 0; i < words.length; i++) {
            numbers[i] = number(key, words[i], Long.MIN_VALUE, Long.MAX_VALUE);
        }
        return numbers;
    }

    /** Returns a value that consists of words with spaces between them; empty without the key. */
    public List<String> words(String key) {
        List<String> words = new ArrayList<>(List.of(values.getOrDefault(key, "").split(" ")));
        words.remove("");
        return words;
    }

    /** Returns a value that is an id. */
    public UUID id(String key) throws DamagedFileException {
        return id(key, text(key));
    }

    /** Returns the id that a part of a value is. */
    public UUID id(String key, String text) throws DamagedFileException {
        try {
            UUID id = UUID.fromString(text);
            if (id.toString().equals(text)) { // otherwise a shorter form, which is never written
                return id;
            }
        } catch (IllegalArgumentException e) {
            throw unexpected(key, "an id", text);
        }
        throw unexpected(key, "an id", text);
    }

    /** Returns whether a value is {@code true}; false without the key. */
    public boolean flag(String key) throws DamagedFileException {
        String value = values.getOrDefault(key, "false");
        if (!value.equals("true") && !value.equals("false")) {
            throw unexpected(key, "true or false", value);
        }
        return value.equals("true");
    }

    private long number(String key, String text, long least, long most)
            throws DamagedFileException {
        return number("'" + shown(prefix + key) + "'", text, text, least, most);
    }

    private long number(String what, String shown, String text, long least, long most)
            throws DamagedFileException {
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw unexpected(what, least, most, shown);
        }
        throw unexpected(what, least, most, shown);
    }

    private DamagedFileException unexpected(String what, long least, long most, String found) {
        boolean isAny = least == Long.MIN_VALUE && most == Long.MAX_VALUE;
        String range = isAny ? "" : " from " + least + " to " + most;
        return damaged(what + " should be a number" + range + " and is '" + shown(found) + "'");
    }

    /** Returns the exception for a value that is not what was expected. */
    public DamagedFileException unexpected(String key, String expected, String found) {
        return damaged(
                "'"
                        + shown(prefix + key)
                        + "' should be "
                        + expected
                        + " and is '"
                        + shown(found)
                        + "'");
    }

    /** Returns the exception for a file that is wrong in another way. */
    public DamagedFileException damaged(String reason) {
        return SmallFile.damaged(file, reason);
    }

    /**
     * Returns a text of a file as it can be shown in a message: without characters that would begin
     * a line or change a terminal, and not longer than a line.
     */
    public static String shown(String text) {
        StringBuilder out = new StringBuilder(Math.min(text.length(), MOST_SHOWN) + 1);
        for (int i = 0; i < text.length(); i++) {
            if (i == MOST_SHOWN) {
                return out.append('…').toString();
            }
            char c = text.charAt(i);
            if (c >= ' ' && c < 0x7f) {
                out.append(c);
            } else {
                out.append(String.format("\\u%04x", (int) c));
            }
        }
        return out.toString();
    }

    @Override
    public String toString() {
        return "fields of " + file;
    }
}
