/**
 * A store in an application of Spring Boot. {@code firn.directory} opens it; {@link
 * io.firn.spring.FirnTemplate} appends, and methods with {@link io.firn.spring.FirnListener} read.
 */
package io.firn.spring;
