package io.firn.format;

import java.io.IOException;

/** Decompressed bytes are not a record. */
final class MalformedRecordException extends IOException {
    private static final long serialVersionUID = 1;

    MalformedRecordException(String message) {
        super(message);
    }
}
