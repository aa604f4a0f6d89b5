import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import org.osgi.framework.wiring.FrameworkWiring;

/**
 * Starts Firn's bundles in an OSGi framework, and runs programs as a bundle beside them: {@code
 * java -cp FRAMEWORK Bundles.java CLASSPATH WORK CLASSES PROGRAM...}. WORK is an empty directory,
 * CLASSES that of the compiled programs, each of which gets a directory as its argument.
 */
public final class Bundles {
    private Bundles() {}

    public static void main(String[] args) throws Exception {
        Path work = Path.of(args[1]);
        Framework framework =
                ServiceLoader.load(FrameworkFactory.class)
                        .findFirst()
                        .orElseThrow()
                        .newFramework(Map.of(Constants.FRAMEWORK_STORAGE, work + "/framework"));
        framework.start();
        BundleContext context = framework.getBundleContext();
        Map<Bundle, Path> bundles = new LinkedHashMap<>();
        for (String each : args[0].split(File.pathSeparator)) {
            Path file = Path.of(each);
            Path bundle = isBundle(file) ? file : asBundle(file, work);
            bundles.put(context.installBundle(bundle.toUri().toString()), file);
        }
        replaceUnresolved(bundles, context, work);
        Path program = asProgram(Path.of(args[2]), work);
        Bundle application = context.installBundle(program.toUri().toString());
        for (Bundle each : bundles.keySet()) {
            if (isOurs(each)) {
                each.start(); // fails with what it lacks
            }
        }
        application.start();
        // Kafka's clients then look for classes in their own bundle.
        Thread.currentThread().setContextClassLoader(null);
        for (String name : List.of(args).subList(3, args.length)) {
            application
                    .loadClass(name)
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) new String[] {work.resolve(name).toString()});
        }
        System.err.println(
                "In OSGi: "
                        + bundles.keySet().stream()
                                .filter(Bundles::isOurs)
                                .map(Bundle::getSymbolicName)
                                .sorted()
                                .collect(Collectors.joining(", ")));
        framework.stop();
        framework.waitForStop(0);
    }

    private static boolean isOurs(Bundle bundle) {
        return bundle.getSymbolicName().startsWith("io.firn");
    }

    private static boolean isBundle(Path file) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            Manifest manifest = jar.getManifest();
            return manifest != null
                    && manifest.getMainAttributes().getValue(Constants.BUNDLE_SYMBOLICNAME) != null;
        }
    }

    /** Some libraries are bundles, but need others that only a real application has. */
    private static void replaceUnresolved(
            Map<Bundle, Path> bundles, BundleContext context, Path work)
            throws IOException, BundleException {
        FrameworkWiring wiring = context.getBundle(0).adapt(FrameworkWiring.class);
        wiring.resolveBundles(bundles.keySet());
        for (Bundle each : List.copyOf(bundles.keySet())) {
            if (!isOurs(each) && each.getState() == Bundle.INSTALLED) {
                Path file = bundles.remove(each);
                each.uninstall();
                String bundle = asBundle(file, work).toUri().toString();
                bundles.put(context.installBundle(bundle), file);
                System.err.println("Not as the bundle that it is: " + file.getFileName());
            }
        }
    }

    /** Makes a bundle of a library that exports all its packages and imports what it needs. */
    private static Path asBundle(Path file, Path work) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            Manifest manifest = new Manifest();
            String name = file.getFileName().toString();
            // Of its version, the numbers.
            String version = name.replaceAll(".*?-([0-9]+(\\.[0-9]+){0,2}).*", "$1");
            String packages =
                    jar.stream()
                            .map(ZipEntry::getName)
                            .filter(each -> each.endsWith(".class") && each.contains("/"))
                            .filter(each -> !each.startsWith("META-INF"))
                            .map(each -> each.substring(0, each.lastIndexOf('/')).replace('/', '.'))
                            .distinct()
                            .map(each -> each + ";version=\"" + version + '"')
                            .collect(Collectors.joining(","));
            Attributes headers = manifest.getMainAttributes();
            headers.put(Attributes.Name.MANIFEST_VERSION, "1.0");
            headers.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
            headers.putValue(Constants.BUNDLE_SYMBOLICNAME, name.replaceAll("-[0-9].*", ""));
            headers.putValue(Constants.EXPORT_PACKAGE, packages);
            headers.putValue(Constants.DYNAMICIMPORT_PACKAGE, "*");
            Path bundle = work.resolve(file.getFileName());
            try (JarOutputStream out =
                    new JarOutputStream(Files.newOutputStream(bundle), manifest)) {
                for (var entry : (Iterable<java.util.jar.JarEntry>) jar.stream()::iterator) {
                    if (!entry.getName().equals(JarFile.MANIFEST_NAME)
                            && !entry.getName().equals("META-INF/")) {
                        out.putNextEntry(new ZipEntry(entry.getName()));
                        jar.getInputStream(entry).transferTo(out);
                    }
                }
            }
            return bundle;
        }
    }

    private static Path asProgram(Path classes, Path work) throws IOException {
        Manifest manifest = new Manifest();
        Attributes headers = manifest.getMainAttributes();
        headers.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        headers.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
        headers.putValue(Constants.BUNDLE_SYMBOLICNAME, "application");
        headers.putValue(
                Constants.IMPORT_PACKAGE,
                "io.firn,io.firn.file,io.firn.migrator,io.firn.pmem,io.firn.bytes,io.firn.shadow,"
                        + "io.firn.forward,"
                        + "io.firn.server,io.firn.junit");
        headers.putValue(Constants.DYNAMICIMPORT_PACKAGE, "*");
        Path bundle = work.resolve("application.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(bundle), manifest);
                var files = Files.walk(classes)) {
            for (Path each : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                out.putNextEntry(new ZipEntry(classes.relativize(each).toString()));
                Files.copy(each, out);
            }
        }
        return bundle;
    }
}
