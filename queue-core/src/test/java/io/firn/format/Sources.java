package io.firn.format;

import io.firn.Batch;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** The places where a user's bytes may lie. */
enum Sources {
    PART_OF_AN_ARRAY {
        @Override
        void hand(Source source, byte[] bytes) {
            source.wrap(padded(bytes), PAD, bytes.length);
        }

        @Override
        void hand(Batch batch, byte[] key, byte[] value) {
            batch.key(padded(key), PAD, key.length).value(padded(value), PAD, value.length);
        }
    },
    HEAP_BUFFER {
        @Override
        ByteBuffer buffer(byte[] bytes) {
            return between(ByteBuffer.wrap(padded(bytes)));
        }
    },
    SLICED_HEAP_BUFFER {
        @Override
        ByteBuffer buffer(byte[] bytes) {
            return between(
                    ByteBuffer.wrap(padded(padded(bytes))).slice(PAD, bytes.length + 2 * PAD));
        }
    },
    READ_ONLY_HEAP_BUFFER {
        @Override
        ByteBuffer buffer(byte[] bytes) {
            return between(ByteBuffer.wrap(padded(bytes)).asReadOnlyBuffer());
        }
    },
    DIRECT_BUFFER {
        @Override
        ByteBuffer buffer(byte[] bytes) {
            return between(direct(padded(bytes)));
        }
    },
    SLICED_READ_ONLY_DIRECT_BUFFER {
        @Override
        ByteBuffer buffer(byte[] bytes) {
            ByteBuffer slice = direct(padded(padded(bytes))).slice(PAD, bytes.length + 2 * PAD);
            return between(slice.asReadOnlyBuffer());
        }
    },
    LITTLE_ENDIAN_DIRECT_BUFFER {
        @Override
        ByteBuffer buffer(byte[] bytes) {
            return between(direct(padded(bytes)).order(ByteOrder.LITTLE_ENDIAN));
        }
    },
    AGRONA_OVER_PART_OF_AN_ARRAY {
        @Override
        UnsafeBuffer agrona(byte[] bytes) {
            return new UnsafeBuffer(padded(padded(bytes)), PAD, bytes.length + 2 * PAD);
        }
    },
    AGRONA_OVER_HEAP_BUFFER {
        @Override
        UnsafeBuffer agrona(byte[] bytes) {
            ByteBuffer slice =
                    ByteBuffer.wrap(padded(padded(bytes))).slice(PAD, bytes.length + 2 * PAD);
            return new UnsafeBuffer(slice);
        }
    },
    AGRONA_OVER_DIRECT_BUFFER {
        @Override
        UnsafeBuffer agrona(byte[] bytes) {
            ByteBuffer slice = direct(padded(padded(bytes))).slice(1, bytes.length + 4 * PAD - 1);
            return new UnsafeBuffer(slice, PAD - 1, bytes.length + 2 * PAD);
        }
    },
    AGRONA_OVER_BARE_MEMORY {
        @Override
        void hand(Source source, byte[] bytes) {
            ByteBuffer owner = direct(padded(bytes));
            source.wrap(bare(owner), PAD, bytes.length);
            Reference.reachabilityFence(owner);
        }

        @Override
        void hand(Batch batch, byte[] key, byte[] value) {
            ByteBuffer keyOwner = direct(padded(key));
            ByteBuffer valueOwner = direct(padded(value));
            batch.key(bare(keyOwner), PAD, key.length).value(bare(valueOwner), PAD, value.length);
            Reference.reachabilityFence(keyOwner);
            Reference.reachabilityFence(valueOwner);
        }
    };

    private static final int PAD = 3;

    /** A buffer with the bytes between its position and limit. */
    ByteBuffer buffer(byte[] bytes) {
        throw new UnsupportedOperationException(name());
    }

    /** A buffer with the bytes after some others. */
    UnsafeBuffer agrona(byte[] bytes) {
        throw new UnsupportedOperationException(name());
    }

    private boolean isAgrona() {
        return name().startsWith("AGRONA");
    }

    /** Hands the bytes in as a value. */
    void hand(Source source, byte[] bytes) {
        if (isAgrona()) {
            source.wrap(agrona(bytes), PAD, bytes.length);
            return;
        }
        ByteBuffer buffer = buffer(bytes);
        source.wrap(buffer);
        requireUntouched(buffer, bytes);
    }

    /** Hands key and value in. */
    void hand(Batch batch, byte[] key, byte[] value) {
        if (isAgrona()) {
            batch.key(agrona(key), PAD, key.length).value(agrona(value), PAD, value.length);
            return;
        }
        ByteBuffer buffer = buffer(value);
        batch.key(buffer(key)).value(buffer);
        requireUntouched(buffer, value);
    }

    private static void requireUntouched(ByteBuffer buffer, byte[] bytes) {
        if (buffer.position() != PAD || buffer.remaining() != bytes.length) {
            throw new AssertionError("position and limit must stay as they are: " + buffer);
        }
    }

    private static byte[] padded(byte[] bytes) {
        byte[] padded = new byte[bytes.length + 2 * PAD];
        System.arraycopy(bytes, 0, padded, PAD, bytes.length);
        return padded;
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
    }

    private static UnsafeBuffer bare(ByteBuffer owner) {
        return new UnsafeBuffer(BufferUtil.address(owner), owner.capacity());
    }

    private static ByteBuffer between(ByteBuffer padded) {
        return padded.limit(padded.capacity() - PAD).position(PAD);
    }
}
