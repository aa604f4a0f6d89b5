package io.firn.shape;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The sources of a module as the compiler parses them: their classes, methods and code lines. */
public final class JavaSources {
    /** One source file with a top-level class. */
    public record SourceFile(String packageName, String name, int codeLines) {}

    /** A class that is declared in a class. */
    public record NestedClass(String outer, String name) {}

    /**
     * A method or constructor; its name is that of its innermost named class, a dot, and its own,
     * or {@code new}. A record's canonical constructor is left out: its components have names.
     */
    public record Method(String name, int parameters, int lines, boolean usesObject) {}

    private final List<SourceFile> files = new ArrayList<>();
    private final List<NestedClass> nested = new ArrayList<>();
    private final List<Method> methods = new ArrayList<>();
    private final Map<String, String> purposes = new TreeMap<>();

    private JavaSources() {}

    /** Parses all sources below a directory. */
    public static JavaSources in(Path directory) throws IOException {
        JavaSources sources = new JavaSources();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
                Stream<Path> walk = Files.walk(directory)) {
            List<Path> paths =
                    walk.filter(p -> p.toString().endsWith(".java"))
                            .filter(p -> !p.endsWith("module-info.java"))
                            .sorted()
                            .collect(toList());
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    manager,
                                    null,
                                    List.of("-proc:none"),
                                    null,
                                    manager.getJavaFileObjectsFromPaths(paths));
            DocTrees trees = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                sources.add(unit, trees);
            }
        }
        return sources;
    }

    /** Returns the files with a top-level class, in the order of their paths. */
    public List<SourceFile> files() {
        return files;
    }

    /** Returns the classes that are declared in classes. */
    public List<NestedClass> nested() {
        return nested;
    }

    /** Returns the methods and constructors. */
    public List<Method> methods() {
        return methods;
    }

    /** Each package with the first sentence of its documentation, in plain text. */
    public Map<String, String> purposes() {
        return purposes;
    }

    private void add(CompilationUnitTree unit, DocTrees trees) {
        Path path = Path.of(unit.getSourceFile().toUri());
        String packageName = unit.getPackageName().toString();
        if (path.endsWith("package-info.java")) {
            purposes.put(packageName, firstSentence(unit, trees));
            return;
        }
        String name = path.getFileName().toString().replace(".java", "");
        files.add(new SourceFile(packageName, name, codeLines(read(path))));
        new Declarations(unit, trees.getSourcePositions()).scan(unit, null);
    }

    private static String firstSentence(CompilationUnitTree unit, DocTrees trees) {
        DocCommentTree comment =
                trees.getDocCommentTree(new TreePath(new TreePath(unit), unit.getPackage()));
        if (comment == null) {
            return "";
        }
        return comment.getFirstSentence().stream()
                .map(Object::toString)
                .collect(joining())
                .replaceAll("\\{@\\w+ (?:[\\w.]+\\.)?([^}]*)}", "$1")
                .replaceAll("\\s+", " ")
                .strip();
    }

    private static String read(Path path) {
        try {
            return Files.readString(path, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Counts the lines that have more than blanks and comments. */
    public static int codeLines(String source) {
        int lines = 0;
        boolean isCode = false;
        for (int at = 0; at < source.length(); ) {
            char c = source.charAt(at);
            int end = at + 1;
            if (source.startsWith("//", at)) {
                end = endOf(source, "\n", at) - 1;
            } else if (source.startsWith("/*", at)) {
                end = endOf(source, "*/", at + 2);
                if (isCode && source.substring(at, end).contains("\n")) {
                    lines++;
                    isCode = false;
                }
            } else if (source.startsWith("\"\"\"", at)) {
                end = endOf(source, "\"\"\"", at + 3);
                lines += (int) source.substring(at, end).lines().filter(l -> !l.isBlank()).count();
                lines--; // its last line is counted at the line's end
                isCode = true;
            } else if (c == '"' || c == '\'') {
                while (source.charAt(end) != c) {
                    end += source.charAt(end) == '\\' ? 2 : 1;
                }
                end++;
                isCode = true;
            } else if (c == '\n') {
                lines += isCode ? 1 : 0;
                isCode = false;
            } else if (!Character.isWhitespace(c)) {
                isCode = true;
            }
            at = end;
        }
        return lines;
    }

    private static int endOf(String source, String what, int from) {
        int at = source.indexOf(what, from);
        return at < 0 ? source.length() : at + what.length();
    }

    private final class Declarations extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private String innermost = "";
        private int components = -1;

        Declarations(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
        }

        @Override
        public Void visitClass(ClassTree tree, Void none) {
            String outer = innermost;
            String name = tree.getSimpleName().toString();
            int components = this.components;
            this.components = componentsOf(tree);
            if (!name.isEmpty()) {
                if (!outer.isEmpty()) {
                    nested.add(new NestedClass(outer, name));
                }
                innermost = name;
            }
            super.visitClass(tree, none);
            innermost = outer;
            this.components = components;
            return null;
        }

        private int componentsOf(ClassTree tree) {
            if (tree.getKind() != Tree.Kind.RECORD) {
                return -1;
            }
            return (int)
                    tree.getMembers().stream()
                            .filter(m -> m instanceof VariableTree)
                            .filter(m -> !isStatic((VariableTree) m))
                            .count();
        }

        private boolean isStatic(VariableTree field) {
            return field.getModifiers().getFlags().contains(Modifier.STATIC);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void none) {
            String own = tree.getName().toString();
            boolean isConstructor = tree.getReturnType() == null;
            if (isConstructor && components == tree.getParameters().size()) {
                return super.visitMethod(tree, none); // of a record, with all its components
            }
            methods.add(
                    new Method(
                            innermost + "." + (isConstructor ? "new" : own),
                            tree.getParameters().size(),
                            lines(tree),
                            !own.equals("equals") && usesObject(tree)));
            return super.visitMethod(tree, none);
        }

        private int lines(MethodTree tree) {
            long from = positions.getStartPosition(unit, tree);
            long to = positions.getEndPosition(unit, tree);
            return (int)
                    (unit.getLineMap().getLineNumber(to)
                            - unit.getLineMap().getLineNumber(from)
                            + 1);
        }

        private boolean usesObject(MethodTree tree) {
            return isObject(tree.getReturnType())
                    || tree.getParameters().stream()
                            .map(VariableTree::getType)
                            .anyMatch(this::isObject);
        }

        private boolean isObject(Tree type) {
            return type != null && type.toString().matches("(.*\\W)?Object(\\W.*)?");
        }
    }
}
