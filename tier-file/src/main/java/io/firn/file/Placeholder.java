package io.firn.file;

/** Keeps the package until its first class arrives. */
final class Placeholder {
    private Placeholder() {}
}
