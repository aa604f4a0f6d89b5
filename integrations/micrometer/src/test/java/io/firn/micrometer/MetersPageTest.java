package io.firn.micrometer;

import io.firn.help.GeneratedPart;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MetersPageTest {
    @Test
    void shouldListAllMeters() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        Measures.STORE.forEach(each -> rows.put(each.name(), row(each, "")));
        Measures.FINDING.forEach(each -> rows.put(each.name(), row(each, "`kind`, `severity`")));
        Measures.TIER.forEach(each -> rows.put(each.name(), row(each, "`tier`")));
        Measures.TOPIC.forEach(each -> rows.put(each.name(), row(each, "`topic`")));
        Measures.CURSOR.forEach(each -> rows.put(each.name(), row(each, "`topic`, `cursor`")));
        List<String> lines = List.copyOf(rows.values());
        GeneratedPart.check(
                "docs/reference/metrics.md",
                "Micrometer",
                "| meter | tags | meaning |\n|---|---|---|\n" + String.join("\n", lines));
    }

    private static String row(Measure<?> measure, String tags) {
        return "| `" + measure.name() + "` | " + tags + " | " + measure.meaning() + " |";
    }
}
