package io.firn.tools;

import java.io.Console;
import java.lang.reflect.InvocationTargetException;

/** Whether a person sees the output: then it has the width of the terminal. */
final class Terminal {
    private Terminal() {}

    /** Returns whether input and output are a terminal, whether or not it is to have colours. */
    static boolean isOne() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try { // since Java 22 there is always a console
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (IllegalAccessException | InvocationTargetException e) {
            return false;
        }
    }
}
