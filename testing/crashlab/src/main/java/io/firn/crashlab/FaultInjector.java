package io.firn.crashlab;

import io.firn.sim.SimulatedFileMedium;

/** Injects single faults into simulated media and notes which call sites they hit. */
final class FaultInjector {
    private final CallSites sites;

    FaultInjector(CallSites sites) {
        this.sites = sites;
    }

    /** Lets an operation fail with EIO. */
    void failOperation(SimulatedFileMedium medium, int number) {
        medium.faults().failOperations(each -> noted(each == number, sites::fails));
    }

    /** Lets a query fail with EIO. */
    void failQuery(SimulatedFileMedium medium, int number) {
        medium.faults().failLooks(each -> noted(each == number, sites::fails));
    }

    /** Lets an operation fail with ENOSPC, whether or not it needs space. */
    void refuseSpace(SimulatedFileMedium medium, int number) {
        medium.faults().refuseSpace(each -> noted(each == number, sites::findsNoSpace));
    }

    /** Leaves no free space during an operation. */
    void fillDuring(SimulatedFileMedium medium, int number) {
        medium.onOperation(
                each -> {
                    boolean isFull = noted(each == number, sites::findsNoSpace);
                    medium.faults().limitBytes(isFull ? 0 : Long.MAX_VALUE);
                });
    }

    /** Lets a write store only a part of its bytes and fail with EIO. */
    static void shortenWrite(SimulatedFileMedium medium, int number) {
        medium.faults().shortenWrites(each -> each == number);
    }

    /** Lets an operation end in an Error. */
    static void die(SimulatedFileMedium medium, int number) {
        medium.onOperation(
                each -> {
                    if (each == number) {
                        throw new OutOfMemoryError("simulated");
                    }
                });
    }

    private static boolean noted(boolean isHit, Runnable note) {
        if (isHit) {
            note.run();
        }
        return isHit;
    }
}
