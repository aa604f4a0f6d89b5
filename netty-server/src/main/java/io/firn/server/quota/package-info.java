/** Client quotas: which there are, and who has used how much of them. */
package io.firn.server.quota;
