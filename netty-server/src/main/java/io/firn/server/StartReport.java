package io.firn.server;

import com.sun.management.UnixOperatingSystemMXBean;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.Survives;
import io.firn.server.config.Listener;
import io.firn.server.config.ServerConfig;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;

/** What a process that starts the server says of it, besides the log: one line each. */
final class StartReport {
    private static final long FEW_DESCRIPTORS = 10_000;
    private static final String WARNING = "Warning: ";

    private final ServerConfig config;
    private final String version;

    StartReport(ServerConfig config, String version) {
        this.config = config;
        this.version = version;
    }

    /** Returns how important a line is. */
    static Level levelOf(String line) {
        return line.startsWith(WARNING) ? Level.WARNING : Level.INFO;
    }

    /** Returns the lines; the warnings last. */
    List<String> lines(FirnServer server, List<TierMetrics> tiers) {
        List<String> lines = new ArrayList<>();
        lines.add(
                version
                        + " on Java "
                        + Runtime.version()
                        + ", process "
                        + ProcessHandle.current().pid()
                        + ".");
        server.managementUri().ifPresent(uri -> lines.add("Health and metrics at " + uri + "."));
        if (!config.withoutEffect().isEmpty()) {
            lines.add("Configuration keys without effect: " + config.withoutEffect());
        }
        config.listeners().forEach(each -> addAddress(lines, each));
        addDurability(lines, tiers);
        addOpenListeners(lines);
        addDescriptors(lines);
        return lines;
    }

    private static void addAddress(List<String> lines, Listener listener) {
        if (listener.endpoint().isAnyAddress() && listener.advertised() == null) {
            lines.add(
                    "Clients of listener "
                            + listener.name()
                            + " are told to connect to localhost. For clients on other"
                            + " machines, set advertised.listeners.");
        }
    }

    private void addDurability(List<String> lines, List<TierMetrics> tiers) {
        if (config.text("firn.durability").equals("written")) {
            lines.add(
                    WARNING
                            + "firn.durability=written: records of new topics are acknowledged before"
                            + " they are forced, and a crash of the machine loses the latest.");
        }
        for (TierMetrics each : tiers) {
            if (each.survives() != Survives.POWER_LOSS) {
                lines.add(
                        WARNING
                                + "tier "
                                + each.label()
                                + " ("
                                + each.name()
                                + ") survives "
                                + each.survives()
                                + " only: a power failure may lose what was acknowledged.");
            }
        }
    }

    private void addOpenListeners(List<String> lines) {
        if (config.flag("firn.insecure.listeners")) {
            lines.add(
                    WARNING
                            + "firn.insecure.listeners=true: other machines may be served without"
                            + " authentication.");
        }
    }

    private static void addDescriptors(List<String> lines) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                && unix.getMaxFileDescriptorCount() < FEW_DESCRIPTORS) {
            lines.add(
                    WARNING
                            + "the process may open "
                            + unix.getMaxFileDescriptorCount()
                            + " files. Connections and partitions need one or more each: raise the"
                            + " limit (ulimit -n, LimitNOFILE).");
        }
    }
}
