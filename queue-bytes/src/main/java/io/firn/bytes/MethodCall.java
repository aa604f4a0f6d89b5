package io.firn.bytes;

import io.firn.InvalidOptionException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;

/** A method of an object, and arguments for its next call. Not thread-safe. */
final class MethodCall {
    private static final MethodType RUN = MethodType.methodType(void.class, Argument[].class);

    private final Method method;
    private final byte[] head;
    private final long number;
    private final int nameFrom;
    private final Argument[] arguments;
    private final MethodHandle run;

    private MethodCall(Method method, Object target) throws IllegalAccessException {
        this.method = method;
        head = CallForm.head(method);
        GrowingBytes bytes = new GrowingBytes();
        bytes.write(head).readSkip(1);
        number = bytes.readStopBit();
        nameFrom = (int) bytes.readPosition();
        arguments =
                Arrays.stream(method.getParameterTypes())
                        .map(type -> Argument.of(type, method))
                        .toArray(Argument[]::new);
        MethodHandles.Lookup lookup =
                method.trySetAccessible()
                        ? MethodHandles.lookup()
                        : MethodHandles.privateLookupIn(
                                method.getDeclaringClass(), MethodHandles.lookup());
        run = withArguments(lookup.unreflect(method).bindTo(target));
    }

    static MethodCall of(Method method, Object target) {
        try {
            return new MethodCall(method, target);
        } catch (IllegalAccessException e) {
            throw new InvalidOptionException(
                    method
                            + ": its package is not open to io.firn.bytes: add 'opens "
                            + method.getDeclaringClass().getPackageName()
                            + " to io.firn.bytes' to its module ("
                            + e.getMessage()
                            + ")");
        }
    }

    /** Takes each parameter from the arguments, by a handle of its type: without boxes. */
    private MethodHandle withArguments(MethodHandle bound) throws IllegalAccessException {
        MethodHandle[] filters = new MethodHandle[arguments.length];
        for (int i = 0; i < filters.length; i++) {
            Class<?> type = bound.type().parameterType(i);
            MethodHandle get = MethodHandles.insertArguments(Argument.getter(type), 1, i);
            filters[i] =
                    MethodHandles.explicitCastArguments(
                            get, MethodType.methodType(type, Argument[].class));
        }
        MethodHandle each = MethodHandles.filterArguments(bound, 0, filters);
        return filters.length == 0
                ? MethodHandles.dropArguments(each, 0, Argument[].class)
                : MethodHandles.permuteArguments(each, RUN, new int[filters.length]);
    }

    /** Methods with one key are written alike. */
    String key() {
        return Arrays.toString(head);
    }

    boolean isLike(MethodCall other) {
        return Arrays.equals(method.getParameterTypes(), other.method.getParameterTypes());
    }

    /** Whether the value, from its position on, names this method. */
    boolean isNamed(RecordBytes value, long ofHead) {
        if (ofHead != number) {
            return false;
        }
        long at = value.readPosition() - nameFrom;
        for (int i = nameFrom; i < head.length; i++) {
            if (value.readByte(at + i) != head[i]) {
                return false;
            }
        }
        return true;
    }

    /** Reads the arguments that are there; the others are 0, false or null. */
    void readArguments(RecordBytes value) {
        for (int i = 0; i < arguments.length; i++) {
            if (value.readRemaining() == 0) {
                arguments[i].clear();
                continue;
            }
            try {
                arguments[i].read(value);
            } catch (IllegalStateException e) {
                throw new IllegalStateException(
                        "argument " + (i + 1) + " of " + method + ": " + e.getMessage(), e);
            }
        }
        while (value.readRemaining() > 0) {
            Argument.skip(value);
        }
    }

    /** Calls the method. */
    void run() {
        try {
            run.invokeExact(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new UndeclaredThrowableException(e);
        }
    }
}
