package io.firn.pmem;

import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.medium.TwoSlots;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The description of a pool, in a page of its own. Two copies are kept ({@link TwoSlots}).
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
 * The CRC32C covers bytes 0 to 4091. Magic, version and checksum have the same place in every
 * version.
 *
 * @param poolId the pool's id, assigned when it was created
 * @param storeId the id of the store that the pool belongs to
 * @param tierId the id of the tier that the pool belongs to
 * @param poolIndex the index of the pool among the tier's pools
 * @param poolCount the number of the tier's pools
 * @param format the layout of the file
 * @param blockCount the number of blocks
 * @param growingToBytes the size that the file may have because it is being enlarged
 * @param sequence grows with every change; the copy with the higher one is the newest
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

    /**
     * Returns the next superblock, with more blocks or with a larger size that the file may have.
     */
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
     * Returns the superblock in a page.
     *
     * @return null when the page is not intact
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
