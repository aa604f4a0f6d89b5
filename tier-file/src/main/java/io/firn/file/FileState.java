package io.firn.file;

import io.firn.file.SealMark.SidecarSums;
import io.firn.spi.Mark;
import java.nio.file.Path;

/**
 * What is known about a segment's file at one moment. Replaced as a whole, so that every thread
 * sees a path with the length and the mark that belong to it.
 *
 * <pre>
 *          seal in a mark page is durable          BASE.mark, rename, directory forced, cut
 * UNSEALED ───────────────────────────────▶ SEALED ────────────────────────────────▶ FINISHED
 * </pre>
 *
 * @param stage how far the segment has been sealed
 * @param path the file
 * @param fileBytes the size of the file
 * @param mark the newest mark; null when the segment is not sealed and its mark pages are damaged
 * @param sidecars the checksums of the sidecars; null when they are not known
 */
record FileState(Stage stage, Path path, long fileBytes, Mark mark, SidecarSums sidecars) {

    /** How far a segment has been sealed. */
    enum Stage {
        /** Has a hidden name and mark pages; is written to if it is not damaged. */
        UNSEALED,
        /** Has a seal; its file may be renamed and cut at any moment. */
        SEALED,
        /** Has its final name, and its final length unless that is due at the next open. */
        FINISHED
    }

    /** Returns the state of a segment that is not finished. */
    static FileState unfinished(Stage stage, Path path, long fileBytes, Mark mark) {
        return new FileState(stage, path, fileBytes, mark, null);
    }

    /** Returns the state of a segment that is sealed and finished. */
    static FileState finished(SegmentFiles files, SealMark seal, long fileBytes) {
        return new FileState(Stage.FINISHED, files.log(), fileBytes, seal.mark(), seal.sidecars());
    }

    boolean isSealed() {
        return stage != Stage.UNSEALED;
    }

    boolean isFinished() {
        return stage == Stage.FINISHED;
    }

    /** Returns the bytes of batches in a sealed segment; fewer than sealed if its file is short. */
    int sealedBytes() {
        return (int) Math.min(mark.position(), fileBytes);
    }

    /** Returns the state with another mark of the same stage. */
    FileState marked(Mark next) {
        return new FileState(stage, path, fileBytes, next, sidecars);
    }

    FileState sealed(Mark sealed) {
        return new FileState(Stage.SEALED, path, fileBytes, sealed, sidecars);
    }

    FileState resized(long bytes) {
        return new FileState(stage, path, bytes, mark, sidecars);
    }

    FileState renamed(Path to) {
        return new FileState(stage, to, fileBytes, mark, sidecars);
    }

    FileState withSidecars(SidecarSums sums) {
        return new FileState(stage, path, fileBytes, mark, sums);
    }

    FileState finished() {
        return new FileState(Stage.FINISHED, path, fileBytes, mark, sidecars);
    }
}
