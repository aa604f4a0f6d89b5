package io.firn.backup;

import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Many small files in one: each is its name, its length and its bytes. A force for each of them
 * would take longer than everything else.
 */
final class StateBundle {
    private static final int BUFFER = 1 << 20;

    private StateBundle() {}

    /** Takes the files of a bundle, in the order in which they were added. */
    @FunctionalInterface
    interface Visitor {
        void visit(String name, byte[] content) throws IOException;
    }

    /**
     * What a bundle has as a whole.
     *
     * @param bytes its length
     * @param crc the CRC-32C of all of it
     */
    record Sum(long bytes, int crc) {}

    /** Writes a bundle. For one thread. */
    static final class Writer implements Closeable {
        private final MediumFile file;
        private final CRC32C crc = new CRC32C();
        private final DataOutputStream out;
        private long bytes;

        /** Creates a new file. */
        Writer(FileMedium medium, Path path) throws IOException {
            file = medium.create(path);
            out = new DataOutputStream(new BufferedOutputStream(new ToFile(), BUFFER));
        }

        void add(String name, byte[] content) throws IOException {
            out.writeUTF(name);
            out.writeInt(content.length);
            out.write(content);
        }

        /** Forces everything that was added. */
        Sum finish() throws IOException {
            out.flush();
            file.force();
            return new Sum(bytes, (int) crc.getValue());
        }

        @Override
        public void close() throws IOException {
            file.close();
        }

        private final class ToFile extends OutputStream {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] source, int from, int length) throws IOException {
                crc.update(source, from, length);
                file.write(bytes, source, from, length);
                bytes += length;
            }
        }
    }

    /**
     * Reads a bundle.
     *
     * @throws DamagedFileException when it is not what was written
     */
    static void read(FileMedium medium, Path path, Sum expected, Visitor visitor)
            throws IOException {
        try (MediumFile file = medium.open(path, false)) {
            check(file, path, expected);
            DataInputStream in =
                    new DataInputStream(new BufferedInputStream(new FromFile(file), BUFFER));
            long left = expected.bytes();
            while (left > 0) {
                String name = in.readUTF();
                byte[] content = new byte[in.readInt()];
                in.readFully(content);
                left -= 2 + utfBytes(name) + 4 + content.length;
                visitor.visit(name, content);
            }
        } catch (EOFException e) {
            throw new DamagedFileException(path + " is damaged: it ends too early");
        }
    }

    private static long utfBytes(String name) {
        long bytes = 0;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            bytes += c >= 1 && c <= 0x7F ? 1 : c <= 0x7FF ? 2 : 3;
        }
        return bytes;
    }

    /** Compares all of it with its checksum, before any of it is used. */
    private static void check(MediumFile file, Path path, Sum expected) throws IOException {
        CRC32C crc = new CRC32C();
        byte[] piece = new byte[BUFFER];
        long bytes = 0;
        for (int read; (read = file.read(bytes, piece, 0, piece.length)) > 0; bytes += read) {
            crc.update(piece, 0, read);
        }
        if (bytes != expected.bytes() || (int) crc.getValue() != expected.crc()) {
            throw new DamagedFileException(
                    path
                            + " is damaged: it should have "
                            + expected.bytes()
                            + " bytes with the CRC-32C "
                            + Integer.toHexString(expected.crc())
                            + " and has "
                            + bytes
                            + " with "
                            + Integer.toHexString((int) crc.getValue()));
        }
    }

    private static final class FromFile extends InputStream {
        private final MediumFile file;
        private long at;

        FromFile(MediumFile file) {
            this.file = file;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            int read = file.read(at, target, from, length);
            at += Math.max(read, 0);
            return read <= 0 && length > 0 ? -1 : read;
        }
    }
}
