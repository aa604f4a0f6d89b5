package io.firn.pmem;

import io.firn.kill.Ground;
import io.firn.kill.KillWithReadersContract;

/** Kills over two tiers; {@code bin/check kill --pmem --readers} goes on for longer. */
final class PmemKillWithReadersTest extends KillWithReadersContract {
    @Override
    protected Ground ground() {
        return new PmemGround();
    }
}
