package io.firn.bytes;

import io.firn.InvalidOptionException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.MethodId;

/**
 * How a call of a method is written. Numbers are little-endian.
 *
 * <pre>
 * value    = MARK  method  argument*
 * method   = number*2 as a stop bit                  when the method has a MethodId
 *          | length*2+1 as a stop bit, name in UTF-8  otherwise
 * argument = one byte that says what follows, and its bytes:
 *            'Z' boolean, 'B' byte          1 byte
 *            'S' short, 'C' char            2 bytes
 *            'I' int, 'F' float             4 bytes
 *            'J' long, 'D' double           8 bytes
 *            'T' text or an enum's name     length (int), UTF-8
 *            'Y' bytes                      length (int), bytes
 *            'M' fields                     length (int), what writeMarshallable wrote
 *            'N' null
 * </pre>
 *
 * <p>A reader skips methods that it does not know and arguments beyond those that it has; missing
 * ones are 0, false or null. Numbers may have become wider. Fields that are missing at the end of
 * {@code 'M'} are 0 or null, and those that follow what the reader reads are skipped.
 */
final class CallForm {
    static final byte MARK = (byte) 0xf1;
    static final char TEXT = 'T';
    static final char BYTES = 'Y';
    static final char FIELDS = 'M';
    static final char NULL = 'N';

    private CallForm() {}

    /** What stands before an argument of a type. */
    static char tag(Class<?> type, Method method) {
        if (type.isPrimitive()) {
            return type.descriptorString().charAt(0);
        }
        if (type == String.class || type == CharSequence.class || type.isEnum()) {
            return TEXT;
        }
        if (type == byte[].class) {
            return BYTES;
        }
        if (BytesMarshallable.class.isAssignableFrom(type)) {
            return FIELDS;
        }
        throw new InvalidOptionException(
                method
                        + ": a parameter is expected that is a primitive type, String, CharSequence,"
                        + " byte[], an enum or a BytesMarshallable, found "
                        + type.getName());
    }

    /** The beginning of a call: mark and method. */
    static byte[] head(Method method) {
        GrowingBytes bytes = new GrowingBytes();
        bytes.writeByte(MARK);
        MethodId id = method.getAnnotation(MethodId.class);
        if (id == null) {
            byte[] name = method.getName().getBytes(java.nio.charset.StandardCharsets.UTF_8);
            bytes.writeStopBit(2L * name.length + 1).write(name);
        } else if (id.value() < 0 || id.value() > Integer.MAX_VALUE) {
            throw new InvalidOptionException(
                    method + ": a MethodId from 0 to 2147483647 is expected, found " + id.value());
        } else {
            bytes.writeStopBit(2 * id.value());
        }
        byte[] head = new byte[(int) bytes.writePosition()];
        bytes.read(head);
        return head;
    }

    /**
     * The methods of an interface that are calls.
     *
     * @throws InvalidOptionException when two of them would be written alike
     */
    static List<Method> calls(Class<?> type) {
        List<Method> calls = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Method method : type.getMethods()) {
            if (!java.lang.reflect.Modifier.isAbstract(method.getModifiers())) {
                continue;
            }
            calls.add(method);
            MethodId id = method.getAnnotation(MethodId.class);
            if (!names.add(id == null ? method.getName() : "#" + id.value())) {
                throw new InvalidOptionException(
                        method
                                + ": another method has the same name, and would be written alike:"
                                + " give one of them a MethodId of its own");
            }
        }
        return calls;
    }
}
