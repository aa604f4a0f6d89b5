package io.firn.tools;

import java.util.List;
import picocli.CommandLine.Help.Ansi;

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

    /** Returns the exit code for some of them. */
    static int exitCode(List<Check> checks) {
        return checks.stream().anyMatch(each -> each.state == State.WRONG) ? Exit.FOUND : Exit.FINE;
    }

    /** Says it to people. */
    void show(Output output) {
        String shown = state.toString();
        if (Ansi.AUTO.enabled()) {
            String colour =
                    switch (state) {
                        case OK -> "green";
                        case NOTE -> "yellow";
                        case WRONG -> "red";
                    };
            shown = Ansi.AUTO.string("@|" + colour + " " + shown + "|@");
        }
        output.say("%s%s%s: %s", shown, " ".repeat(7 - state.toString().length()), subject, found);
        if (why != null) {
            output.say("       %s.", why);
        }
        if (fix != null) {
            output.say("       fix: %s", fix);
        }
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
