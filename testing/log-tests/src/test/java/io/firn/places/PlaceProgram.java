package io.firn.places;

import io.firn.Compression;
import io.firn.FirnException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;

/**
 * Uses a store before, during and after something that the system refuses. Each step ends within
 * the limit, in success or in an exception of Firn; afterwards each succeeds, and what was
 * acknowledged is there. Prints one line; the status is 0 if all was as it should be.
 */
final class PlaceProgram {
    private final Path work;
    private final Path directory;
    private final Cause cause;
    private final Compression codec;
    private final Acknowledged acknowledged;
    private final Limited steps;
    private PlaceStore store;

    private PlaceProgram(String[] arguments, PrintStream details) throws IOException {
        work = Path.of(arguments[0]);
        directory = Path.of(arguments[1]);
        cause = Cause.valueOf(arguments[2]);
        codec = Compression.valueOf(arguments[3]);
        acknowledged = new Acknowledged(work.resolve("acknowledged"));
        steps = new Limited(System.out, details);
    }

    /**
     * Wants a directory for its own files, the place, a {@link Cause}, a {@link Compression}, and
     * what to do, one after another: {@code prepare}, {@code trouble} or {@code reopen} or {@code
     * follow}, {@code again}.
     */
    public static void main(String[] arguments) throws Exception {
        Path log = Path.of(arguments[0]).resolve("details");
        try (PrintStream details =
                new PrintStream(Files.newOutputStream(log), true, StandardCharsets.UTF_8)) {
            PlaceProgram program = new PlaceProgram(arguments, details);
            for (String part : Arrays.asList(arguments).subList(4, arguments.length)) {
                program.run(part);
            }
            program.end();
        }
    }

    private void run(String part) throws Exception {
        switch (part) {
            case "prepare" -> prepare();
            case "trouble" -> trouble();
            case "reopen" -> reopen();
            case "follow" -> follow();
            case "again" -> again();
            default -> throw new IllegalArgumentException(part);
        }
    }

    private String open() {
        if (store == null) {
            store = new PlaceStore(directory, codec, acknowledged);
        }
        return "done";
    }

    private String close() {
        PlaceStore open = store;
        store = null;
        if (open != null) {
            open.close();
        }
        return "";
    }

    private void prepare() {
        steps.setUp("open", this::quietly);
        steps.setUp("prepare", () -> store.prepare());
    }

    private String quietly() {
        open();
        return "";
    }

    /** The cause takes at once what a step has given back. */
    private void trouble() throws Exception {
        cause.begin(directory);
        if (mayBeRefused("open", this::open)) {
            use();
        }
        steps.mayBeRefused("close", this::close);
        cause.begin(directory);
        if (mayBeRefused("open again", this::open)) {
            use();
        }
        cause.end(directory);
    }

    /** Opens for writing where that may take space, and reads. */
    private void reopen() throws Exception {
        steps.mustSucceed("close", this::close);
        cause.begin(directory);
        if (steps.mayBeRefused("open", this::open)) {
            steps.mustSucceed("read", store::read);
            steps.mustSucceed("read batches", store::readKeyed);
        }
        steps.mayBeRefused("close", this::close);
        cause.end(directory);
    }

    private void use() throws Exception {
        steps.mayBeRefused("append", store::append);
        steps.mayBeRefused("append batches", store::appendKeyed);
        mayBeRefused("read", store::read);
        steps.mayBeRefused("read batches", store::readKeyed);
        cause.begin(directory);
        steps.mayBeRefused("compact", store::compact);
        cause.begin(directory);
        mayBeRefused("delete", store::delete);
        cause.begin(directory);
        mayBeRefused("delete topic", store::deleteTopic);
        steps.say("findings", store.findings());
    }

    /** What must be possible on a full disk may not be refused there. */
    private boolean mayBeRefused(String name, Callable<String> step) throws InterruptedException {
        if (!cause.leavesReserve()) {
            return steps.mayBeRefused(name, step);
        }
        steps.mustSucceed(name, step);
        return true;
    }

    private void follow() throws Exception {
        steps.mustSucceed("close", this::close);
        Callable<String> follow =
                () ->
                        Follow.run(
                                directory,
                                work.resolve("stop"),
                                acknowledged.of(PlaceStore.PLAIN),
                                () -> new PlaceStore(directory, codec, acknowledged));
        Throwable failure = steps.attempt("follow", follow); // the files change only once
        if (failure != null) {
            steps.fail("follow", failure);
        }
    }

    /** A partition whose medium failed is to be opened again. */
    private void again() throws Exception {
        steps.say("AFTERWARDS", "");
        steps.mustSucceed("open", this::quietly);
        Throwable failure = steps.attempt("append", store::append);
        if (failure instanceof FirnException) {
            steps.mustSucceed("close", this::close);
            steps.mustSucceed("open again", this::open);
        }
        steps.mustSucceed("append", store::append);
        steps.mustSucceed("append batches", store::appendKeyed);
        steps.mustSucceed("compact", store::compact);
        steps.mustSucceed("delete", store::delete);
        steps.mustSucceed("expire", store::expire);
        steps.mustSucceed("delete topic", store::deleteTopic);
        steps.mustSucceed("close", this::close);
        steps.mustSucceed("open again", this::open);
        steps.mustSucceed("read", store::read);
        steps.mustSucceed("read batches", store::readKeyed);
    }

    private void end() throws Exception {
        if (store != null) {
            steps.mayBeRefused("close", this::close);
        }
        acknowledged.save();
    }
}
