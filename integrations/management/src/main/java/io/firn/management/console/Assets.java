package io.firn.management.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The files of the page, by the path below the console. No other file is served. */
final class Assets {
    private static final String JAVASCRIPT = "text/javascript; charset=utf-8";
    private static final String CSS = "text/css; charset=utf-8";
    private static final String CHARTS = "/META-INF/resources/webjars/uplot/";
    private static final String CHARTS_VERSION =
            "/META-INF/maven/org.webjars.npm/uplot/pom.properties";

    private static final List<String> MODULES =
            List.of(
                    "main",
                    "api",
                    "chart",
                    "dom",
                    "format",
                    "history",
                    "table",
                    "view-overview",
                    "view-tiers",
                    "view-topics",
                    "view-topic",
                    "view-records",
                    "view-groups",
                    "view-group",
                    "view-connections",
                    "view-config",
                    "view-events");

    private final Map<String, Content> files = new HashMap<>();

    /** Reads them from the class path. */
    Assets() {
        String charts = CHARTS + chartsVersion() + "/dist/";
        add("", "text/html; charset=utf-8", "index.html");
        add("console.css", CSS, "console.css");
        add("icon.svg", "image/svg+xml", "icon.svg");
        MODULES.forEach(each -> add(each + ".js", JAVASCRIPT, each + ".js"));
        add("uplot.js", JAVASCRIPT, charts + "uPlot.esm.js");
        add("uplot.css", CSS, charts + "uPlot.min.css");
    }

    private static String chartsVersion() {
        Properties built = new Properties();
        try (InputStream in = Assets.class.getResourceAsStream(CHARTS_VERSION)) {
            if (in == null) {
                throw missing(CHARTS_VERSION);
            }
            built.load(in);
            return built.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(String path, String type, String resource) {
        try (InputStream in = Assets.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw missing(resource);
            }
            files.put(path, new Content(type, in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static IllegalStateException missing(String resource) {
        return new IllegalStateException(
                "the class path has no "
                        + resource
                        + ": add the jar uplot beside firn-management,"
                        + " or set management.console=off");
    }

    /** Returns a file; null if there is none. */
    Content get(String path) {
        return files.get(path);
    }
}
