package io.firn.server;

import static io.firn.shape.SourceShape.exceptions;

import io.firn.shape.SourceShape;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shape of the sources of the server, and of the modules that are too small for a test. */
@FirstRunOnly
class SourceShapeTest {
    private static final int MOST_SMALL_CLASSES = 50;

    /** Methods with many parameters, each with its reason. */
    private static final Map<String, String> MANY_PARAMETERS =
            exceptions(
                    """
                    ActiveFile.new: what a reserved file is made of
                    FileBlock.new: what a reserved file is made of
                    FileCopy.new: what a reserved file is made of
                    """);

    private static SourceShape of(String module) {
        return new SourceShape(Path.of("..", module, "src/main/java"));
    }

    @Test
    void theServerShouldHaveFewSmallClasses() {
        of("netty-server").checkSmallClasses(MOST_SMALL_CLASSES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"netty-server", "migrator", "tier-file", "tier-pmem", "shadow", "forward"})
    void methodsShouldBeShortAndClassesShouldHaveNamesOfTheirOwn(String module) {
        SourceShape shape = of(module);
        shape.checkParameters(module.equals("tier-file") ? MANY_PARAMETERS : Map.of());
        shape.checkMethodLines(Map.of());
        shape.checkNames(Map.of());
    }
}
