package io.firn.spi;

import java.io.IOException;

/** Something on the medium was written by a newer Firn. It is left as it is. */
public final class UnsupportedVersionException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Names what was found and what this version of Firn knows. */
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
