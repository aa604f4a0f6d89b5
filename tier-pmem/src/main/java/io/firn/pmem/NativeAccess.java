package io.firn.pmem;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Finds out which native libraries this machine and this Java can use. */
final class NativeAccess {
    private static final int FOREIGN_API = 22;
    private static final String PACKAGES =
            "libpmem1, libpmemobj1 and libpmempool1 (Debian: apt-get install libpmem1 libpmemobj1"
                    + " libpmempool1)";

    private NativeAccess() {}

    /** Returns why libpmem cannot be called; null when it can. */
    static String whyNoLibpmem() {
        if (Runtime.version().feature() < FOREIGN_API) {
            return "the provider LIBPMEM needs Java 22 or later, this is " + Runtime.version();
        }
        try {
            Class.forName(Libpmem.class.getName(), true, NativeAccess.class.getClassLoader());
            return null;
        } catch (ClassNotFoundException | LinkageError | RuntimeException e) {
            return "the provider LIBPMEM needs the system's " + PACKAGES + ": " + rootOf(e);
        }
    }

    /** Returns why llpl cannot be called; null when it can. */
    static String whyNoLlpl() {
        ClassLoader loader = NativeAccess.class.getClassLoader();
        try {
            Class.forName(Llpl.POOL, false, loader);
        } catch (ClassNotFoundException e) {
            return "the provider LLPL needs the artifact com.intel.pmem:llpl:1.2.0-release";
        }
        String whyNotHere =
                whyNoLlplOn(System.getProperty("os.name"), System.getProperty("os.arch"));
        if (whyNotHere != null) {
            return whyNotHere;
        }
        try {
            Class.forName(Llpl.class.getName(), true, loader);
            return null;
        } catch (ClassNotFoundException | LinkageError | RuntimeException e) {
            return "the provider LLPL needs the system's " + PACKAGES + ": " + rootOf(e);
        }
    }

    /** Its library is in its jar, for one platform. */
    static String whyNoLlplOn(String system, String processor) {
        return system.equals("Linux") && processor.equals("amd64")
                ? null
                : "the provider LLPL needs Linux on x86-64, this is "
                        + system
                        + " on "
                        + processor
                        + ": JDK and LIBPMEM do not";
    }

    /** Returns whether Java allows native calls without a warning. */
    static boolean isEnabled() {
        if (Runtime.version().feature() < FOREIGN_API) {
            return false;
        }
        try {
            return (boolean)
                    MethodHandles.publicLookup()
                            .findVirtual(
                                    Module.class,
                                    "isNativeAccessEnabled",
                                    MethodType.methodType(boolean.class))
                            .invoke(NativeAccess.class.getModule());
        } catch (Throwable e) {
            return false;
        }
    }

    /**
     * Returns why this Java cannot use synchronous mappings even on persistent memory; null when it
     * can.
     */
    static String whyNoSynchronousMappings() {
        String mode = System.getProperty("java.vm.info", "");
        boolean noC2 = mode.contains("emulated-client") || mode.contains("interpreted");
        if (Runtime.version().feature() > 17 && noC2) {
            return "the provider JDK would crash this Java, which runs without its C2 compiler ("
                    + mode
                    + "): leave out -Xint and -XX:TieredStopAtLevel";
        }
        return null;
    }

    private static Throwable rootOf(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
