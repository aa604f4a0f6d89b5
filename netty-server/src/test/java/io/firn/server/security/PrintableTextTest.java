package io.firn.server.security;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PrintableTextTest {
    @Test
    void shouldStayOnOneLineAndShort() {
        assertEquals("a?b?c", PrintableText.of("a\nb\u2028c", 5));
        assertEquals("abc...", PrintableText.of("abcd", 3));
        assertEquals("(none)", PrintableText.of(null, 3));
    }
}
