package io.firn.tools;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A place in the partitions of a topic, as a user names it. */
final class Position {
    /** What an option says that has one. */
    static final String WORDS =
            "earliest, latest, an offset, a time such as 2026-11-28T12:00:00Z, a day of this"
                    + " machine, or how long ago: 90s, 10m, 2h, 3d";

    private static final Pattern AGO = Pattern.compile("[0-9]{1,9}[smhd]");
    private static final Pattern OFFSET = Pattern.compile("[0-9]{1,18}");

    private enum Kind {
        EARLIEST,
        LATEST,
        OFFSET,
        TIME
    }

    private final String text;
    private final Kind kind;
    private final long number;

    private Position(String text, Kind kind, long number) {
        this.text = text;
        this.kind = kind;
        this.number = number;
    }

    /** Reads it as picocli asks for it. */
    static final class Converter implements ITypeConverter<Position> {
        @Override
        public Position convert(String text) {
            if (text.equals("earliest")) {
                return new Position(text, Kind.EARLIEST, 0);
            } else if (text.equals("latest")) {
                return new Position(text, Kind.LATEST, 0);
            } else if (OFFSET.matcher(text).matches()) {
                return new Position(text, Kind.OFFSET, Long.parseLong(text));
            }
            try {
                return new Position(text, Kind.TIME, time(text).toEpochMilli());
            } catch (DateTimeException e) {
                throw new TypeConversionException("expected " + WORDS + "; found '" + text + "'");
            }
        }
    }

    /** Reads a time, a day, or how long ago. */
    static Instant time(String text) {
        if (AGO.matcher(text).matches()) {
            String upper = text.toUpperCase(Locale.ROOT);
            return Instant.now().minus(Duration.parse((upper.endsWith("D") ? "P" : "PT") + upper));
        }
        if (text.matches(".*T.*(Z|[+-][0-9:]+)")) {
            return OffsetDateTime.parse(text).toInstant();
        }
        LocalDateTime local =
                text.contains("T")
                        ? LocalDateTime.parse(text)
                        : LocalDate.parse(text).atStartOfDay();
        return local.atZone(ZoneId.systemDefault()).toInstant();
    }

    /** Returns the offset that it is in a partition, which may be outside of the log. */
    long in(int partition, Offsets offsets) {
        switch (kind) {
            case EARLIEST:
                return offsets.start(partition);
            case LATEST:
                return offsets.end(partition);
            case OFFSET:
                return number;
            default:
                return offsets.at(partition, number);
        }
    }

    /** Returns whether it is before another one in every partition. */
    boolean isBefore(Position other) {
        boolean isComparable = kind == Kind.OFFSET || kind == Kind.TIME;
        return isComparable && kind == other.kind && number < other.number;
    }

    /** Returns what the user wrote. */
    @Override
    public String toString() {
        return text;
    }

    /** What has to be known of partitions. */
    interface Offsets {
        /** Returns the first offset of the log. */
        long start(int partition);

        /** Returns the offset where readers stop. */
        long end(int partition);

        /**
         * Returns the offset of the first record with a timestamp (ms) or a later one, or the end.
         */
        long at(int partition, long timestampMs);
    }
}
