package io.firn.server.security;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ShownTextTest {
    @Test
    void shouldStayOnOneLineAndShort() {
        assertEquals("a?b?c", ShownText.of("a\nb\u2028c", 5));
        assertEquals("abc...", ShownText.of("abcd", 3));
        assertEquals("(none)", ShownText.of(null, 3));
    }
}
