package io.firn.crashlab;

import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.pmem.PmemTier;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * The places where Firn's code calls a medium, taken from the class files, and which of these calls
 * an injected fault has hit. Thread-safe.
 */
final class CallSites {
    /** The types whose methods may fail. PmemMemory is not visible here. */
    private static final List<String> TYPES =
            List.of(
                    FileMedium.class.getName(),
                    MediumFile.class.getName(),
                    Mapping.class.getName(),
                    "io.firn.pmem.PmemMemory");

    private static final Pattern CALL =
            Pattern.compile(
                    "\\s+(\\d+): invokeinterface .*// InterfaceMethod ("
                            + String.join("|", TYPES).replace('.', '/').replace("$", "\\$")
                            + ")\\.(\\w+):.*");
    private static final Pattern LINE = Pattern.compile("\\s+line (\\d+): (\\d+)");

    /** Methods that cannot fail or that release something. */
    private static final Set<String> HARMLESS =
            Set.of("exists", "close", "unmap", "buffer", "bytes");

    /** Methods that need space. */
    private static final Set<String> ALLOCATING =
            Set.of("write", "create", "createDirectories", "createDirectory");

    /** Media themselves, and programs that inspect or repair a store that does not open. */
    private static final Pattern OUTSIDE =
            Pattern.compile(
                    ".*(RealFile|RealMapping|FilterFileMedium|WithoutLinks|FilterMediumFile|FilterMapping"
                            + "|FileLocks|MappedMemory|LibpmemMemory|LlplMemory"
                            + "|Inspector|Inspection|PoolLook|PoolRepair|PmemProvider|Emulation).*");

    private static final StackWalker WALKER = StackWalker.getInstance();

    private final Set<String> failed = new ConcurrentSkipListSet<>();
    private final Set<String> full = new ConcurrentSkipListSet<>();

    /** Returns the call site in Firn's code of the call on a medium that is being executed. */
    static String current() {
        return WALKER.walk(
                frames ->
                        frames.filter(each -> isInFirn(each.getClassName()))
                                .findFirst()
                                .map(each -> site(each.getClassName(), each.getLineNumber()))
                                .orElse("?"));
    }

    /** Returns the call site with the kind of the operation, of which one call may make several. */
    static String current(String operation) {
        return current() + " " + operation.substring(0, operation.indexOf('/')).split(" \\d")[0];
    }

    private static boolean isInFirn(String name) {
        return name.startsWith("io.firn.")
                && !name.startsWith("io.firn.sim.")
                && !name.startsWith("io.firn.crashlab.")
                && !name.startsWith("io.firn.pmem.SimulatedPmem")
                && !name.startsWith("io.firn.pmem.PmemMemory")
                && !name.startsWith("io.firn.pmem.MappedMemory")
                && !name.equals(MediumFile.class.getName());
    }

    private static String site(String className, int line) {
        return nameOf(className).replaceAll("\\$.*", "") + ":" + line;
    }

    /** Notes that the call that is being executed fails. */
    void fails() {
        failed.add(current());
    }

    /** Notes that the call that is being executed finds no space. */
    void findsNoSpace() {
        full.add(current());
    }

    /** Returns how many call sites there are, how many were hit, and which were not. */
    String report() {
        Map<String, String> all = inClassFiles();
        StringBuilder out = new StringBuilder();
        report("an error", all, failed, out);
        all.values().removeIf(method -> !ALLOCATING.contains(nameOf(method)));
        report("a lack of space", all, full, out);
        return out.toString();
    }

    private static void report(
            String what, Map<String, String> all, Set<String> hit, StringBuilder out) {
        Set<String> missed = new TreeSet<>(all.keySet());
        missed.removeAll(hit);
        out.append(
                String.format(
                        "%d call sites of the media, %d hit by %s%n",
                        all.size(), all.size() - missed.size(), what));
        for (String each : missed) {
            out.append("    not hit: ").append(each).append(' ').append(all.get(each)).append('\n');
        }
    }

    /** Returns the method that is called (as Type.name) by call site. */
    static Map<String, String> inClassFiles() {
        Map<String, String> sites = new TreeMap<>();
        ToolProvider javap = ToolProvider.findFirst("javap").orElseThrow();
        for (Class<?> module : List.of(FileMedium.class, FileTier.class, PmemTier.class)) {
            for (String file : classFiles(module)) {
                String name = file.replaceAll(".*[/\\\\]|[$.].*$", "");
                if (!OUTSIDE.matcher(name).matches()) {
                    StringWriter out = new StringWriter();
                    PrintWriter printer = new PrintWriter(out);
                    javap.run(printer, printer, "-c", "-l", "-p", file);
                    collect(name, out.toString().lines().toList(), sites);
                }
            }
        }
        return sites;
    }

    private static String nameOf(String qualified) {
        return qualified.substring(qualified.lastIndexOf('.') + 1);
    }

    /** Returns the class files of a module, as javap names them: in a directory or in a jar. */
    private static List<String> classFiles(Class<?> module) {
        try {
            URI location = module.getProtectionDomain().getCodeSource().getLocation().toURI();
            Path root = Path.of(location);
            if (Files.isDirectory(root)) {
                try (Stream<Path> walk = Files.walk(root)) {
                    return walk.map(Path::toString)
                            .filter(each -> each.endsWith(".class"))
                            .sorted()
                            .toList();
                }
            }
            try (JarFile jar = new JarFile(root.toFile())) {
                return jar.stream()
                        .map(JarEntry::getName)
                        .filter(each -> each.endsWith(".class"))
                        .map(each -> "jar:" + location + "!/" + each)
                        .sorted()
                        .toList();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** For each method, javap prints the instructions first and then the table of line numbers. */
    private static void collect(String name, List<String> lines, Map<String, String> sites) {
        TreeMap<Integer, String> calls = new TreeMap<>();
        TreeMap<Integer, Integer> lineOf = new TreeMap<>();
        for (String line : lines) {
            Matcher call = CALL.matcher(line);
            Matcher number = LINE.matcher(line);
            if (call.matches()) {
                if (!HARMLESS.contains(call.group(3))) {
                    String type = nameOf(call.group(2).replace('/', '.'));
                    calls.put(Integer.parseInt(call.group(1)), type + "." + call.group(3));
                }
            } else if (number.matches()) {
                lineOf.put(Integer.parseInt(number.group(2)), Integer.parseInt(number.group(1)));
            } else if (line.isBlank()) {
                calls.forEach(
                        (at, method) ->
                                sites.put(name + ":" + lineOf.floorEntry(at).getValue(), method));
                calls.clear();
                lineOf.clear();
            }
        }
    }
}
