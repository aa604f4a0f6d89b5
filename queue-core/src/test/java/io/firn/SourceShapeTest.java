package io.firn;

import static io.firn.shape.SourceShape.exceptions;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.shape.JavaSources;
import io.firn.shape.JavaSources.SourceFile;
import io.firn.shape.SourceShape;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The size and shape of the core's sources: few small classes, short methods with few parameters,
 * one name for one thing, and the table of the packages in docs/internals/architecture.md.
 *
 * <p>Code lines are lines that have more than blanks and comments. Bounds are there to be lowered:
 * lower them when the sources have become smaller.
 */
class SourceShapeTest {
    private static final int MOST_SMALL_CLASSES = 104;
    private static final int MOST_CODE_LINES = 45_720;

    /** In the table of the page, sizes may differ by so much from what they are. */
    private static final double TOLERANCE = 0.10;

    /** Methods with more parameters than others, each with its reason. */
    private static final Map<String, String> MANY_PARAMETERS =
            exceptions(
                    """
                    StoredRecord.new: as many as a record has parts
                    TierRemains.new: what is left of a tier, each part once
                    HeaderBytes.write: all fields of a batch's header, in the order of the format
                    PlainShape.learn: called for each record; an object for the arguments would be allocated
                    RecordFlyweight.batch: called for each batch; sets the fields of a flyweight
                    RecordTimes.open: called for each batch; sets the fields of a flyweight
                    RecordEncoder.store: called for each record; an object for the arguments would be allocated
                    CalledWrites.write: called for each batch; an object for the arguments would be allocated
                    BatchTooLargeException.new: what the exception tells its reader
                    TruncatedException.new: what the exception tells its reader
                    HeapBudget.new: a row of the table of limits
                    Mark.new: all fields of a mark, in the order of the format
                    """);

    /** Methods with more lines than others, each with its reason. */
    private static final Map<String, String> LONG_METHODS =
            exceptions(
                    """
                    """);

    /** Methods with {@code Object} in their signature, each with its reason. */
    private static final Map<String, String> USES_OF_OBJECT =
            exceptions(
                    """
                    TopicOptions.defaultValues: the values of options have several types
                    TopicOptions.new: the values of options have several types
                    TopicOptions.with: the values of options have several types
                    GuardedLog.log: as System.Logger
                    Report.say: as String.format
                    Report.flaw: as String.format
                    LogState.retaining: a monitor
                    FileMedium.identityOf: the file system's own key of a file, which has only equals
                    FilterFileMedium.identityOf: the file system's own key of a file
                    FileLocks.refuseHeld: the file system's own keys of a file
                    FileLocks.fileKeyOf: the file system's own key of a file
                    FileLocks.keysOf: the file system's own keys of a file
                    SharedLocks.keyOf: the file system's own key of a file
                    SharedLocks.open: the file system's own key of a file
                    Opened.new: the file system's own key of a file
                    Held.new: the file system's own key of a file
                    Held.identity: the file system's own key of a file
                    MediumLock.identity: the file system's own key of a file
                    SendableFile.new: the file system's own key of a file
                    TopicFiles.identity: the file system's own key of a file
                    PriorWriter.describe: the file system's own key of a file
                    PriorWriter.textOf: the file system's own key of a file
                    FollowedOffsetsFile.identityOf: the file system's own key of a file
                    StoreInspection.known: shown by its text: an identity, or that it is not known
                    UnreadPartitions.new: held weakly, to notice that it was collected
                    ByArena.close: java.lang.foreign.Arena, which JDK 17 does not have
                    OptionValues.shown: the values of options have several types
                    """);

    /**
     * Names that two classes have, each with its reason. Classes that are nested in others may have
     * equal names, since they are read with the outer one's, but not that of a top-level class.
     */
    private static final Map<String, String> EQUAL_NAMES =
            exceptions(
                    """
                    """);

    private static final SourceShape SHAPE = new SourceShape(Path.of("src/main/java"));
    private static final JavaSources CORE = SHAPE.sources();

    @Test
    void methodsShouldHaveAtMostFiveParameters() {
        SHAPE.checkParameters(MANY_PARAMETERS);
    }

    @Test
    void methodsShouldFitOnOneScreen() {
        SHAPE.checkMethodLines(LONG_METHODS);
    }

    @Test
    void signaturesShouldNotSayObjectWhereATypeIsKnown() {
        SHAPE.checkObjects(USES_OF_OBJECT);
    }

    @Test
    void noTwoClassesShouldHaveOneName() {
        SHAPE.checkNames(EQUAL_NAMES);
    }

    @Test
    void fewClassesShouldBeSmall() {
        SHAPE.checkSmallClasses(MOST_SMALL_CLASSES);
    }

    @Test
    void theCoreShouldNotGrow() {
        SHAPE.checkCodeLines(MOST_CODE_LINES);
    }

    // ---- the table of the packages

    private record Size(int classes, int codeLines) {
        Size plus(Size other) {
            return new Size(classes + other.classes, codeLines + other.codeLines);
        }

        boolean isNear(Size shown) {
            return isNear(classes, shown.classes, 2) && isNear(codeLines, shown.codeLines, 100);
        }

        private static boolean isNear(int is, int shown, int always) {
            return Math.abs(is - shown) <= Math.max(always, is * TOLERANCE);
        }
    }

    private static final Pattern ROW =
            Pattern.compile("\\| `(io\\.firn[\\w.]*)` \\| (.*) \\| (\\d+) \\| ([\\d,]+) \\|");

    @Test
    void theArchitecturePageShouldShowThePackagesAsTheyAre() throws IOException {
        Map<String, Size> sizes = new TreeMap<>();
        for (SourceFile each : CORE.files()) {
            sizes.merge(each.packageName(), new Size(1, each.codeLines()), Size::plus);
        }
        Map<String, Matcher> rows = new TreeMap<>();
        for (String line : page()) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.put(row.group(1), row);
            }
        }
        boolean isAsItIs = rows.keySet().equals(sizes.keySet());
        for (Matcher row : isAsItIs ? rows.values() : List.<Matcher>of()) {
            int lines = Integer.parseInt(row.group(4).replace(",", ""));
            Size shown = new Size(Integer.parseInt(row.group(3)), lines);
            isAsItIs &= sizes.get(row.group(1)).isNear(shown);
            isAsItIs &= row.group(2).equals(CORE.purposes().get(row.group(1)));
        }
        assertTrue(
                isAsItIs,
                () -> "replace the table in docs/internals/architecture.md by\n" + table(sizes));
    }

    private static String table(Map<String, Size> sizes) {
        StringBuilder table = new StringBuilder();
        sizes.forEach(
                (name, size) ->
                        table.append(
                                String.format(
                                        Locale.ROOT,
                                        "| `%s` | %s | %d | %,d |%n",
                                        name,
                                        CORE.purposes().get(name),
                                        size.classes,
                                        Math.round(size.codeLines / 100.0) * 100)));
        return table.toString();
    }

    private static List<String> page() throws IOException {
        return Files.readAllLines(
                Path.of("../docs/internals/architecture.md"), StandardCharsets.UTF_8);
    }

    // ---- the reader of the sources

    @Test
    void shouldCountLinesThatHaveMoreThanBlanksAndComments() {
        String source =
                """
                /** Not counted. */
                class A { // counted

                    /* neither this
                     * nor this */ int a = '"'; /* this is
                     */ String b = "// \\" /*"; // and this
                    // this is not
                }
                """;

        assertEquals(4, JavaSources.codeLines(source));
        String quotes = "\"".repeat(3);
        assertEquals(3, JavaSources.codeLines("a = " + quotes + "\n// text\n\n" + quotes + ";\n"));
    }
}
