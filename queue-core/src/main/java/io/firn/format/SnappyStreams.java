package io.firn.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Snappy through method handles: its jar has no module name, and a module that requires one by the
 * jar's file name would not survive a renamed jar.
 */
final class SnappyStreams {
    private static final MethodHandle INPUT =
            constructor("org.xerial.snappy.SnappyInputStream", InputStream.class);
    private static final MethodHandle OUTPUT =
            constructor("org.xerial.snappy.SnappyOutputStream", OutputStream.class);

    private SnappyStreams() {}

    static InputStream input(InputStream in) throws IOException {
        try {
            return (InputStream) INPUT.invoke(in);
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    static OutputStream output(OutputStream out) throws IOException {
        try {
            return (OutputStream) OUTPUT.invoke(out);
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    private static MethodHandle constructor(String className, Class<?> stream) {
        try {
            Class<?> type = Class.forName(className);
            return MethodHandles.publicLookup()
                    .findConstructor(type, MethodType.methodType(void.class, stream));
        } catch (ReflectiveOperationException e) {
            NoClassDefFoundError missing = new NoClassDefFoundError(className);
            missing.initCause(e);
            throw missing;
        }
    }

    private static IOException rethrown(Throwable e) throws IOException {
        if (e instanceof IOException io) {
            throw io;
        }
        if (e instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (e instanceof Error error) {
            throw error;
        }
        throw new IOException(e);
    }
}
