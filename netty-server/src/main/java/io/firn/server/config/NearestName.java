package io.firn.server.config;

import java.util.Collection;
import java.util.Locale;

/** Finds the name that a misspelt one was probably meant to be. */
final class NearestName {
    private NearestName() {}

    /** Returns the candidate with the fewest edits (Levenshtein 1965). */
    static String to(String name, Collection<String> candidates) {
        String nearest = "";
        int least = Integer.MAX_VALUE;
        for (String candidate : candidates) {
            int edits = edits(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (edits < least) {
                least = edits;
                nearest = candidate;
            }
        }
        return nearest;
    }

    private static int edits(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
