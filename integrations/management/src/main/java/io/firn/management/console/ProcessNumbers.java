package io.firn.management.console;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;

/**
 * Numbers of the process. Those that the system does not tell are null.
 *
 * @param cpu the share of all processors that it uses, from 0 to 1
 */
record ProcessNumbers(
        long id,
        String java,
        long uptimeMs,
        long heapUsedBytes,
        long heapMaxBytes,
        Long openFiles,
        Long maxFiles,
        int threads,
        Double cpu) {

    static ProcessNumbers now() {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        Long open = null;
        Long most = null;
        Double cpu = null;
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            double load = system.getProcessCpuLoad();
            cpu = load >= 0 ? load : null;
            if (system instanceof UnixOperatingSystemMXBean unix) {
                open = unix.getOpenFileDescriptorCount();
                most = unix.getMaxFileDescriptorCount();
            }
        }
        return new ProcessNumbers(
                ProcessHandle.current().pid(),
                Runtime.version().toString(),
                ManagementFactory.getRuntimeMXBean().getUptime(),
                heap.getUsed(),
                heap.getMax(),
                open,
                most,
                ManagementFactory.getThreadMXBean().getThreadCount(),
                cpu);
    }
}
