/** A web application that takes orders over HTTP and bills them, with a dead-letter topic. */
package io.firn.examples.spring;
