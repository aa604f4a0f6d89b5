package io.firn.format;

import io.firn.Compression;
import io.firn.MissingCodecException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import javax.annotation.concurrent.GuardedBy;

/**
 * The library of a codec: whether it works is tried on a few bytes before it is used first. Most of
 * them load native code when a class is initialized. A class whose initialization has failed cannot
 * be used any more in this process, and its second failure does not say why, so the first one is
 * kept. Thread-safe.
 */
final class CodecLibrary {
    private final Compression codec;
    private final String className;
    private final String directoryProperty;

    private volatile boolean works;

    @GuardedBy("this")
    private Error failure;

    private CodecLibrary(Compression codec, String className, String directoryProperty) {
        this.codec = codec;
        this.className = className;
        this.directoryProperty = directoryProperty;
    }

    static CodecLibrary of(Compression codec) {
        String temporary = "java.io.tmpdir";
        return switch (codec) {
            case NONE, GZIP -> new CodecLibrary(codec, null, null);
            case SNAPPY ->
                    new CodecLibrary(
                            codec,
                            "org.xerial.snappy.SnappyOutputStream",
                            "org.xerial.snappy.tempdir");
            case LZ4 -> new CodecLibrary(codec, "net.jpountz.lz4.LZ4FrameOutputStream", temporary);
            case ZSTD ->
                    new CodecLibrary(
                            codec,
                            "com.github.luben.zstd.ZstdOutputStreamNoFinalizer",
                            "ZstdTempFolder");
        };
    }

    /**
     * Returns if the codec can be used.
     *
     * @throws MissingCodecException when its library is not on the class path, or does not load
     */
    void require() {
        if (!works) {
            tryOnce();
        }
    }

    private synchronized void tryOnce() {
        if (failure == null) {
            try {
                roundTrip();
                works = true;
                return;
            } catch (LinkageError e) {
                failure = e;
            } catch (Error e) {
                if (!isOfLibrary(e)) {
                    throw e; // for example, no memory: this passes
                }
                failure = e;
            }
        }
        throw new MissingCodecException(why(), failure);
    }

    @GuardedBy("this")
    private String why() {
        if (failure instanceof IllegalAccessError) {
            return subject()
                    + " is not in a module that Firn's module reads: put it on the module path, and"
                    + " name its module in --add-modules";
        }
        return isThere() ? notLoaded() : notOnClassPath();
    }

    private void roundTrip() {
        byte[] bytes = new byte[64];
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try {
            try (OutputStream out = Codecs.output(codec, compressed)) {
                out.write(bytes);
            }
            try (InputStream in =
                    Codecs.input(codec, new ByteArrayInputStream(compressed.toByteArray()))) {
                in.readNBytes(bytes.length);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Snappy has an Error of its own for a system for which it has no code. */
    private boolean isOfLibrary(Error e) {
        String ofLibrary =
                className == null ? null : className.substring(0, className.lastIndexOf('.'));
        return ofLibrary != null && ofLibrary.equals(e.getClass().getPackageName());
    }

    private boolean isThere() {
        try {
            Class.forName(className, false, CodecLibrary.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    private String notOnClassPath() {
        return subject() + " is not on the class path: add it";
    }

    @GuardedBy("this")
    private String notLoaded() {
        return subject()
                + " could not load its native code ("
                + reason().replaceAll("\\s*\\R\\s*", "; ")
                + "): it is copied into a directory whose files the system must be allowed to"
                + " execute, by default "
                + System.getProperty("java.io.tmpdir")
                + "; name another directory with -D"
                + directoryProperty
                + "=DIR, or use a release of the library that has code for "
                + System.getProperty("os.name")
                + " on "
                + System.getProperty("os.arch")
                + ", and start the JVM again";
    }

    /** If another user of the library was the first one, its failure is the cause. */
    @GuardedBy("this")
    private String reason() {
        Throwable first = failure;
        while (first instanceof NoClassDefFoundError && first.getCause() != null) {
            first = first.getCause();
        }
        return String.valueOf(first.getMessage());
    }

    private String subject() {
        return "a batch is compressed with " + codec + ", and " + codec.artifact();
    }
}
