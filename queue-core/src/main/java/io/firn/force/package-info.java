/** Group commit. */
package io.firn.force;
