package io.firn.findings;

import io.firn.Finding;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A finding, by its key. */
final class PresentFinding implements Finding {
    private final FindingKey key;
    private final Instant since;
    private final String text;
    private final boolean isLogged;

    /**
     * Creates a finding.
     *
     * @param isLogged whether its begin is logged, and so its end
     */
    PresentFinding(FindingKey key, Instant since, String text, boolean isLogged) {
        this.key = key;
        this.since = since;
        this.text = text;
        this.isLogged = isLogged;
    }

    boolean isLogged() {
        return isLogged;
    }

    /** Returns the same condition with another text. */
    PresentFinding withText(String other) {
        return new PresentFinding(key, since, other, isLogged);
    }

    @Override
    public Kind kind() {
        return key.kind();
    }

    @Override
    public Optional<String> topic() {
        return Optional.ofNullable(key.subject().topic());
    }

    @Override
    public OptionalInt partition() {
        int index = key.subject().partition();
        return index < 0 ? OptionalInt.empty() : OptionalInt.of(index);
    }

    @Override
    public Optional<String> tier() {
        return Optional.ofNullable(key.subject().tier());
    }

    @Override
    public OptionalLong fromOffset() {
        return known(key.fromOffset());
    }

    @Override
    public OptionalLong toOffset() {
        return known(key.toOffset());
    }

    private static OptionalLong known(long offset) {
        return offset < 0 ? OptionalLong.empty() : OptionalLong.of(offset);
    }

    @Override
    public Instant since() {
        return since;
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PresentFinding that && key.equals(that.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    @Override
    public String toString() {
        return key.kind() + ": " + text;
    }
}
