package io.firn.server.admin;

/**
 * Names what has a configuration. Comparable, because clients choose the names: a hash map stays
 * fast when all of them have one hash.
 */
record ConfigResourceName(byte type, String name) implements Comparable<ConfigResourceName> {
    @Override
    public int compareTo(ConfigResourceName other) {
        int order = Byte.compare(type, other.type);
        return order == 0 ? name.compareTo(other.name) : order;
    }
}
