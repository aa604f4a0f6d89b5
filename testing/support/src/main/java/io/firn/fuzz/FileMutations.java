package io.firn.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** Changes a file of a store as somebody might who prepares a directory, or as a disk might. */
public final class FileMutations {
    private static final String[] ODD = {
        "",
        " ",
        "-1",
        "0",
        "1",
        "-",
        ".",
        "..",
        "/",
        "x",
        "null",
        "NaN",
        "true",
        "1e9",
        "0x10",
        "2147483647",
        "2147483648",
        "-2147483648",
        "4294967296",
        "4611686018427387903",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "00",
        "+1",
        "1 2 3",
        "\n",
        "\r\nfirn",
        "\u001b[31mred",
        "\u0000",
        "é",
        "=",
        "\\",
        "%",
        "%zz",
        "../../victim",
        "*",
        "00000000-0000-0000-0000-000000000000",
        "1-1-1-1-1",
        "{}",
        "a,b",
        "POWER_FAIL",
        "COMPACT"
    };

    private static final String[] KEYS = {
        "name", "deleted", "partitions", "minimumClass", "offset", "id", "tiers", "features",
        "nextOffset", "0.nextOffset", "leasedBelow", "count", "cut.1", "0", "7", "decision-0",
        "outside-0", "after", "aborted.5", "abortedTo", "tx.1", "epoch.1", "member.0.id", "secret"
    };

    private static final long SPARSE_BYTES = 1L << 40;

    private final Random random;
    private final Path victim;
    private final Path fifo;

    /** What is changed. */
    public enum Kind {
        /** Keys and values of a small file; its checksum is right. */
        FIELDS,
        /** Some bits. */
        BITS,
        /** The length. */
        LENGTH,
        /** The file has the content of another one. */
        CONTENT,
        /** The file is gone. */
        GONE,
        /** There is a directory in its place. */
        DIRECTORY,
        /** There is a link in its place: to a file elsewhere, to nothing, or to itself. */
        LINK,
        /** There is a named pipe that nobody writes to. */
        FIFO,
        /** There is a link to a device. */
        DEVICE,
        /** It has a terabyte without bytes. */
        SPARSE;

        /** Those that leave it a regular file of about its length. */
        public static final Set<Kind> OF_CONTENT = EnumSet.of(FIELDS, BITS, LENGTH, CONTENT, GONE);
    }

    /**
     * Creates mutations.
     *
     * @param victim a file that links lead to
     * @param fifo a named pipe; null for none
     */
    public FileMutations(Random random, Path victim, Path fifo) {
        this.random = random;
        this.victim = victim;
        this.fifo = fifo;
    }

    /** Returns whether a file is a small one of ours. */
    public static boolean isSmall(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return false; // the open of a named pipe would hang
        }
        byte[] start = new byte[5];
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            return in.read(start) == start.length && new String(start, UTF_8).equals("firn ");
        }
    }

    /**
     * Changes a file.
     *
     * @param others files whose content may take its place
     * @return what was done; null when this kind cannot be applied
     */
    public String apply(Kind kind, Path file, List<Path> others) throws IOException {
        return switch (kind) {
            case FIELDS -> fields(file);
            case BITS -> bits(file);
            case LENGTH -> length(file);
            case CONTENT -> {
                Path other = others.get(random.nextInt(others.size()));
                Files.write(file, Files.readAllBytes(other));
                yield "has the content of " + other.getFileName();
            }
            case GONE -> {
                Files.delete(file);
                yield "is gone";
            }
            case DIRECTORY -> {
                Files.delete(file);
                Files.createDirectory(file);
                yield "is a directory";
            }
            case LINK -> link(file);
            case FIFO -> {
                if (fifo == null) {
                    yield null;
                }
                Files.delete(file);
                Files.createLink(file, fifo);
                yield "is a named pipe";
            }
            case DEVICE -> {
                String device = random.nextBoolean() ? "/dev/zero" : "/dev/full";
                Files.delete(file);
                Files.createSymbolicLink(file, Path.of(device));
                yield "leads to " + device;
            }
            case SPARSE -> {
                try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
                    out.setLength(SPARSE_BYTES);
                } catch (IOException e) {
                    yield null; // this file system has no files so large
                }
                yield "has a terabyte";
            }
        };
    }

    private String link(Path file) throws IOException {
        List<Path> targets =
                List.of(victim, victim.getParent(), victim.resolveSibling("absent"), file);
        Path target = targets.get(random.nextInt(targets.size()));
        Files.delete(file);
        Files.createSymbolicLink(file, target);
        return "leads to " + target.getFileName();
    }

    private String bits(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count && bytes.length > 0; i++) {
            int range = random.nextBoolean() ? bytes.length : Math.min(bytes.length, 4096);
            bytes[random.nextInt(range)] ^= (byte) (1 << random.nextInt(8));
        }
        Files.write(file, bytes);
        return "has " + count + " other bits";
    }

    private String length(Path file) throws IOException {
        long before = Files.size(file);
        long[] lengths = {0, 1, 7, 4095, 4096, before / 2, before - 1, before + 1, before + 9000};
        long length = Math.max(0, lengths[random.nextInt(lengths.length)]);
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.setLength(length);
        }
        return "has " + length + " bytes, not " + before;
    }

    /** One to three of its keys or values are others; sometimes its kind or version is. */
    private String fields(Path file) throws IOException {
        if (!isSmall(file)) {
            return null;
        }
        String[] header = Files.readString(file, UTF_8).lines().findFirst().orElse("").split(" ");
        Map<String, String> values;
        try {
            values = new TreeMap<>(read(file, header));
        } catch (IOException e) {
            return null; // it was changed before
        }
        StringBuilder told = new StringBuilder();
        for (int i = random.nextInt(3); i >= 0; i--) {
            told.append(change(values)).append("; ");
        }
        String magic = random.nextInt(20) == 0 ? "other" : header[1];
        int version = Integer.parseInt(header[2]);
        if (random.nextInt(10) == 0) {
            version = 1 + random.nextInt(4);
            told.append("version ").append(version);
        }
        Files.write(file, SmallFile.content(file, magic, version, values));
        return told.toString();
    }

    private static Map<String, String> read(Path file, String[] header) throws IOException {
        return SmallFile.read(FileMedium.real(), file, header[1], Integer.parseInt(header[2]));
    }

    private String change(Map<String, String> values) {
        List<String> keys = new ArrayList<>(values.keySet());
        String key = keys.isEmpty() ? "x" : keys.get(random.nextInt(keys.size()));
        String value = values.getOrDefault(key, "");
        switch (random.nextInt(6)) {
            case 0 -> {
                values.remove(key);
                return "no " + key;
            }
            case 1 -> {
                String added = random.nextBoolean() ? odd() : KEYS[random.nextInt(KEYS.length)];
                values.put(added, odd());
                return "a key more";
            }
            case 2 -> {
                String other =
                        keys.isEmpty() ? "" : values.get(keys.get(random.nextInt(keys.size())));
                values.put(key, other);
                return key + " as another";
            }
            case 3 -> {
                String[] words = value.split(" ", -1);
                words[random.nextInt(words.length)] = odd();
                values.put(key, String.join(" ", words));
                return key + " with another word";
            }
            case 4 -> {
                values.put(key, value.repeat(1 + random.nextInt(5)) + odd());
                return key + " longer";
            }
            default -> {
                values.put(key, odd());
                return key + "=" + values.get(key);
            }
        }
    }

    private String odd() {
        return random.nextInt(30) == 0
                ? "9".repeat(random.nextInt(100_000))
                : ODD[random.nextInt(ODD.length)];
    }
}
