package io.firn.tools;

import io.firn.InvalidOptionException;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** Which partitions of a topic are read. */
final class PartitionChoice {
    @Option(
            names = "--partition",
            paramLabel = "N",
            split = ",",
            description = "Reads only this partition; numbers with commas between them")
    private List<Integer> partitions = List.of();

    /**
     * Returns the numbers; none for all partitions.
     *
     * @throws InvalidOptionException when one is wrong, whatever the topic is
     */
    List<Integer> numbers() {
        if (Set.copyOf(partitions).size() < partitions.size()) {
            throw new InvalidOptionException("--partition has a number twice: " + partitions);
        }
        partitions.stream()
                .filter(each -> each < 0)
                .findFirst()
                .ifPresent(
                        each -> {
                            throw new InvalidOptionException(
                                    "--partition: 0 or more is expected, found " + each);
                        });
        return partitions;
    }
}
