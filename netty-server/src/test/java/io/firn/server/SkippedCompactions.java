package io.firn.server;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Counts why the compactions of a server process left segments, as it says over JMX. */
final class SkippedCompactions {
    private static final String[] REASONS = {"no room", "damaged", "moved", "medium failed"};

    private final Map<String, Integer> counts = new TreeMap<>();

    /** Asks a process for the last compaction of each partition. */
    @SuppressWarnings("BanJNDI") // of a process that this one has started
    void ask(long pid) throws IOException, JMException {
        String address;
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            try {
                address = machine.startLocalManagementAgent();
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException e) {
            throw new IOException(e);
        }
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            ObjectName all = new ObjectName("io.firn:type=Server,*");
            for (ObjectName each : beans.queryNames(all, null)) {
                TabularData rows = (TabularData) beans.getAttribute(each, "CompactionSkipped");
                rows.values().forEach(row -> count(((CompositeData) row).get("value").toString()));
            }
        }
    }

    private void count(String skipped) {
        String reason = "another reason";
        for (String each : REASONS) {
            if (skipped.contains(each)) {
                reason = each;
            }
        }
        counts.merge(reason, 1, Integer::sum);
    }

    /** Returns how often the last compaction of a partition had skipped a segment for a reason. */
    int of(String reason) {
        return counts.getOrDefault(reason, 0);
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
