package io.firn.kill;

/** Kills over files; {@code bin/check kill} goes on for longer. */
final class KillTest extends KillContract {
    @Override
    protected Ground ground() {
        return new FileGround();
    }

    /** As {@link KillCommand}. */
    public static void main(String[] arguments) throws Exception {
        KillCommand.run(new FileGround(), arguments);
    }
}
