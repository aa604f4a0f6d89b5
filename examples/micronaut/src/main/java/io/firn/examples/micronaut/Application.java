package io.firn.examples.micronaut;

import io.micronaut.runtime.Micronaut;

/** The application. */
public class Application {

    /** Runs it. */
    public static void main(String[] args) {
        Micronaut.run(Application.class, args);
    }
}
