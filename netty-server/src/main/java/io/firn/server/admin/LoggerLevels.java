package io.firn.server.admin;

import io.firn.InvalidOptionException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.apache.kafka.common.protocol.Errors;

/**
 * The levels of Firn's loggers, by Kafka's names of levels. They hold until the process ends, as in
 * Kafka. The audit log keeps its level, whatever is set for others: who may change levels could
 * otherwise act unseen. Thread-safe.
 */
final class LoggerLevels {
    private static final String OURS = "io.firn";
    private static final String AUDIT = "io.firn.audit";

    /** By Kafka's name, and for each level of the JDK the first that is as high. */
    private static final Map<String, Level> LEVELS = new LinkedHashMap<>();

    static {
        LEVELS.put("OFF", Level.OFF);
        LEVELS.put("ERROR", Level.SEVERE);
        LEVELS.put("FATAL", Level.SEVERE);
        LEVELS.put("WARN", Level.WARNING);
        LEVELS.put("INFO", Level.INFO);
        LEVELS.put("DEBUG", Level.FINE);
        LEVELS.put("TRACE", Level.FINER);
    }

    /** Those that were changed: the JDK forgets a logger that is not referred to. */
    private final Map<String, Logger> changed = new ConcurrentHashMap<>();

    /** Returns whether what Firn logs goes through java.util.logging. */
    static boolean areOurs() {
        Class<?> finder = System.LoggerFinder.getLoggerFinder().getClass();
        return finder.getModule() == Logger.class.getModule();
    }

    /** Returns the level of each logger, by name. */
    Map<String, String> all() {
        Map<String, String> all = new LinkedHashMap<>();
        if (areOurs()) {
            TreeSet<String> names =
                    new TreeSet<>(Collections.list(LogManager.getLogManager().getLoggerNames()));
            names.removeIf(each -> !isOurs(each));
            names.add(OURS);
            names.forEach(each -> all.put(each, shown(level(Logger.getLogger(each)))));
        }
        return all;
    }

    private static boolean isOurs(String name) {
        return name.equals(OURS) || name.startsWith(OURS + ".");
    }

    /** Returns whether a logger keeps its level. */
    static boolean isFixed(String name) {
        return name.equals(AUDIT) || name.startsWith(AUDIT + ".");
    }

    private static Level level(Logger logger) {
        for (Logger each = logger; each != null; each = each.getParent()) {
            if (each.getLevel() != null) {
                return each.getLevel();
            }
        }
        return Level.INFO;
    }

    private static String shown(Level level) {
        String lowest = "TRACE";
        for (Map.Entry<String, Level> each : LEVELS.entrySet()) {
            if (level.intValue() >= each.getValue().intValue()) {
                return each.getKey();
            }
        }
        return lowest;
    }

    /**
     * Checks a change.
     *
     * @param level null to return to the level of the logger above
     * @throws InvalidOptionException if there is no such logger or level, or nothing would be
     *     logged at that level
     */
    void check(String name, String level) {
        if (!areOurs()) {
            throw new InvalidOptionException(
                    "The application logs by other means than java.util.logging, where levels"
                            + " cannot be changed by requests.");
        }
        if (!all().containsKey(name)) {
            throw new InvalidOptionException("There is no logger " + name + " of Firn.");
        }
        if (isFixed(name)) {
            throw Errors.INVALID_REQUEST.exception("The level of the audit log is fixed.");
        }
        if (level == null) {
            return;
        }
        if (!LEVELS.containsKey(level)) {
            throw new InvalidOptionException(
                    "A level is one of " + LEVELS.keySet() + ", not '" + level + "'.");
        }
        if (!isPublished(Logger.getLogger(name), LEVELS.get(level))) {
            throw new InvalidOptionException(
                    "No handler of java.util.logging publishes what is logged at "
                            + level
                            + "; set the level of one where the process is configured.");
        }
    }

    private static boolean isPublished(Logger logger, Level level) {
        if (level.equals(Level.OFF)) {
            return true;
        }
        for (Logger each = logger; each != null; each = each.getParent()) {
            for (Handler handler : each.getHandlers()) {
                if (handler.getLevel().intValue() <= level.intValue()) {
                    return true;
                }
            }
            if (!each.getUseParentHandlers()) {
                return false;
            }
        }
        return false;
    }

    /** Makes a change that was checked. */
    synchronized void set(String name, String level) {
        Logger audit = changed.computeIfAbsent(AUDIT, Logger::getLogger);
        if (audit.getLevel() == null) {
            audit.setLevel(level(audit)); // it no longer follows those above it
        }
        changed.computeIfAbsent(name, Logger::getLogger)
                .setLevel(level == null ? null : LEVELS.get(level));
    }
}
