package io.firn.pmem;

import io.firn.kill.Ground;
import io.firn.kill.KillCommand;
import io.firn.kill.KillContract;

/**
 * Kills over two tiers, with rolls in between; {@code bin/check kill --pmem} goes on for longer.
 */
final class PmemKillTest extends KillContract {
    @Override
    protected Ground ground() {
        return new PmemGround();
    }

    /** As {@link KillCommand}. */
    public static void main(String[] arguments) throws Exception {
        KillCommand.run(new PmemGround(), arguments);
    }
}
