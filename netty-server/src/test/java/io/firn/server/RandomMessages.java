package io.firn.server;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * Requests that can be read, with contents by chance: every field of Kafka's generated messages is
 * set, to names that exist as often as not, and to numbers that hurt as often as not.
 */
final class RandomMessages {
    private static final int[] NUMBERS = {
        0, 1, 2, -1, -2, 3, 100, 1_000, 30_000, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE
    };
    private static final String[] KEYS = {"retention.ms", "cleanup.policy", "segment.bytes", "x"};

    private final Random random;
    private final List<String> names;

    /** Of things that the requests may mean. */
    RandomMessages(Random random, List<String> names) {
        this.random = random;
        this.names = names;
    }

    /** A request, without its length. */
    byte[] request(ApiKeys key, short version) {
        while (true) {
            ApiMessage message = key.messageType.newRequest();
            fill(message);
            try {
                return Wire.request(key, version, message);
            } catch (RuntimeException e) {
                // A field that this version has not must keep its default: with fewer fields then.
                byte[] plain = plain(key, version);
                if (plain != null) {
                    return plain;
                }
            }
        }
    }

    /** With one field after the other, as far as the version takes it. */
    private byte[] plain(ApiKeys key, short version) {
        ApiMessage message = key.messageType.newRequest();
        byte[] last = null;
        for (Method setter : setters(message)) {
            ApiMessage before = (ApiMessage) message.duplicate();
            set(message, setter);
            try {
                last = Wire.request(key, version, message);
            } catch (RuntimeException e) {
                message = before;
            }
        }
        return last == null ? tryRequest(key, version) : last;
    }

    private static byte[] tryRequest(ApiKeys key, short version) {
        try {
            return Wire.request(key, version, key.messageType.newRequest());
        } catch (RuntimeException e) {
            return null;
        }
    }

    private static List<Method> setters(Message message) {
        List<Method> setters = new ArrayList<>();
        for (Method each : message.getClass().getMethods()) {
            if (each.getName().startsWith("set")
                    && each.getParameterCount() == 1
                    && each.getDeclaringClass() == message.getClass()) {
                setters.add(each);
            }
        }
        setters.sort(java.util.Comparator.comparing(Method::getName));
        return setters;
    }

    private void fill(Message message) {
        setters(message).forEach(setter -> set(message, setter));
    }

    private void set(Message message, Method setter) {
        try {
            Object value =
                    value(setter.getParameterTypes()[0], setter.getGenericParameterTypes()[0]);
            if (value != null || random.nextInt(4) == 0) {
                setter.invoke(message, value);
            }
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            return; // it stays as it is
        }
    }

    private Object value(Class<?> type, Type generic) throws ReflectiveOperationException {
        if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == byte.class) {
            return (byte) number();
        } else if (type == short.class) {
            return (short) number();
        } else if (type == int.class || type == Integer.class) {
            return number();
        } else if (type == long.class) {
            return random.nextInt(4) == 0 ? random.nextLong() : number();
        } else if (type == double.class) {
            return random.nextDouble();
        } else if (type == String.class) {
            return random.nextInt(10) == 0 ? null : text();
        } else if (type == Uuid.class) {
            return random.nextBoolean() ? Uuid.ZERO_UUID : new Uuid(number(), random.nextLong());
        } else if (type == byte[].class) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            return bytes;
        } else if (type == ByteBuffer.class) {
            return ByteBuffer.allocate(random.nextInt(40));
        } else if (BaseRecords.class.isAssignableFrom(type)) {
            return records();
        } else if (Collection.class.isAssignableFrom(type)) {
            return collection(type, generic);
        } else if (Message.class.isAssignableFrom(type)) {
            Message message = (Message) type.getConstructor().newInstance();
            fill(message);
            return message;
        }
        return null;
    }

    private int number() {
        return NUMBERS[random.nextInt(random.nextBoolean() ? 4 : NUMBERS.length)];
    }

    private String text() {
        return switch (random.nextInt(12)) {
            case 0 -> "";
            case 1 -> "\u0000../\u20ac*";
            case 2 -> "x".repeat(random.nextInt(400));
            case 3 -> KEYS[random.nextInt(KEYS.length)];
            case 4 -> Integer.toString(number());
            default -> names.get(random.nextInt(names.size()));
        };
    }

    private MemoryRecords records() {
        SimpleRecord[] records = new SimpleRecord[1 + random.nextInt(3)];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SimpleRecord(random.nextInt(1000), null, new byte[random.nextInt(50)]);
        }
        Compression compression =
                random.nextInt(4) == 0 ? Compression.gzip().build() : Compression.NONE;
        return random.nextBoolean()
                ? MemoryRecords.withRecords(compression, records)
                : MemoryRecords.withIdempotentRecords(
                        compression, random.nextInt(3), (short) 0, random.nextInt(4), records);
    }

    @SuppressWarnings("unchecked") // whatever the setter says that it takes
    private Object collection(Class<?> type, Type generic) throws ReflectiveOperationException {
        Collection<Object> all =
                type == List.class
                        ? new ArrayList<>()
                        : (Collection<Object>) type.getConstructor().newInstance();
        Type element =
                generic instanceof ParameterizedType list
                        ? list.getActualTypeArguments()[0]
                        : ((ParameterizedType) type.getGenericSuperclass())
                                .getActualTypeArguments()[0];
        int count = random.nextInt(8) == 0 ? 20 : random.nextInt(3);
        for (int i = 0; i < count; i++) {
            Class<?> elementType =
                    element instanceof ParameterizedType nested
                            ? (Class<?>) nested.getRawType()
                            : (Class<?>) element;
            Object value = boxed(elementType, element);
            if (value != null) {
                all.add(value);
            }
        }
        return all;
    }

    private Object boxed(Class<?> type, Type generic) throws ReflectiveOperationException {
        if (type == Short.class) {
            return (short) number();
        } else if (type == Byte.class) {
            return (byte) number();
        } else if (type == Long.class) {
            return (long) number();
        }
        return value(type, generic);
    }
}
