/**
 * Internal: client quotas, and how much of them clients have used. {@link
 * io.firn.server.quota.ClientQuotas} keeps the quotas in a file; {@link
 * io.firn.server.quota.QuotaUsage} measures, and says for how long a client has to be silent. Knows
 * neither Netty nor Kafka's classes.
 */
package io.firn.server.quota;
