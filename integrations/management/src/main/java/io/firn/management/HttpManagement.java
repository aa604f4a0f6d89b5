package io.firn.management;

import io.firn.server.ManagementService;
import java.io.IOException;

/**
 * The management listener of a server, which finds it by {@link java.util.ServiceLoader}. It
 * answers GET and HEAD:
 *
 * <ul>
 *   <li>{@code /health/live}: 200 as long as the threads of the server and its store move
 *   <li>{@code /health/ready}: 200 when a record can be appended and read
 *   <li>{@code /metrics}: the metrics, as text of Prometheus or OpenMetrics
 *   <li>{@code /console/}: a page for operators
 * </ul>
 *
 * <p>The JDK's HTTP server has limits of connections, headers and times for the whole process, as
 * system properties. Those that are not set are set when this class is used first; they have no
 * effect if the application has used that server before. Thread-safe.
 */
public final class HttpManagement implements ManagementService {

    /** Creates the service; it does nothing before {@link #start}. */
    public HttpManagement() {}

    @Override
    public Running start(Managed server) throws IOException {
        return new Listening(server);
    }
}
