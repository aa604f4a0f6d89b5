package io.firn.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.MissingCodecException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class ErrorMapperTest {

    @Test
    void shouldAnswerThatACompressionIsNotSupportedWhenItsLibraryIsMissing() {
        MissingCodecException missing = new MissingCodecException("zstd-jni is missing: add it");

        assertEquals(Errors.UNSUPPORTED_COMPRESSION_TYPE, ErrorMapper.codeOf(missing));
    }
}
