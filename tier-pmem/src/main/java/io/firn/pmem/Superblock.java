package io.firn.pmem;

import io.firn.medium.UnsupportedVersionException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What a pool says about itself, in a page of its own.
 *
 * <pre>
 *  0        8         12          16        32        48       64          72
 *  | magic  | version | blockBytes| pool id | store id| tier id| fileBytes | growing …
 *  72             80           84          88          92          96
 *  … ToBytes      | blockCount | tableRoom | poolIndex | poolCount | sequence …
 *  96         104                                              4092   4096
 *  | sequence | zeros                                          | crc  |
 * </pre>
 *
 * The CRC32C covers bytes 0 to 4091; it, magic and version stay where they are in every version.
 *
 * @param poolId given when the pool was created
 * @param storeId the store that it belongs to
 * @param tierId the tier that it is a pool of
 * @param poolIndex its place among the tier's pools
 * @param poolCount how many the tier has
 * @param format where things lie
 * @param blockCount blocks that there are
 * @param growingToBytes bytes that the file may have because it is being enlarged
 * @param sequence grows with every change; the higher of two copies counts
 */
record Superblock(
        UUID poolId,
        UUID storeId,
        UUID tierId,
        int poolIndex,
        int poolCount,
        PoolFormat format,
        int blockCount,
        long growingToBytes,
        long sequence) {
    static final int BYTES = PoolFormat.PAGE;
    static final int VERSION = 1;
    static final long MAGIC = 0x4649_524E_504F_4F4CL; // FIRNPOOL
    private static final int CRC = BYTES - 4;

    long fileBytes() {
        return format.fileBytes(blockCount);
    }

    /** The next one, which names more blocks and says up to where the file may reach. */
    Superblock with(int blocks, long growingTo) {
        return new Superblock(
                poolId,
                storeId,
                tierId,
                poolIndex,
                poolCount,
                format,
                blocks,
                growingTo,
                sequence + 1);
    }

    byte[] encode() {
        ByteBuffer b = ByteBuffer.allocate(BYTES);
        b.putLong(MAGIC).putInt(VERSION).putInt(format.blockBytes());
        put(put(put(b, poolId), storeId), tierId);
        b.putLong(fileBytes()).putLong(growingToBytes);
        b.putInt(blockCount).putInt(format.tableRoom()).putInt(poolIndex).putInt(poolCount);
        b.putLong(sequence);
        b.putInt(CRC, crc(b.array()));
        return b.array();
    }

    /**
     * A superblock as it was read.
     *
     * @return null when it is not whole
     * @throws UnsupportedVersionException when a newer Firn wrote it
     */
    static Superblock decode(byte[] page, String file) throws UnsupportedVersionException {
        ByteBuffer b = ByteBuffer.wrap(page);
        if (b.getLong() != MAGIC || b.getInt(CRC) != crc(page)) {
            return null;
        }
        int version = b.getInt();
        if (version > VERSION) {
            throw new UnsupportedVersionException("the pool " + file, VERSION, version);
        }
        int blockBytes = b.getInt();
        UUID poolId = id(b);
        UUID storeId = id(b);
        UUID tierId = id(b);
        long fileBytes = b.getLong();
        long growingTo = b.getLong();
        int blockCount = b.getInt();
        PoolFormat format = new PoolFormat(blockBytes, b.getInt());
        Superblock found =
                new Superblock(
                        poolId,
                        storeId,
                        tierId,
                        b.getInt(),
                        b.getInt(),
                        format,
                        blockCount,
                        growingTo,
                        b.getLong());
        boolean sane =
                format.isSane()
                        && blockCount > 0
                        && blockCount <= format.tableRoom()
                        && fileBytes == found.fileBytes()
                        && growingTo >= fileBytes;
        return sane ? found : null;
    }

    private static ByteBuffer put(ByteBuffer b, UUID id) {
        return b.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    }

    private static UUID id(ByteBuffer b) {
        return new UUID(b.getLong(), b.getLong());
    }

    private static int crc(byte[] page) {
        CRC32C crc = new CRC32C();
        crc.update(page, 0, CRC);
        return (int) crc.getValue();
    }
}
