/** A store in an application of Micronaut. */
package io.firn.examples.micronaut;
