package io.firn.tools;

import java.util.concurrent.Callable;

/**
 * A subcommand of {@code firn import} in a module that depends on this one, which finds it by
 * {@link java.util.ServiceLoader}. It is a command of picocli.
 */
public interface Subcommand extends Callable<Integer> {}
