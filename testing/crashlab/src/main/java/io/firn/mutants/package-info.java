/** Mutation tests: changes Firn's code in one place at a time and checks that a test fails. */
package io.firn.mutants;
