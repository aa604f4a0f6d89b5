package io.firn.management;

import java.nio.charset.StandardCharsets;

/**
 * A response.
 *
 * @param status the code of HTTP
 * @param type the type of the content
 */
record Answer(int status, String type, byte[] content) {
    static final int OK = 200;
    static final int UNAVAILABLE = 503;
    private static final String TEXT = "text/plain; charset=utf-8";

    static Answer text(int status, String text) {
        return new Answer(status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
