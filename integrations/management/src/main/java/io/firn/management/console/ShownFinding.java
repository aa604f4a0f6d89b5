package io.firn.management.console;

import io.firn.Finding;
import java.util.Locale;

/** A finding, as the page shows it. */
record ShownFinding(
        String severity,
        String kind,
        String topic,
        Integer partition,
        String tier,
        long sinceMs,
        String text) {

    static ShownFinding of(Finding finding) {
        return new ShownFinding(
                finding.severity().name().toLowerCase(Locale.ROOT),
                finding.kind().name(),
                finding.topic().orElse(null),
                finding.partition().isPresent() ? finding.partition().getAsInt() : null,
                finding.tier().orElse(null),
                finding.since().toEpochMilli(),
                finding.text());
    }
}
