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
 */
package io.firn.bytes;
