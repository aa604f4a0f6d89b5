/**
 * The shape of a module's sources: how long methods and how small classes may be. {@link
 * io.firn.shape.SourceShape} has the rules, {@link io.firn.shape.JavaSources} parses the sources.
 */
package io.firn.shape;
