/**
 * Health and metrics of a server over HTTP, for those who operate it. With this jar on the class
 * path, a server has the listener that {@code management.listener} in its configuration names.
 *
 * <pre>
 *     HttpManagement    found by the server; starts the listener
 *     Listening         the JDK's HTTP server, its threads and limits; /health/live
 *     Admission         which requests are served: method, Host, password
 *     Readiness         /health/ready
 *     Metrics           /metrics: those of FirnMetrics, of ServerMeters, of Histograms and of the JVM
 *     ConsolePages      /console/: the page for operators, from the package console
 * </pre>
 */
package io.firn.management;
