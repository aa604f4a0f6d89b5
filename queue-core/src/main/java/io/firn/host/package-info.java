/**
 * For programs that serve a store to others or copy another log into it: a server, a replica, a
 * shadow, a migrator. Such a program handles whole batches instead of records, and coordinates the
 * transactions of its own clients. Begin with {@link io.firn.host.HostedStore#of}. Applications
 * that only append and read need nothing of this package.
 */
package io.firn.host;
