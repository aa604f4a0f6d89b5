package io.firn.medium;

import java.io.IOException;

/** Thrown when data on the medium was written by a newer version of Firn. It is not changed. */
public final class UnsupportedVersionException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with the version found and the newest version known. */
    public UnsupportedVersionException(String what, int known, int found) {
        super(
                what
                        + " has format version "
                        + found
                        + ", this Firn reads versions up to "
                        + known
                        + ": open it with the Firn that wrote it or a newer one");
    }
}
