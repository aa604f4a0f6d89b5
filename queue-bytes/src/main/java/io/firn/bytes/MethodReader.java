package io.firn.bytes;

import io.firn.InvalidOptionException;
import io.firn.LogRecord;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import java.lang.reflect.Method;
import java.nio.BufferUnderflowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Calls an object's methods as they were called on a method writer; see {@link
 * BytesTailer#methodReader}. It is also a handler for {@link Tailer#run(RecordHandler)} and {@link
 * Tailer#poll(RecordHandler, int)}. Garbage-free, except for arguments that are {@code String}s and
 * arrays. For one thread at a time.
 *
 * <p>A record with a method that the object does not have is skipped, and so is one without a
 * value. A value that is no call, is truncated, or has arguments that the method cannot take is a
 * {@link MalformedValueException}. What a method throws is passed on. In both cases the record
 * counts as not handled.
 */
public final class MethodReader implements RecordHandler {
    private final Tailer tailer;
    private final RecordBytes bytes = new RecordBytes();
    private final MethodCall[] calls;
    private MethodCall last;
    private long skipped;

    MethodReader(Tailer tailer, Object implementation) {
        this.tailer = tailer;
        Objects.requireNonNull(implementation, "implementation");
        Map<String, MethodCall> found = new LinkedHashMap<>();
        for (Class<?> type : interfacesOf(implementation.getClass())) {
            for (Method method : CallForm.calls(type)) {
                if (method.getReturnType() == void.class) {
                    MethodCall call = MethodCall.of(method, implementation);
                    MethodCall other = found.putIfAbsent(call.key(), call);
                    if (other != null && !other.isLike(call)) {
                        throw new InvalidOptionException(
                                method
                                        + ": a method of another interface is written alike: give"
                                        + " one of them a MethodId of its own");
                    }
                }
            }
        }
        if (found.isEmpty()) {
            throw new InvalidOptionException(
                    "an object is expected that implements an interface of methods without a"
                            + " result, found a "
                            + implementation.getClass().getName());
        }
        calls = found.values().toArray(MethodCall[]::new);
        last = calls[0];
    }

    /** All interfaces of a class, except those of the JDK. */
    private static List<Class<?>> interfacesOf(Class<?> type) {
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Class<?> direct : c.getInterfaces()) {
                if (!direct.getName().startsWith("java.") && !found.contains(direct)) {
                    found.add(direct);
                }
            }
        }
        return found;
    }

    /** Reads the next record, without waiting; false when none is visible. */
    public boolean readOne() {
        return tailer.poll(this, 1) > 0;
    }

    /** Reads up to a number of records, without waiting, and returns how many. */
    public int read(int limit) {
        return tailer.poll(this, limit);
    }

    /** As {@link #read(int)}, but waits for the first record. */
    public int read(int limit, Duration timeout) {
        return tailer.poll(this, limit, timeout);
    }

    /** Returns how many records were skipped: they had no value, or a method that is not known. */
    public long skipped() {
        return skipped;
    }

    @Override
    public Action onRecord(LogRecord record) {
        MethodCall call = null;
        try {
            if (record.hasValue()) {
                call = parse(bytes.of(record));
            }
        } catch (BufferUnderflowException e) {
            throw malformed(record, "a whole call is expected, found its beginning", e);
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw malformed(record, String.valueOf(e.getMessage()), e);
        } finally {
            bytes.end();
        }
        if (call == null) {
            skipped++;
        } else {
            call.run();
        }
        return Action.CONTINUE;
    }

    private static MalformedValueException malformed(LogRecord record, String reason, Exception e) {
        return new MalformedValueException(record.partition(), record.offset(), reason, e);
    }

    /** Returns the call with its arguments; null when the method is not known. */
    private MethodCall parse(RecordBytes value) {
        if (value.readRemaining() == 0 || value.readByte() != CallForm.MARK) {
            throw new IllegalStateException(
                    "a call of a method is expected, found a value that begins otherwise");
        }
        long head = value.readStopBit();
        long length = (head & 1) == 0 ? 0 : head >>> 1;
        if (head < 0 || length > value.readRemaining()) {
            throw new BufferUnderflowException();
        }
        MethodCall call = find(value, head);
        if (call != null) {
            value.readSkip(length);
            call.readArguments(value);
        }
        return call;
    }

    private MethodCall find(RecordBytes value, long head) {
        if (last.isNamed(value, head)) {
            return last;
        }
        for (MethodCall call : calls) {
            if (call.isNamed(value, head)) {
                last = call;
                return call;
            }
        }
        return null;
    }
}
