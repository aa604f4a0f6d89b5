/**
 * Typed records over Chronicle Bytes: fields instead of arrays ({@link
 * io.firn.bytes.BytesAppender}, {@link io.firn.bytes.BytesTailer}), and interfaces whose calls are
 * records ({@link io.firn.bytes.BytesAppender#methodWriter}, {@link io.firn.bytes.MethodReader}).
 *
 * <p>Needs no JVM flags, and the JVM prints no warnings, on Java 17 and 25: the {@code Bytes} that
 * are handed out are this library's own implementation over public API of the JDK. Values are
 * encoded as Chronicle's own {@code Bytes} encode them. What Chronicle does by reflection or for
 * numbers as text ({@code append}, {@code parse…}, {@code readObject}, a {@code BytesMarshallable}
 * without methods of its own) works, but needs the JDK's internals, and Java 25 warns of that.
 *
 * <p>The call of a method is the byte 0xF1, the method, and the arguments. Numbers are
 * little-endian.
 *
 * <pre>
 *   method             with MethodId(n) 2n as a stop-bit number;
 *                      otherwise 2 * length + 1 as a stop-bit number, and the name in UTF-8
 *   Z boolean, B byte  the letter, 1 byte
 *   S short, C char    the letter, 2 bytes
 *   I int, F float     the letter, 4 bytes
 *   J long, D double   the letter, 8 bytes
 *   T text or enum     the letter, length as an int, UTF-8 (the name of an enum's constant)
 *   Y byte array       the letter, length as an int, the bytes
 *   M marshallable     the letter, length as an int, the fields
 *   N null             the letter
 * </pre>
 */
package io.firn.bytes;
