package io.firn.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The lines of Firn's code that force something or verify a checksum. */
final class Sites {
    private static final List<String> MODULES = List.of("queue-core", "tier-file", "tier-pmem");
    private static final Pattern CALL =
            Pattern.compile(
                    "\\b(force|forceDirectory|storeAndForce|forceNames|persist|flush)\\("
                            + "|(==|!=) crc\\(|crc\\.getValue\\(\\) (==|!=)"
                            + "|Extent\\.of\\(bytes\\)\\.equals|stored != computed"
                            + "|found\\.equals\\(expected\\)|taken\\.getValue\\(\\) != ");

    /** Declarations and comments are not calls. */
    private static final Pattern NO_CALL =
            Pattern.compile(
                    "^\\s*(\\*|//|/\\*).*"
                            + "|^\\s*(public |private |default |static )*"
                            + "(void|boolean|int) \\w+\\(.*(\\{|;)\\s*$");

    private Sites() {}

    /** A line of a file. */
    record Site(Path file, int line, String code) {

        @Override
        public String toString() {
            return file + ":" + line + ": " + code.strip();
        }
    }

    static List<Site> in(Path root) throws IOException {
        List<Site> sites = new ArrayList<>();
        for (String module : MODULES) {
            Path sources = root.resolve(module).resolve("src/main/java");
            List<Path> files;
            try (Stream<Path> walk = Files.walk(sources)) {
                files = walk.filter(each -> each.toString().endsWith(".java")).sorted().toList();
            }
            for (Path file : files) {
                List<String> lines = Files.readAllLines(file);
                for (int i = 0; i < lines.size(); i++) {
                    String line = lines.get(i);
                    if (CALL.matcher(line).find() && !NO_CALL.matcher(line).matches()) {
                        sites.add(new Site(root.relativize(file), i + 1, line));
                    }
                }
            }
        }
        return sites;
    }
}
