/**
 * Internal: the APIs of administrators for topics, configuration, users, ACLs and quotas, and those
 * that describe the cluster. One class handles the APIs of one subject; {@link
 * io.firn.server.admin.AdminAudit} logs every change. Knows the topics of {@code log}, the state
 * that {@code security} and {@code quota} keep, and {@code wire}.
 */
package io.firn.server.admin;
