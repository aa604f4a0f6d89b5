package io.firn.server;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** An MXBean that is registered until it is closed. A failure to register it is only logged. */
final class RegisteredBean implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    private final ObjectName name;

    private RegisteredBean(ObjectName name) {
        this.name = name;
    }

    /** Registers an MXBean as {@code io.firn:type=TYPE,name="NAME"}. */
    static RegisteredBean register(Object bean, String type, String name) {
        try {
            ObjectName wanted =
                    new ObjectName("io.firn:type=" + type + ",name=" + ObjectName.quote(name));
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, wanted);
            return new RegisteredBean(wanted);
        } catch (JMException e) {
            LOG.log(System.Logger.Level.WARNING, "no metrics over JMX: {0}", e.toString());
            return new RegisteredBean(null);
        }
    }

    @Override
    public void close() {
        if (name != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            } catch (JMException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the metrics could not be unregistered: {0}",
                        e.toString());
            }
        }
    }
}
