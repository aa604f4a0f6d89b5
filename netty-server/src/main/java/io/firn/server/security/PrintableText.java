package io.firn.server.security;

/** Text that somebody else wrote, as it is shown in logs: on one line, and short. */
final class PrintableText {
    private PrintableText() {}

    /** Returns it in visible ASCII, up to so many characters. */
    static String of(String text, int most) {
        if (text == null) {
            return "(none)";
        }
        String plain = text.substring(0, Math.min(most, text.length()));
        return plain.replaceAll("[^\\x20-\\x7E]", "?") + (text.length() > most ? "..." : "");
    }
}
