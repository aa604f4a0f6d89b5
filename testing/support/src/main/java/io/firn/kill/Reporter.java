package io.firn.kill;

import io.firn.kill.Plan.Standing;
import io.firn.kill.Report.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** The child's end of the pipe. Thread-safe. */
final class Reporter {
    private final OutputStream out;
    private volatile boolean closing;

    Reporter(OutputStream out) {
        this.out = out;
    }

    boolean isClosing() {
        return closing;
    }

    void tell(Kind kind) {
        if (kind == Kind.CLOSING) {
            closing = true;
        }
        write(Report.of(kind));
    }

    void renewed(Lane lane, Standing as) {
        write(new Report(Kind.RENEWED, lane.id(), as.producer(), as.epoch(), as.sequence(), 0));
    }

    void acked(Lane lane, long first, long offset, int sum, boolean repeated) {
        write(new Report(Kind.ACKED, lane.id(), first, offset, sum, repeated ? 1 : 0));
    }

    void rolled(long times) {
        write(Report.of(Kind.ROLLED, -1, times));
    }

    void deleting(Lane lane, long before) {
        write(Report.of(Kind.DELETING, lane.id(), before));
    }

    void deleted(Lane lane, long start) {
        write(Report.of(Kind.DELETED, lane.id(), start));
    }

    void cursor(Lane lane, long offset) {
        write(Report.of(Kind.CURSOR, lane.id(), offset));
    }

    private void write(Report report) {
        try {
            report.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException("the parent is gone", e);
        }
    }
}
