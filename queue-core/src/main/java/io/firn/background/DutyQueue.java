package io.firn.background;

/** Duties in order, linked through themselves: nothing is allocated. For one thread at a time. */
final class DutyQueue {
    private Duty first;
    private Duty last;
    private int size;

    boolean isEmpty() {
        return first == null;
    }

    int size() {
        return size;
    }

    void add(Duty duty) {
        duty.next = null;
        if (first == null) {
            first = duty;
        } else {
            last.next = duty;
        }
        last = duty;
        size++;
    }

    /** The first one, which leaves; null when it is empty. */
    Duty poll() {
        Duty duty = first;
        if (duty != null) {
            first = duty.next;
            duty.next = null;
            size--;
        }
        return duty;
    }
}
