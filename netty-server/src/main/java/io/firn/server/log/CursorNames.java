package io.firn.server.log;

/**
 * The names of cursors in a list that is separated by commas. An application may choose names that
 * would be read as something else there; of these, some characters are written as in addresses of
 * web pages.
 */
final class CursorNames {
    private CursorNames() {}

    /** Returns the name as it is in a list. */
    static String encode(String name) {
        if (name.equals("*")) {
            return "%2A";
        }
        String inside = name.trim();
        int start = name.indexOf(inside);
        return escape(name.substring(0, start), true)
                + escape(inside, false)
                + escape(name.substring(start + inside.length()), true);
    }

    private static String escape(String part, boolean all) {
        StringBuilder escaped = new StringBuilder();
        for (char each : part.toCharArray()) {
            if (all || each == ',' || each == '%') {
                escaped.append(String.format("%%%02X", (int) each));
            } else {
                escaped.append(each);
            }
        }
        return escaped.toString();
    }

    /** Returns the name that is written so; the name itself where nothing had to be escaped. */
    static String decode(String item) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < item.length(); i++) {
            char each = item.charAt(i);
            if (each == '%' && i + 2 < item.length() && isHex(item, i + 1)) {
                name.append((char) Integer.parseInt(item.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                name.append(each);
            }
        }
        return encode(name.toString()).equals(item) ? name.toString() : item;
    }

    private static boolean isHex(String text, int at) {
        return Character.digit(text.charAt(at), 16) >= 0
                && Character.digit(text.charAt(at + 1), 16) >= 0;
    }
}
