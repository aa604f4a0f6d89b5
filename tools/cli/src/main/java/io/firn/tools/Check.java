package io.firn.tools;

/**
 * A finding about a machine.
 *
 * @param why why it matters; null if all is well
 * @param fix the command that fixes it, or what to do; null if nothing has to be done
 */
record Check(String subject, State state, String found, String why, String fix) {

    /** What it means. */
    enum State {
        /** All is well. */
        OK,
        /** Not known, or not as fast as it could be. */
        NOTE,
        /** Records may be lost or refused. */
        WRONG
    }

    static Check ok(String subject, String found) {
        return new Check(subject, State.OK, found, null, null);
    }

    static Check note(String subject, String found, String why, String fix) {
        return new Check(subject, State.NOTE, found, why, fix);
    }

    static Check wrong(String subject, String found, String why, String fix) {
        return new Check(subject, State.WRONG, found, why, fix);
    }
}
