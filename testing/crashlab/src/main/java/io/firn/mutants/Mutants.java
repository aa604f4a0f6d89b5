package io.firn.mutants;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the mutation tests. */
@Command(
        name = "bin/check mutants",
        sortOptions = false,
        description = {
            "Compiles each mutant (the source with one step removed or changed) into a directory of"
                    + " its own and runs the test that should fail with it. The sources are not changed. A"
                    + " mutant is killed if its test fails or does not end within six times its"
                    + " normal duration plus half a minute.",
            ""
        },
        footer = {
            "",
            "Exit code: 0 if every mutant was killed or its survival is explained in the list, and at"
                    + " most one in twenty survived; 1 otherwise; 2 if an argument is wrong."
        })
public final class Mutants implements Callable<Integer> {
    private static final String CATALOGUE = "mutants.txt";
    private static final String SURVIVED = "survived";
    private static final double LEAST_KILLED = 0.95;

    @Option(
            names = "--only",
            paramLabel = "WORDS",
            split = ",",
            description = "Runs only mutants whose names contain one of these words.")
    private List<String> only = List.of();

    @Option(names = "--list", description = "Lists the mutants and runs nothing.")
    private boolean list;

    @Option(
            names = "--results",
            paramLabel = "FILE",
            description = {
                "Stores the results in FILE. Mutants for which FILE already has a result with the"
                        + " same classes are not run again, so an interrupted run can continue.",
            })
    private Path results;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    private boolean help;

    @Spec private CommandSpec spec;

    private final Path root = Path.of(System.getProperty("firn.root", ".")).toAbsolutePath();

    /** Runs the mutants and exits. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Mutants()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Mutant.Catalogue catalogue = catalogue();
        List<Mutant> chosen =
                catalogue.mutants().stream()
                        .filter(each -> only.isEmpty() || isAskedFor(each))
                        .toList();
        for (Mutant each : chosen) {
            each.applyTo(each.readFrom(root));
            if (list) {
                say("%s (%s)", each.name(), each.file());
            }
        }
        int uncovered = only.isEmpty() ? sayUncovered(catalogue) : 0;
        if (list) {
            return 0;
        }
        Path scratch = Files.createTempDirectory("firn-mutants");
        try {
            Results known = new Results(results, Workshop.state(root));
            return run(chosen, new Workshop(root, scratch, known), known) && uncovered == 0 ? 0 : 1;
        } finally {
            delete(scratch);
        }
    }

    private boolean isAskedFor(Mutant mutant) {
        String name = mutant.name().toLowerCase(Locale.ROOT);
        return only.stream().anyMatch(each -> name.contains(each.toLowerCase(Locale.ROOT)));
    }

    private boolean run(List<Mutant> chosen, Workshop workshop, Results known)
            throws IOException, InterruptedException {
        int killed = 0;
        int explained = 0;
        for (Mutant each : chosen) {
            String outcome = known.of(each.name());
            if (outcome == null) {
                try {
                    String by = kill(each, workshop);
                    outcome = by == null ? SURVIVED : by;
                } catch (IOException e) {
                    say("BROKEN    %s%n            %s", each.name(), e.getMessage());
                    continue; // counts as a survivor that nobody explained
                }
                known.add(each.name(), outcome);
            }
            if (!outcome.equals(SURVIVED)) {
                killed++;
                say("killed    %s%n            by %s", each.name(), outcome);
            } else if (each.because().isEmpty()) {
                say("SURVIVED  %s%n            ?", each.name());
            } else {
                explained++;
                say("explained %s%n            %s", each.name(), each.because());
            }
        }
        say(
                "%d of %d mutants killed (%.1f %%); %d survivors explained, %d unexplained.",
                killed,
                chosen.size(),
                100.0 * killed / chosen.size(),
                explained,
                chosen.size() - killed - explained);
        return killed + explained == chosen.size() && killed >= LEAST_KILLED * chosen.size();
    }

    private static String kill(Mutant mutant, Workshop workshop)
            throws IOException, InterruptedException {
        Path classes = workshop.compile(mutant);
        for (String test : mutant.tests()) {
            String failed = workshop.run(test, classes);
            if (failed != null) {
                return failed;
            }
        }
        return null;
    }

    private int sayUncovered(Mutant.Catalogue catalogue) throws IOException {
        int uncovered = 0;
        int exempt = 0;
        List<Sites.Site> sites = Sites.in(root);
        for (Sites.Site site : sites) {
            if (isCovered(root, site, catalogue.mutants())) {
                continue;
            }
            String because = because(site, catalogue.exempt());
            if (because == null) {
                uncovered++;
            } else {
                exempt++;
            }
            say("no mutant %s%n            %s", site, because == null ? "?" : because);
        }
        say(
                "%d call sites that force or verify: %d with a mutant, %d explained, %d unexplained.",
                sites.size(), sites.size() - exempt - uncovered, exempt, uncovered);
        return uncovered;
    }

    static boolean isCovered(Path root, Sites.Site site, List<Mutant> mutants) throws IOException {
        for (Mutant each : mutants) {
            if (each.file().equals(site.file())) {
                int[] lines = each.linesIn(each.readFrom(root));
                if (lines[0] <= site.line() && site.line() <= lines[1]) {
                    return true;
                }
            }
        }
        return false;
    }

    static String because(Sites.Site site, List<Mutant.Exempt> exempt) {
        for (Mutant.Exempt each : exempt) {
            if (each.files().contains(site.file())) {
                return each.because();
            }
        }
        return null;
    }

    static Mutant.Catalogue catalogue() throws IOException {
        try (InputStream in = Mutants.class.getResourceAsStream(CATALOGUE)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return Mutant.parse(text.lines().toList());
        }
    }

    private void say(String format, Object... arguments) {
        spec.commandLine().getOut().printf(Locale.ROOT, format + "%n", arguments);
        spec.commandLine().getOut().flush();
    }

    private static void delete(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(directory)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.deleteIfExists(each);
        }
    }
}
