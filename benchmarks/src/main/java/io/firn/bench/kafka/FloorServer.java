package io.firn.bench.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Semaphore;
import java.util.zip.CRC32C;

/**
 * A floor for what a server must do with produce requests: it receives the bytes, checks the CRC of
 * the batch, sets its offset, writes it to a file, has another thread force the file each MiB, and
 * answers. One thread has all connections. There is no protocol, no log and no check of what a peer
 * sends: it understands only the requests of {@link Requests}, and takes them all for the same
 * partition. Files of 64 MiB are filled one after another, and deleted when the next is full.
 */
final class FloorServer {
    private static final int FILE_BYTES = 64 << 20;
    private static final int FORCE_BYTES = 1 << 20;
    private static final int PIECE = 64 << 10;
    private static final int MOST_REQUEST = 1 << 20;
    private static final int BATCH_LENGTH = 8;
    private static final int BATCH_CRC = 17;
    private static final int BATCH_CHECKED = 21;
    private static final int BATCH_LAST_OFFSET_DELTA = 23;
    private static final short PRODUCE = 0;

    /** Where the length of the batch lies in a request, after header and topic id. */
    private static final int RECORDS = 4 + 15 + 1 + 2 + 4 + 1 + 16 + 1 + 4;

    /**
     * A response without its length: an id, and whatever is 0, which is a response without error.
     */
    private static final int RESPONSE = Requests.PRODUCE_ERROR + 2 + 8 + 8 + 8 + 1 + 1 + 3 + 4 + 1;

    private final Path directory;
    private final ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE);
    private final ByteBuffer noError = ByteBuffer.allocateDirect(RESPONSE - 4);
    private final ByteBuffer out = ByteBuffer.allocateDirect(64 << 10);
    private final Semaphore toForce = new Semaphore(0);
    private final CRC32C crc = new CRC32C();
    private volatile FileChannel file;
    private Path before;
    private int files;
    private int at;
    private int forcedAt;
    private long offset;

    private FloorServer(Path directory) {
        this.directory = directory;
    }

    /** Runs until it is killed; the arguments are the port and an empty directory. */
    public static void main(String[] arguments) throws IOException {
        new FloorServer(Files.createDirectories(Path.of(arguments[1])))
                .serve(Integer.parseInt(arguments[0]));
    }

    private void serve(int port) throws IOException {
        nextFile();
        Thread forcing = new Thread(this::force, "force");
        forcing.setDaemon(true);
        forcing.start();
        try (ServerSocketChannel listening = ServerSocketChannel.open();
                Selector selector = Selector.open()) {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            listening.configureBlocking(false);
            listening.register(selector, SelectionKey.OP_ACCEPT);
            while (true) {
                selector.select(key -> ready(selector, listening, key));
            }
        }
    }

    private void ready(Selector selector, ServerSocketChannel listening, SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                SocketChannel channel = listening.accept();
                channel.configureBlocking(false);
                ByteBuffer in = ByteBuffer.allocateDirect(MOST_REQUEST);
                channel.register(selector, SelectionKey.OP_READ, in);
            } else {
                receive(key, (SocketChannel) key.channel(), (ByteBuffer) key.attachment());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void receive(SelectionKey key, SocketChannel channel, ByteBuffer in)
            throws IOException {
        if (channel.read(in) < 0) {
            key.cancel();
            channel.close();
            return;
        }
        in.flip();
        out.clear();
        while (in.remaining() >= 4 && in.remaining() >= 4 + in.getInt(in.position())) {
            int from = in.position();
            int end = from + 4 + in.getInt(from);
            if (in.getShort(from + 4) == PRODUCE) {
                append(in, from + RECORDS);
            }
            in.position(end);
            out.putInt(RESPONSE).putInt(in.getInt(from + 8));
            out.put(noError.clear());
        }
        in.compact();
        out.flip();
        while (out.hasRemaining()) {
            channel.write(out);
        }
    }

    private void append(ByteBuffer in, int records) throws IOException {
        int batch = records;
        while (in.get(batch++) < 0) {
            continue; // a varint
        }
        int limit = in.limit();
        int position = in.position();
        int size = BATCH_LENGTH + 4 + in.getInt(batch + BATCH_LENGTH);
        crc.reset();
        crc.update(in.limit(batch + size).position(batch + BATCH_CHECKED));
        if ((int) crc.getValue() != in.getInt(batch + BATCH_CRC)) {
            throw new IOException("a batch with a wrong CRC");
        }
        in.putLong(batch, offset);
        offset += in.getInt(batch + BATCH_LAST_OFFSET_DELTA) + 1;
        write(in.position(batch), size);
        in.limit(limit).position(position);
    }

    /** In pieces of 64 KiB, the last of them filled with zeros first, as Firn's log writes. */
    private void write(ByteBuffer batch, int size) throws IOException {
        if (at + size > FILE_BYTES) {
            nextFile();
        }
        int piece = (at + size - 1) / PIECE * PIECE;
        if (piece >= at) {
            file.write(zeros.clear(), piece);
        }
        int from = batch.position();
        for (int done = 0, next; done < size; done = next) {
            next = Math.min(size, done + PIECE - (at + done) % PIECE);
            file.write(batch.limit(from + next).position(from + done), at + done);
        }
        at += size;
        if (at - forcedAt >= FORCE_BYTES) {
            forcedAt = at;
            toForce.release();
        }
    }

    private void nextFile() throws IOException {
        if (file != null) {
            file.force(false);
            file.close();
            if (before != null) {
                Files.delete(before);
            }
            before = directory.resolve(Integer.toString(files));
        }
        files++;
        file =
                FileChannel.open(
                        directory.resolve(Integer.toString(files)),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE);
        at = 0;
        forcedAt = 0;
    }

    private void force() {
        while (true) {
            toForce.acquireUninterruptibly();
            toForce.drainPermits();
            try {
                file.force(false);
            } catch (ClosedChannelException e) {
                continue; // the next file has been begun
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
