package io.firn.spi;

/** Keeps the package until its first class arrives. */
final class Placeholder {
    private Placeholder() {}
}
