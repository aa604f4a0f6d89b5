package io.firn.server.config;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Which ids a group can have: its cursors and files are named like it.
 *
 * @see ServerConfig
 */
public final class GroupIds {
    private static final int MAX_CHARS = 120;
    private static final int MAX_FILE_NAME_CHARS = 230;

    private GroupIds() {}

    /** Returns whether a group, and so a cursor, can have this name; not when it is null. */
    public static boolean isValid(String id) {
        if (id == null || id.isEmpty() || id.length() > MAX_CHARS) {
            return false;
        }
        // Ids are logged: none may look like a line of the log.
        return id.chars().noneMatch(Character::isISOControl)
                && StandardCharsets.UTF_8.newEncoder().canEncode(id)
                && URLEncoder.encode(id, StandardCharsets.UTF_8).length()
                                + 2 * id.chars().filter(c -> c == '*').count()
                        <= MAX_FILE_NAME_CHARS;
    }
}
