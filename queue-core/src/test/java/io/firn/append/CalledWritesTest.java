package io.firn.append;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.log.InMemory;
import io.firn.log.LogContext.WriteBuffers;
import io.firn.log.LogSegment;
import io.firn.log.SparseIndex;
import io.firn.spi.Block;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is left when a batch found no space. */
class CalledWritesTest {
    private static final int PAGE = 4096;
    private static final int END = 5 * PAGE - 30;

    private final CalledWrites writes = new CalledWrites(new WriteBuffers());

    /** Where bytes were written by calls. */
    private final List<Integer> written = new ArrayList<>();

    private Block inner;
    private LogSegment segment;

    @BeforeEach
    void createSegment() throws IOException {
        inner = InMemory.block(InMemory.tier(), 7);
        Block block =
                (Block)
                        Proxy.newProxyInstance(
                                Block.class.getClassLoader(),
                                new Class<?>[] {Block.class},
                                (proxy, method, arguments) ->
                                        switch (method.getName()) {
                                            case "isWrittenByCalls" -> true;
                                            case "memory" -> memoryThatIsNotToBeRead();
                                            case "write" -> {
                                                written.add((Integer) arguments[0]);
                                                yield call(method, arguments);
                                            }
                                            default -> call(method, arguments);
                                        });
        segment = new LogSegment(block, 7, new SparseIndex(block.capacity()));
        segment.setWritten(END, 1);
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(inner, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /**
     * On tmpfs, reading a hole through a mapping takes space, and without any faults. A buffer
     * cannot tell that it is read; what it shows here is wrong instead.
     */
    private ByteBuffer memoryThatIsNotToBeRead() {
        byte[] wrong = new byte[inner.capacity()];
        Arrays.fill(wrong, (byte) 9);
        return ByteBuffer.wrap(wrong);
    }

    @Test
    void shouldTakeNothingBackWhereNothingWasWritten() throws IOException {
        writes.takeBack(segment);
        assertEquals(List.of(), written); // of such a page, a full medium would refuse the write
    }

    /** The header of the batch reaches into a page that has no space. */
    @Test
    void shouldTakeBackWhatWasWrittenOfAHeader() throws IOException {
        inner.memory().put(END - 1, (byte) 5).put(END, (byte) 6).put(5 * PAGE - 1, (byte) 7);
        writes.takeBack(segment);
        assertEquals(List.of(END), written);
        byte[] left = new byte[100];
        inner.read(END - 1, left, 0, left.length);
        byte[] expected = new byte[100];
        expected[0] = 5;
        assertArrayEquals(expected, left);
    }
}
