package io.firn.management;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A response.
 *
 * @param status the code of HTTP
 * @param type the type of the content
 * @param headers besides those that every response has, or in place of them
 */
record Answer(int status, String type, byte[] content, Map<String, String> headers) {
    static final int OK = 200;
    static final int NOT_FOUND = 404;
    static final int UNAVAILABLE = 503;
    private static final String TEXT = "text/plain; charset=utf-8";

    Answer(int status, String type, byte[] content) {
        this(status, type, content, Map.of());
    }

    static Answer text(int status, String text) {
        return new Answer(status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    Answer with(String header, String value) {
        return new Answer(status, type, content, Map.of(header, value));
    }
}
