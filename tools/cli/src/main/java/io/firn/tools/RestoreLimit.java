package io.firn.tools;

import io.firn.RestoreOptions;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Where a restored log ends, as a user names it: a time for all partitions, or an offset of one.
 */
final class RestoreLimit {
    static final String TIMES =
            "a time such as 2026-11-28T12:00:00Z, a day of this machine, or how long ago: 90s, 10m,"
                    + " 2h, 3d";

    private static final Pattern OFFSET =
            Pattern.compile("([a-zA-Z0-9._-]+):([0-9]{1,9}):([0-9]{1,18})");

    private final Instant time;
    private final Matcher offset;

    private RestoreLimit(Instant time, Matcher offset) {
        this.time = time;
        this.offset = offset;
    }

    RestoreOptions addTo(RestoreOptions options) {
        if (time != null) {
            return options.until(time);
        }
        return options.until(
                offset.group(1),
                Integer.parseInt(offset.group(2)),
                Long.parseLong(offset.group(3)));
    }

    /** Reads it as picocli asks for it. */
    static final class Converter implements ITypeConverter<RestoreLimit> {
        @Override
        public RestoreLimit convert(String text) {
            Matcher matcher = OFFSET.matcher(text);
            if (matcher.matches()) {
                return new RestoreLimit(null, matcher);
            }
            try {
                return new RestoreLimit(Position.time(text), null);
            } catch (DateTimeException e) {
                throw new TypeConversionException(
                        "expected " + TIMES + ", or TOPIC:PARTITION:OFFSET; found '" + text + "'");
            }
        }
    }
}
