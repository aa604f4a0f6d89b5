package io.firn.server.tx;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import org.apache.kafka.common.protocol.Errors;

/**
 * A client's regular expression, of RE2 as in Kafka: matching takes time by the length of the name
 * and the size of the expression, whatever these are. What is counted in an expression, as {@code
 * a{100}}, is written out when it is compiled, so the size is limited before.
 */
final class TransactionalIdPattern {
    private static final int MOST_CHARS = 1_000;

    /**
     * Of an expression in which everything that is counted is written out, at most: then the
     * longest name takes about a second.
     */
    private static final long MOST_WRITTEN_OUT = 2_000;

    private static final java.util.regex.Pattern COUNT =
            java.util.regex.Pattern.compile("\\{(\\d{1,4})(?:,(\\d{0,4}))?\\}");

    private TransactionalIdPattern() {}

    /**
     * Returns a test for whole names; null or an empty pattern accepts all.
     *
     * @throws org.apache.kafka.common.errors.InvalidRegularExpression if it is none, or too large
     */
    static Predicate<String> of(String pattern) {
        if (pattern == null || pattern.isEmpty()) {
            return name -> true;
        }
        if (pattern.length() > MOST_CHARS || writtenOut(pattern) > MOST_WRITTEN_OUT) {
            throw Errors.INVALID_REGULAR_EXPRESSION.exception(
                    "The pattern is too large: it may have "
                            + MOST_CHARS
                            + " characters, and "
                            + MOST_WRITTEN_OUT
                            + " when what is counted in it is written out.");
        }
        try {
            return Pattern.compile(pattern)::matches;
        } catch (PatternSyntaxException e) {
            throw Errors.INVALID_REGULAR_EXPRESSION.exception(
                    "The pattern is no regular expression of RE2: " + e.getMessage());
        }
    }

    /** As if each count were within all others, where some may be. */
    private static long writtenOut(String pattern) {
        boolean mayBeWithin = pattern.indexOf('(') >= 0; // RE2 has no count of a count
        double chars = pattern.length();
        Matcher counts = COUNT.matcher(pattern);
        while (counts.find()) {
            String most = counts.group(2);
            String times = most == null || most.isEmpty() ? counts.group(1) : most;
            int count = Math.max(1, Integer.parseInt(times));
            chars = mayBeWithin ? chars * count : chars + count;
        }
        return (long) Math.min(Long.MAX_VALUE, chars);
    }
}
