/** Changes of files that somebody else may have made, for tests that open what is left. */
package io.firn.fuzz;
