package io.firn.trouble;

import io.firn.Finding;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that notes each finding in a line. */
final class NotedFindings implements Finding.Listener {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void onBegin(Finding finding) {
        lines.add("begin " + nameOf(finding));
    }

    @Override
    public void onEnd(Finding finding) {
        lines.add("end " + nameOf(finding));
    }

    /** Returns the fields of a finding that say what it is about. */
    static String nameOf(Finding finding) {
        StringBuilder name = new StringBuilder(finding.kind().toString());
        finding.topic().ifPresent(topic -> name.append(' ').append(topic));
        finding.partition().ifPresent(index -> name.append('-').append(index));
        finding.tier().ifPresent(tier -> name.append(" in ").append(tier));
        finding.fromOffset().ifPresent(from -> name.append(" from ").append(from));
        finding.toOffset().ifPresent(to -> name.append(" to ").append(to));
        return name.toString();
    }

    List<String> linesOf(Finding.Kind kind) {
        return lines.stream().filter(each -> each.contains(kind.toString())).toList();
    }

    List<String> lines() {
        return lines;
    }
}
