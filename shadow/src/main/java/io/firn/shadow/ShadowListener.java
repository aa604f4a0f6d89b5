package io.firn.shadow;

/**
 * Is notified of what an operator should know.
 *
 * @see Shadow
 */
@FunctionalInterface
public interface ShadowListener {

    /**
     * Takes an event, after it was logged, on the shadow's thread: nothing is copied before it
     * returns. It must not close the shadow. What it throws is logged.
     */
    void onEvent(ShadowEvent event);
}
