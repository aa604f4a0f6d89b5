package io.firn;

import io.firn.LogStore.MoveControl;
import java.util.Objects;

/**
 * How a backup is made, see {@link LogStore#backupTo(java.nio.file.Path, BackupOptions)}.
 * Immutable; each {@code with…} returns a changed copy.
 *
 * <p>By default it runs at full speed, and gives a sealed segment a second name where the
 * destination is on the file system that the segment is on.
 */
public final class BackupOptions {
    private static final BackupOptions DEFAULTS = new BackupOptions(true, MoveControl.UNLIMITED);

    private final boolean usesLinks;
    private final MoveControl control;

    private BackupOptions(boolean usesLinks, MoveControl control) {
        this.usesLinks = usesLinks;
        this.control = control;
    }

    /** Returns the defaults. */
    public static BackupOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns options with which all bytes are copied. A linked segment is the store's own file: it
     * takes no space, and is lost together with the store when the device fails.
     */
    public BackupOptions withoutLinks() {
        return new BackupOptions(false, control);
    }

    /**
     * Returns options with a control, which paces, observes and cancels the backup. It is called
     * before each piece that is read, on the thread that makes the backup. A backup that was
     * cancelled is continued by the next one. The control must not close the store.
     */
    public BackupOptions withControl(MoveControl value) {
        return new BackupOptions(usesLinks, Objects.requireNonNull(value, "control"));
    }

    /** Returns whether sealed segments are linked where they can be. */
    public boolean isLinking() {
        return usesLinks;
    }

    /** See {@link #withControl}. */
    public MoveControl control() {
        return control;
    }
}
