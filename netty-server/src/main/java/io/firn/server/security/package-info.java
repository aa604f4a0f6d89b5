/**
 * Internal: who a client is, and whether it may do what it asks for. {@link
 * io.firn.server.security.ListenerSecurity} has the certificates and SASL mechanisms of a listener,
 * {@link io.firn.server.security.Authentication} takes one client through them, and {@link
 * io.firn.server.security.Access} decides what it may do. Knows the configuration and Kafka's
 * classes, and neither Netty nor requests.
 */
package io.firn.server.security;
