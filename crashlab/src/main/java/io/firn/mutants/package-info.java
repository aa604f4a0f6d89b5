/** Changes our own code in one place at a time, and sees whether a test notices. */
package io.firn.mutants;
