/** A store in an application of Quarkus. */
package io.firn.examples.quarkus;
