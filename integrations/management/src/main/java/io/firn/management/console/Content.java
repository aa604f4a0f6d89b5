package io.firn.management.console;

/**
 * What answers a request.
 *
 * @param type the type of the content, of HTTP
 */
public record Content(String type, byte[] bytes) {}
