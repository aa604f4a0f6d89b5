package io.firn.follow;

import io.firn.medium.FileMedium.MediumLock;

/** A lock on a file with an identity of the test's choice. */
final class TestLock implements MediumLock {
    private final Object identity;
    String lost;

    TestLock(Object identity) {
        this.identity = identity;
    }

    @Override
    public String lost() {
        return lost;
    }

    @Override
    public Object identity() {
        return identity;
    }

    @Override
    public boolean isNew() {
        return false;
    }

    @Override
    public void close() {}
}
