package io.firn.bytes;

import io.firn.InvalidOptionException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.BufferUnderflowException;
import net.openhft.chronicle.bytes.BytesMarshallable;

/**
 * An argument of a method: a number, or an object that is used again if it can. Not thread-safe.
 */
final class Argument {
    private static final String INTEGERS = "BSCIJ";
    private static final String REALS = "FD";

    private final Class<?> type;
    private final char kind;
    private final Object[] constants;
    private final StringBuilder text;
    private final BytesMarshallable fields;
    private long integer;
    private double real;
    private Object object;

    private Argument(Class<?> type, char kind, BytesMarshallable fields) {
        this.type = type;
        this.kind = kind;
        this.fields = fields;
        this.constants = type.getEnumConstants();
        this.text = kind == CallForm.TEXT ? new StringBuilder() : null;
    }

    static Argument of(Class<?> type, Method method) {
        char kind = CallForm.tag(type, method);
        return new Argument(type, kind, kind == CallForm.FIELDS ? instance(type, method) : null);
    }

    private static BytesMarshallable instance(Class<?> type, Method method) {
        try {
            if (!Modifier.isAbstract(type.getModifiers())) {
                Constructor<?> constructor = type.getDeclaredConstructor();
                constructor.trySetAccessible();
                return (BytesMarshallable) constructor.newInstance();
            }
        } catch (ReflectiveOperationException e) {
            throw new InvalidOptionException(
                    method + ": " + type.getName() + " has no constructor to use here: " + e);
        }
        throw new InvalidOptionException(
                method + ": a class that can be instantiated is expected, found " + type.getName());
    }

    // ---- read by method handles

    /** A handle (arguments, index) to the value of a type, or to one that is cast to it. */
    static MethodHandle getter(Class<?> type) throws IllegalAccessException {
        boolean isReal = type == float.class || type == double.class;
        Class<?> result = !type.isPrimitive() ? Object.class : isReal ? double.class : long.class;
        String name = !type.isPrimitive() ? "object" : isReal ? "real" : "integer";
        try {
            return MethodHandles.lookup()
                    .findStatic(
                            Argument.class,
                            name,
                            MethodType.methodType(result, Argument[].class, int.class));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    static long integer(Argument[] arguments, int index) {
        return arguments[index].integer;
    }

    static double real(Argument[] arguments, int index) {
        return arguments[index].real;
    }

    static Object object(Argument[] arguments, int index) {
        return arguments[index].object;
    }

    // ---- read from a record

    /** Sets what a call has that was written without this argument. */
    void clear() {
        integer = 0;
        real = 0;
        object = null;
    }

    void read(RecordBytes value) {
        char found = (char) value.readByte();
        clear();
        if (found == CallForm.NULL && !type.isPrimitive()) {
            return;
        }
        if (INTEGERS.indexOf(kind) >= 0 && INTEGERS.indexOf(found) >= 0) {
            integer = integer(found, value);
            checkRange(integer);
        } else if (REALS.indexOf(kind) >= 0 && isNumber(found)) {
            real = REALS.indexOf(found) >= 0 ? real(found, value) : exact(integer(found, value));
            if (kind == 'F' && found != 'F' && Double.compare((float) real, real) != 0) {
                throw wrong("a float", "the number " + real);
            }
        } else if (kind == 'Z' && found == 'Z') {
            integer = value.readByte();
        } else if (kind == found) {
            object = object(value, lengthIn(value));
        } else {
            throw wrong("'" + kind + "'", "'" + found + "'");
        }
    }

    private static boolean isNumber(char found) {
        return INTEGERS.indexOf(found) >= 0 || REALS.indexOf(found) >= 0;
    }

    private static long integer(char tag, RecordBytes value) {
        return switch (tag) {
            case 'B' -> value.readByte();
            case 'S' -> value.readShort();
            case 'C' -> (char) value.readShort();
            case 'I' -> value.readInt();
            default -> value.readLong();
        };
    }

    private static double real(char tag, RecordBytes value) {
        return tag == 'F' ? value.readFloat() : value.readDouble();
    }

    private double exact(long found) {
        double rounded = found;
        if ((long) rounded != found || rounded == 0x1p63) { // which is cast to the largest long
            throw wrong("a number that fits " + type, "" + found);
        }
        return rounded;
    }

    private void checkRange(long found) {
        boolean fits =
                switch (kind) {
                    case 'B' -> found == (byte) found;
                    case 'S' -> found == (short) found;
                    case 'C' -> found == (char) found;
                    case 'I' -> found == (int) found;
                    default -> true;
                };
        if (!fits) {
            throw wrong("a number that fits " + type, "" + found);
        }
    }

    private static int lengthIn(RecordBytes value) {
        int length = value.readInt();
        if (length < 0 || length > value.readRemaining()) {
            throw new BufferUnderflowException();
        }
        return length;
    }

    private Object object(RecordBytes value, int length) {
        long end = value.readPosition() + length;
        if (kind == CallForm.BYTES) {
            byte[] array = new byte[length];
            value.read(array);
            return array;
        }
        if (kind == CallForm.FIELDS) {
            readFields(value, end);
            return fields;
        }
        text.setLength(0);
        value.readChars(text, end);
        if (constants != null) {
            return constant();
        }
        return type == String.class ? text.toString() : text;
    }

    /** Lets the fields see their own bytes only, of which an older version has written fewer. */
    private void readFields(RecordBytes value, long end) {
        long limit = value.readLimit();
        value.readLimit(end);
        value.lenient(true);
        fields.readMarshallable(value);
        value.lenient(false);
        value.readLimit(limit);
        value.readPosition(end);
    }

    private Object constant() {
        for (Object constant : constants) {
            if (((Enum<?>) constant).name().contentEquals(text)) {
                return constant;
            }
        }
        throw wrong("a constant of " + type.getName(), text.toString());
    }

    private static IllegalStateException wrong(String expected, String found) {
        return new IllegalStateException(expected + " is expected, found " + found);
    }

    /** Skips an argument, of a tag that is known. */
    static void skip(RecordBytes value) {
        char tag = (char) value.readByte();
        switch (tag) {
            case 'Z', 'B' -> value.readByte();
            case 'S', 'C' -> value.readShort();
            case 'I', 'F' -> value.readInt();
            case 'J', 'D' -> value.readLong();
            case CallForm.TEXT, CallForm.BYTES, CallForm.FIELDS -> value.readSkip(lengthIn(value));
            case CallForm.NULL -> {}
            default -> throw wrong("the tag of an argument", "'" + tag + "'");
        }
    }
}
