package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;

/**
 * Text of others, made fit to be printed: characters that would move the cursor of a terminal,
 * colour it or reverse the order of others are written as numbers, such as {@code \x1b}, and so are
 * bytes that are not UTF-8.
 */
final class Escapes {
    private Escapes() {}

    /** Returns text without control characters. */
    static String printable(String text) {
        if (text.codePoints().allMatch(Escapes::isShown)) {
            return text;
        }
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(each -> append(escaped, each));
        return escaped.toString();
    }

    private static boolean isShown(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            // It can reverse the order of what follows, or hide. Joiners are parts of emoji.
            case Character.FORMAT -> character == '\u200c' || character == '\u200d';
            default -> true;
        };
    }

    /** Returns bytes as text; {@code null} for none. */
    static String printable(byte[] bytes) {
        if (bytes == null) {
            return "null";
        }
        CharsetDecoder decoder = UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length + 1);
        StringBuilder text = new StringBuilder();
        while (true) {
            CoderResult result = decoder.decode(in, out, true);
            out.flip();
            text.append(printable(out.toString()));
            out.clear();
            if (!result.isError()) {
                return text.toString();
            }
            for (int i = 0; i < result.length(); i++) {
                text.append(String.format("\\x%02x", in.get() & 0xff));
            }
        }
    }

    private static void append(StringBuilder to, int each) {
        switch (each) {
            case '\n' -> to.append("\\n");
            case '\r' -> to.append("\\r");
            case '\t' -> to.append("\\t");
            default -> {
                if (isShown(each)) {
                    to.appendCodePoint(each);
                } else {
                    to.append(String.format(each < 0x100 ? "\\x%02x" : "\\u%04x", each));
                }
            }
        }
    }
}
