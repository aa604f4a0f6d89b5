package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;

/**
 * Text of others, made fit to be printed: what would move the cursor of a terminal or colour it is
 * written as {@code \x1b}, and so are bytes that are not UTF-8.
 */
final class Escapes {
    private Escapes() {}

    /** Returns text without control characters. */
    static String printable(String text) {
        if (text.chars().noneMatch(Character::isISOControl)) {
            return text;
        }
        StringBuilder escaped = new StringBuilder();
        text.chars().forEach(each -> append(escaped, (char) each));
        return escaped.toString();
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

    private static void append(StringBuilder to, char each) {
        switch (each) {
            case '\n' -> to.append("\\n");
            case '\r' -> to.append("\\r");
            case '\t' -> to.append("\\t");
            default -> {
                if (Character.isISOControl(each)) {
                    to.append(String.format("\\x%02x", (int) each));
                } else {
                    to.append(each);
                }
            }
        }
    }
}
