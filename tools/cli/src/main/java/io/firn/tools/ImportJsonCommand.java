package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.StoredRecord;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Appends the records of lines of JSON. */
@Command(
        name = "json",
        description = {
            "Imports the lines of JSON that firn export and firn tail --json write.",
            "",
            "A record keeps its partition, timestamp, key, value and headers; its offset is a new one."
                    + " A field that is missing is null, a timestamp that is missing is now. It ends"
                    + " when all are durable, and at a line that is wrong: those before it stay.",
            ""
        })
final class ImportJsonCommand implements Callable<Integer> {
    @Mixin private Place place;

    @Mixin private LineSource lines;

    @Option(
            names = "--text",
            description = "Keys and values are text, as firn export --text writes them")
    private boolean isText;

    @Option(
            names = "--by-key",
            description =
                    "Chooses the partition by the key, for a topic with another number of"
                            + " partitions. Default: the partition in the line")
    private boolean isByKey;

    @Mixin private Output output;

    private final InputStream standardInput;

    ImportJsonCommand() {
        this(System.in);
    }

    ImportJsonCommand(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws IOException {
        JsonRecords records = new JsonRecords(isText);
        output.print(
                RecordSink.appendAll(
                        place,
                        lines.topic(),
                        sink ->
                                lines.forEach(
                                        standardInput,
                                        (line, where) -> append(records, line, where, sink),
                                        sink::flush)));
        return Exit.FINE;
    }

    private void append(JsonRecords records, byte[] line, String where, RecordSink sink) {
        StoredRecord record;
        try {
            record = records.read(line);
        } catch (IOException e) {
            throw new InvalidOptionException(where + ": " + e.getMessage());
        }
        if (record == null) {
            return; // an empty line
        }
        if (isByKey || record.partition() < 0) {
            record =
                    new StoredRecord(
                            -1,
                            -1,
                            record.timestamp(),
                            record.key(),
                            record.value(),
                            record.headers());
        }
        sink.append(record);
    }
}
