package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.reflect.Type;

/** Bytes, strings, and JSON for all else. */
final class BasicCodec implements RecordCodec {
    private static final int SHOWN_CHARACTERS = 100;

    private final JsonMapping json;

    /**
     * Creates a codec.
     *
     * @param json null if the application has no mapper
     */
    BasicCodec(JsonMapping json) {
        this.json = json;
    }

    @Override
    public byte[] toBytes(Object value) {
        if (value == null || value instanceof byte[]) {
            return (byte[]) value;
        }
        if (value instanceof String text) {
            return text.getBytes(UTF_8);
        }
        try {
            return json(value.getClass()).write(value);
        } catch (RecordConversionException e) {
            throw e;
        } catch (Exception e) {
            throw new RecordConversionException(
                    value.getClass().getName() + " cannot be written as JSON: " + e.getMessage(),
                    e);
        }
    }

    @Override
    public Object fromBytes(byte[] bytes, Type type) {
        if (bytes == null || type == byte[].class) {
            return bytes;
        }
        if (type == String.class) {
            return new String(bytes, UTF_8);
        }
        try {
            return json(type).read(bytes, type);
        } catch (RecordConversionException e) {
            throw e;
        } catch (Exception e) {
            throw new RecordConversionException(
                    "JSON of a " + type.getTypeName() + " was expected, found " + shown(bytes), e);
        }
    }

    private static String shown(byte[] bytes) {
        String text = new String(bytes, UTF_8);
        return text.length() <= SHOWN_CHARACTERS
                ? text
                : text.substring(0, SHOWN_CHARACTERS) + "… (" + bytes.length + " bytes)";
    }

    private JsonMapping json(Type type) {
        if (json == null) {
            throw new RecordConversionException(
                    "byte[] or String was expected, found "
                            + type.getTypeName()
                            + ": JSON needs a mapper of Jackson as a bean (add the starter"
                            + " spring-boot-starter-json), other formats a bean of type RecordCodec",
                    null);
        }
        return json;
    }
}
