package io.firn.spring;

import io.firn.LogRecord;
import io.firn.StoredRecord;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/** A method that is called for each record of a topic. */
final class ListenerMethod {
    private final Object bean;
    private final Method method;
    private final String topic;
    private final String cursor;
    private final int concurrency;
    private final List<Argument> arguments = new ArrayList<>();

    /** Takes an argument from a record. */
    private interface Argument {
        Object of(LogRecord record, RecordCodec codec);
    }

    ListenerMethod(Object bean, Method method, String topic, String cursor, int concurrency) {
        this.bean = bean;
        this.method = method;
        this.topic = topic;
        this.cursor = cursor;
        this.concurrency = concurrency;
        if (concurrency < 1) {
            throw wrong("concurrency is 1 or more, found " + concurrency);
        }
        if (method.getReturnType() != void.class) {
            throw wrong("returns " + method.getReturnType().getName() + ": void is expected");
        }
        boolean hasValue = false;
        for (Parameter each : method.getParameters()) {
            Argument special = special(each);
            if (special == null && hasValue) {
                throw wrong(
                        "has two parameters for the value: one is expected, others are marked with"
                                + " @FirnKey or @FirnHeader");
            }
            hasValue |= special == null;
            arguments.add(special == null ? value(each.getParameterizedType()) : special);
        }
        ReflectionUtils.makeAccessible(method);
    }

    private IllegalStateException wrong(String what) {
        return new IllegalStateException("the listener " + this + " " + what);
    }

    private static Argument special(Parameter parameter) {
        Type type = parameter.getParameterizedType();
        FirnHeader header = AnnotatedElementUtils.findMergedAnnotation(parameter, FirnHeader.class);
        if (header != null) {
            return (record, codec) -> codec.fromBytes(header(record, header.value()), type);
        } else if (AnnotatedElementUtils.hasAnnotation(parameter, FirnKey.class)) {
            return (record, codec) -> codec.fromBytes(bytes(record.key()), type);
        } else if (type == LogRecord.class) {
            return (record, codec) -> record;
        } else if (type == StoredRecord.class) {
            return (record, codec) -> record.copy();
        }
        return null;
    }

    private static Argument value(Type type) {
        return (record, codec) -> codec.fromBytes(bytes(record.value()), type);
    }

    private static byte[] header(LogRecord record, String name) {
        byte[] last = null;
        LogRecord.Headers headers = record.headers();
        while (headers.next()) {
            if (headers.key().equals(name)) {
                last = bytes(headers.value());
            }
        }
        return last;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    String topic() {
        return topic;
    }

    String cursor() {
        return cursor;
    }

    int concurrency() {
        return concurrency;
    }

    /**
     * Calls the method.
     *
     * @throws ListenerFailure when it throws, or an argument cannot be converted
     */
    void call(LogRecord record, RecordCodec codec) {
        try {
            Object[] values = new Object[arguments.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = arguments.get(i).of(record, codec);
            }
            method.invoke(bean, values);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            // A record that exhausts the stack does so each time; memory may be there the next
            // time.
            if (cause instanceof VirtualMachineError error
                    && !(cause instanceof StackOverflowError)) {
                throw error;
            }
            throw new ListenerFailure(record.copy(), cause, true);
        } catch (RecordConversionException e) {
            throw new ListenerFailure(record.copy(), e, false);
        } catch (IllegalArgumentException | IllegalAccessException e) {
            throw new ListenerFailure(record.copy(), e, false);
        }
    }

    @Override
    public String toString() {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }
}
