import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Checks the files of a release, as Maven Central and users need them: {@code java
 * ReleaseFiles.java REPOSITORY VERSION}. Prints what is wrong; the exit code is 1 then.
 */
public final class ReleaseFiles {
    private static final Map<String, String> CHECKSUMS =
            Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512");

    /** Elements of a pom that Maven Central asks for, in the pom or its parent. */
    private static final List<List<String>> REQUIRED =
            List.of(
                    List.of("name"),
                    List.of("description"),
                    List.of("url"),
                    List.of("licenses", "license", "name"),
                    List.of("licenses", "license", "url"),
                    List.of("developers", "developer", "name"),
                    List.of("scm", "connection"),
                    List.of("scm", "url"));

    private final Path group;
    private final String version;
    private final List<String> flaws = new ArrayList<>();
    private boolean isSigned;

    private ReleaseFiles(Path repository, String version) {
        group = repository.resolve("io/firn");
        this.version = version;
    }

    public static void main(String[] args) throws Exception {
        ReleaseFiles release = new ReleaseFiles(Path.of(args[0]), args[1]);
        int artifacts = release.check();
        release.flaws.forEach(System.err::println);
        if (!release.flaws.isEmpty()) {
            System.exit(1);
        }
        System.err.println(
                artifacts + " artifacts are complete" + (release.isSigned ? " and signed." : "."));
    }

    private int check() throws Exception {
        Set<String> found = names(group);
        Set<String> expected = new TreeSet<>(List.of("firn-bom", "firn-parent"));
        Element bom = pom("firn-bom");
        for (Element each : children(child(child(bom, "dependencyManagement"), "dependencies"))) {
            expected.add(text(each, "artifactId"));
        }
        require(found.equals(expected), "artifacts: expected " + expected + ", found " + found);
        try (Stream<Path> files = Files.walk(group)) {
            isSigned = files.anyMatch(each -> each.toString().endsWith(".asc"));
        }
        for (String artifact : found) {
            checkFiles(artifact);
            checkPom(artifact, found);
        }
        return found.size();
    }

    private Path file(String artifact, String ending) {
        return group.resolve(artifact).resolve(version).resolve(artifact + "-" + version + ending);
    }

    private void checkFiles(String artifact) throws Exception {
        Set<String> versions = names(group.resolve(artifact));
        require(versions.equals(Set.of(version)), artifact + " has the versions " + versions);
        Set<String> endings = new TreeSet<>(Set.of(".pom"));
        if (!artifact.equals("firn-bom")) {
            endings.add("-cyclonedx.json");
        }
        if (text(pom(artifact), "packaging").isEmpty()) {
            endings.addAll(Set.of(".jar", "-sources.jar", "-javadoc.jar"));
            checkJar(artifact);
        }
        Set<String> files = new TreeSet<>();
        for (String ending : endings) {
            Path file = file(artifact, ending);
            files.add(file.getFileName().toString());
            checkSums(file, files);
        }
        Set<String> found = names(group.resolve(artifact).resolve(version));
        require(found.equals(files), artifact + ": expected " + files + ", found " + found);
    }

    private void checkSums(Path file, Set<String> files)
            throws IOException, GeneralSecurityException {
        byte[] content = Files.readAllBytes(file);
        for (Map.Entry<String, String> each : CHECKSUMS.entrySet()) {
            Path sums = file.resolveSibling(file.getFileName() + "." + each.getKey());
            byte[] sum = MessageDigest.getInstance(each.getValue()).digest(content);
            require(
                    Files.readString(sums).equals(HexFormat.of().formatHex(sum)),
                    sums + " is not the checksum of its file");
            files.add(sums.getFileName().toString());
        }
        if (isSigned) {
            files.add(file.getFileName() + ".asc");
        }
    }

    private void checkPom(String artifact, Set<String> published) throws Exception {
        Element pom = pom(artifact);
        boolean hasParent = !children(pom, "parent").isEmpty();
        for (List<String> path : REQUIRED) {
            boolean isThere =
                    isPresent(pom, path) || hasParent && isPresent(pom("firn-parent"), path);
            require(isThere, artifact + "'s pom has no " + String.join("/", path));
        }
        String written = Files.readString(file(artifact, ".pom"));
        require(!written.contains("SNAPSHOT"), artifact + "'s pom names a snapshot");
        if (artifact.equals("firn-parent") || children(pom, "dependencies").isEmpty()) {
            return;
        }
        for (Element each : children(child(pom, "dependencies"))) {
            boolean isOurs = text(each, "groupId").equals("io.firn");
            boolean isNeeded = !Set.of("test", "provided").contains(text(each, "scope"));
            require(
                    !isOurs || !isNeeded || published.contains(text(each, "artifactId")),
                    artifact + " depends on " + text(each, "artifactId") + ", not published");
        }
    }

    private void checkJar(String artifact) throws Exception {
        try (JarFile jar = new JarFile(file(artifact, ".jar").toFile())) {
            Attributes manifest = jar.getManifest().getMainAttributes();
            for (String name : List.of("Implementation-Title", "Bundle-SymbolicName")) {
                require(manifest.getValue(name) != null, artifact + "'s manifest has no " + name);
            }
            for (String name : List.of("Implementation-Version", "Bundle-Version")) {
                String value = manifest.getValue(name);
                require(version.equals(value), artifact + "'s manifest: " + name + ": " + value);
            }
            require(jar.getEntry("META-INF/LICENSE") != null, artifact + "'s jar has no licence");
            checkExports(artifact, manifest);
        }
        Set<String> sources = packages(file(artifact, "-sources.jar"), ".java");
        for (String each : packages(file(artifact, ".jar"), ".class")) {
            require(
                    sources.contains(each) || each.contains("/shaded/"),
                    artifact + "'s sources lack those of " + each);
        }
        require(
                entries(file(artifact, "-javadoc.jar")).contains("index.html"),
                artifact + "'s Javadoc has no index.html");
    }

    /** A bundle exports what the module does; to friends, what the module exports to them. */
    private void checkExports(String artifact, Attributes manifest) {
        Optional<ModuleDescriptor> module =
                ModuleFinder.of(file(artifact, ".jar")).findAll().stream()
                        .findFirst()
                        .map(each -> each.descriptor());
        require(module.isPresent(), artifact + " is no module");
        boolean isNamed = module.map(each -> !each.isAutomatic()).orElse(false);
        require(
                isNamed || manifest.getValue("Automatic-Module-Name") != null,
                artifact + " has no module name");
        if (!isNamed) {
            return;
        }
        Set<String> ofModule = new TreeSet<>();
        for (ModuleDescriptor.Exports each : module.get().exports()) {
            ofModule.add(each.source() + new TreeSet<>(each.targets()));
        }
        Set<String> ofBundle = new TreeSet<>();
        String header = Optional.ofNullable(manifest.getValue("Export-Package")).orElse("");
        // Commas and semicolons in quotes do not separate.
        for (String each : header.split(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")) {
            List<String> parts = List.of(each.split(";"));
            Set<String> friends = new TreeSet<>();
            for (String part : parts) {
                if (part.startsWith("x-friends:=")) {
                    friends.addAll(List.of(part.replaceAll(".*=|\"", "").split(",")));
                }
            }
            if (!each.isEmpty()) {
                ofBundle.add(parts.get(0) + friends);
            }
        }
        require(
                ofBundle.equals(ofModule),
                artifact + ": the module exports " + ofModule + ", the bundle " + ofBundle);
    }

    private void require(boolean holds, String flaw) {
        if (!holds) {
            flaws.add(flaw);
        }
    }

    private static Set<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(each -> each.getFileName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> entries(Path file) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            return jar.stream().map(JarEntry::getName).collect(Collectors.toSet());
        }
    }

    private static Set<String> packages(Path file, String ending) throws IOException {
        return entries(file).stream()
                .filter(each -> each.endsWith(ending) && each.startsWith("io/firn/"))
                .map(each -> each.substring(0, each.lastIndexOf('/')))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Element pom(String artifact) throws Exception {
        try (InputStream in = Files.newInputStream(file(artifact, ".pom"))) {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(in)
                    .getDocumentElement();
        }
    }

    private static List<Element> children(Element parent) {
        List<Element> found = new ArrayList<>();
        for (Node each = parent.getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element element) {
                found.add(element);
            }
        }
        return found;
    }

    private static List<Element> children(Element parent, String name) {
        return children(parent).stream().filter(each -> each.getTagName().equals(name)).toList();
    }

    private static Element child(Element parent, String name) {
        return children(parent, name).get(0);
    }

    private static String text(Element parent, String name) {
        return children(parent, name).stream()
                .findFirst()
                .map(each -> each.getTextContent().strip())
                .orElse("");
    }

    private static boolean isPresent(Element pom, List<String> path) {
        List<Element> level = List.of(pom);
        for (String name : path) {
            level = level.stream().flatMap(each -> children(each, name).stream()).toList();
        }
        return level.stream().anyMatch(each -> !each.getTextContent().isBlank());
    }
}
