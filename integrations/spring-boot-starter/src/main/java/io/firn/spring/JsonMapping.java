package io.firn.spring;

import java.lang.reflect.Type;

/** JSON, by whichever Jackson the application has. */
interface JsonMapping {
    /** May throw what Jackson throws. */
    byte[] write(Object value) throws Exception;

    /** May throw what Jackson throws. */
    Object read(byte[] bytes, Type type) throws Exception;
}
