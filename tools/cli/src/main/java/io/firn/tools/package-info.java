/**
 * The command {@code firn}: {@link io.firn.tools.Firn} is its main class, with a picocli command
 * for each subcommand.
 *
 * <p>To add a subcommand, write a class with {@code @Command(name = ...)} that implements {@code
 * Callable<Integer>} and returns one of {@link io.firn.tools.Exit}; the mixin {@link
 * io.firn.tools.Output} prints its answer, and {@code --help} is added to it. Name it in the
 * annotation of {@code Firn}; to import from another log, in a module that depends on this one,
 * implement {@link io.firn.tools.Subcommand} instead and name it in {@code META-INF/services}.
 * Throw {@code InvalidOptionException} for a wrong argument, and an {@code IOException} or {@code
 * FirnException} if it cannot be done: their messages are printed, and become exit codes. {@code
 * HelpFilesTest} (module {@code tools/chronicle-import}) with {@code -Dfirn.help.write=true} writes
 * the help below {@code bin/lib/help/firn}.
 */
package io.firn.tools;
