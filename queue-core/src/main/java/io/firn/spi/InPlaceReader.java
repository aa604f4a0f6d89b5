package io.firn.spi;

import java.nio.ByteBuffer;
import java.util.Objects;

/** Shows bytes where they are. Thread-safe. */
final class InPlaceReader implements BlockReader {
    @Override
    public boolean isInPlace() {
        return true;
    }

    @Override
    public ByteBuffer bytes(View view, int position, int length) {
        ByteBuffer memory = view.buffer();
        Objects.checkFromIndexSize(position, length, memory.capacity());
        return memory;
    }

    @Override
    public ByteBuffer slice(View view, int position, int length) {
        return view.buffer().slice(position, length);
    }

    @Override
    public void confirm() {
        // A pinned view keeps its block.
    }
}
