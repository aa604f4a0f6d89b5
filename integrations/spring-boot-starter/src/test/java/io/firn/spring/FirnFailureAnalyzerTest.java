package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.InvalidOptionException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;

class FirnFailureAnalyzerTest {
    @TempDir Path directory;

    private static FailureAnalysis analysisOf(Throwable failure) {
        // Some of the others need a context.
        SpringFactoriesLoader loader = SpringFactoriesLoader.forDefaultResourceLocation();
        return loader.load(FailureAnalyzer.class, (type, name, error) -> {}).stream()
                .filter(FirnFailureAnalyzer.class::isInstance)
                .findFirst()
                .orElseThrow()
                .analyze(failure);
    }

    @Test
    void shouldSayWhichProcessHasTheStoreAndWhatToDo() {
        Contexts.in(directory)
                .run(
                        first ->
                                Contexts.in(directory)
                                        .run(
                                                second -> {
                                                    FailureAnalysis analysis =
                                                            analysisOf(second.getStartupFailure());
                                                    assertThat(analysis.getDescription())
                                                            .startsWith("The store did not open: ")
                                                            .contains(directory.toString());
                                                    assertThat(analysis.getAction())
                                                            .startsWith("End the other process")
                                                            .contains("firn.directory");
                                                }));
    }

    @Test
    void shouldSayWhichOptionOfATopicCannotBeChanged() {
        Contexts.in(directory).run(context -> assertThat(context).hasNotFailed());
        Contexts.in(directory)
                .withPropertyValues("firn.topics[0].segment-size=2MB")
                .run(
                        context -> {
                            FailureAnalysis analysis = analysisOf(context.getStartupFailure());
                            assertThat(analysis.getDescription())
                                    .contains("segmentBytes", "orders");
                            assertThat(analysis.getAction()).startsWith("Correct the property");
                        });
    }

    @Test
    void shouldLeaveTheApplicationItsStackTraces() {
        assertThat(analysisOf(new IllegalStateException(new InvalidOptionException("mine"))))
                .isNull();
    }
}
