/** Who a client is, and whether it may do what it asks for: every decision about security. */
package io.firn.server.security;
