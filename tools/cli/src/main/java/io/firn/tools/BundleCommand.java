package io.firn.tools;

import io.firn.InvalidOptionException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Collects what a bug report needs. */
@Command(
        name = "bundle",
        description = {
            "Collects in one archive what a bug report needs: lists it, and with --output writes it.",
            "",
            "Versions, the answers of doctor, stat, topics list and verify, the names and sizes of the"
                    + " files, and of the process that has the store open its threads. With"
                    + " --config also the configuration without its secrets, and health and metrics"
                    + " of the server if it has a management.listener. Keys and values of records"
                    + " are never in it; names of topics, groups, files and machines are.",
            ""
        })
final class BundleCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "STORE", description = StoreArguments.STORE)
    private Path directory;

    @Mixin private StoreArguments storeArguments;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The server.properties of the server")
    private Path config;

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description = "A file to which the process logs; its last lines are taken")
    private Path log;

    @Option(
            names = "--lines",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How many lines of the log. Default: ${DEFAULT-VALUE}")
    private int lines;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "The ZIP file to create; only its owner can read it")
    private Path output;

    @Mixin private Output answer;

    BundleCommand() {}

    @Override
    public Integer call() throws IOException {
        if (lines < 0) {
            throw new InvalidOptionException("--lines: 0 or more is expected, found " + lines);
        }
        List<Path> directories = storeArguments.existingDirectories(directory);
        BundleContents contents = new BundleContents();
        contents.versions();
        contents.commands(directory, directories, storeArguments.words());
        contents.files(directories);
        contents.process(directories.get(0));
        if (config != null) {
            contents.server(config);
        }
        if (log != null) {
            contents.log(log, lines);
        }
        Table table = new Table("contents").texts("file").bytes("size").texts("content");
        contents.all().forEach((name, each) -> table.row(name, each.bytes().length, each.what()));
        answer.print(table);
        if (output == null) {
            answer.say("%nNothing was written: --output=FILE writes it.");
        } else {
            write(contents.all());
            answer.say("%nWritten to %s. Look at it before you send it.", output);
        }
        return Exit.FINE;
    }

    private void write(Map<String, BundleContents.Part> all) throws IOException {
        try (OutputStream file = Files.newOutputStream(output, StandardOpenOption.CREATE_NEW)) {
            OwnFile.restrict(output);
            try (ZipOutputStream zip = new ZipOutputStream(file)) {
                for (Map.Entry<String, BundleContents.Part> each : all.entrySet()) {
                    zip.putNextEntry(new ZipEntry("firn-bundle/" + each.getKey()));
                    zip.write(each.getValue().bytes());
                    zip.closeEntry();
                }
            }
        } catch (FileAlreadyExistsException e) {
            throw new InvalidOptionException(output + " exists already: name another file");
        } catch (NoSuchFileException e) {
            throw new InvalidOptionException(
                    output + " cannot be created: its directory does not exist");
        }
    }
}
