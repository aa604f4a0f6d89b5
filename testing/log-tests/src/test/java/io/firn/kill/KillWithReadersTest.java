package io.firn.kill;

/** Kills over files; {@code bin/check kill --readers} goes on for longer. */
final class KillWithReadersTest extends KillWithReadersContract {
    @Override
    protected Ground ground() {
        return new FileGround();
    }
}
