package io.firn.spring;

import java.lang.reflect.Type;

/**
 * Converts between objects and the bytes of keys, values and headers. The application may declare a
 * bean of its own. By default, byte arrays are taken as they are, strings are in UTF-8, and all
 * else is JSON, by the Jackson mapper of the application. Thread-safe.
 *
 * @see FirnListener
 */
public interface RecordCodec {

    /**
     * Returns the bytes of an object; null for null.
     *
     * @throws RecordConversionException when it cannot be converted
     */
    byte[] toBytes(Object value);

    /**
     * Returns the object that bytes are; null for null.
     *
     * @param type its type, such as a class, or that of a parameter
     * @throws RecordConversionException when they cannot be converted
     */
    Object fromBytes(byte[] bytes, Type type);
}
