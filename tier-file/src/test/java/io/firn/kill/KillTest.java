package io.firn.kill;

/** Kills over files. */
final class KillTest extends KillContract {
    @Override
    protected Ground ground() {
        return new FileGround();
    }
}
