/**
 * The interfaces of a storage tier, for authors of a tier.
 *
 * <p><b>A new tier.</b> A new module that implements {@code StorageTier} and {@code Block}, and
 * {@code TierInspector} if it has files.
 *
 * <ul>
 *   <li>{@code MemoryTier} (tests of {@code queue-core}) is the smallest one, to begin with.
 *   <li>Tiers and blocks are compared by identity. A tier that delegates to another one returns
 *       blocks of its own, whose {@code tier()} is itself, and for one block of the other always
 *       the same one.
 *   <li>The obligations are in the Javadoc of these interfaces; {@code StorageTierContract} (module
 *       {@code testing/support}) tests most of them, and a tier's test extends it. Thread-safety
 *       and the inspector are not tested there.
 *   <li>What a tier holds survives at least the death of the process: otherwise the store does not
 *       open again, because a tier that is missing is not created anew. What forced bytes survive
 *       is found by a probe ({@code FileMedium.survives}), not assumed; a tier on a file system of
 *       an unknown kind says so ({@code unknownFileSystem}).
 *   <li>A block's memory is a big-endian {@code ByteBuffer}, on the heap or not, that stays valid
 *       while its {@code View} is pinned. A fault in it surfaces as an {@code InternalError}, as
 *       the JDK throws it for a mapping.
 *   <li>Where another process may store another segment into a block that this one reads, {@code
 *       Block.reader} returns a reader that copies and then checks whose bytes they were, as {@code
 *       CopyingReader} in {@code tier-pmem} does.
 *   <li>Where a store into memory could meet a lack of space, the block says so ({@code
 *       isWrittenByCalls}): it is then written by {@code write}, which fails properly, and stored
 *       to only after {@code prepare}.
 *   <li>Blocks are reserved, prepared, sealed and marked in the background; forces come on any
 *       thread that appends; {@code beginCopy} on the thread that called {@code migrate}; {@code
 *       usedBytes} on any. {@code list} is called at open, and again and again by a read-only
 *       store.
 *   <li>Where a crash can tear a write, a mark is in two slots, so that the old or the new one is
 *       there ({@code TwoSlots}). The copy of a moved segment becomes visible in one step: {@code
 *       ReservedCopy} does this with a reserved block; a tier that can publish by a rename does as
 *       {@code FileCopy}.
 *   <li>No space is a {@code StoreFullException}: the next tier gets the segment. An {@code
 *       IOException} in {@code reserve} takes the tier out of use for a while; one in a force
 *       poisons the partition.
 *   <li>Where two processes could open it, the tier has a lock, says when it has lost it ({@code
 *       StorageTier.lost}), and writes its identity when it is created.
 *   <li>Its {@code pom.xml} repeats the enforcer rule {@code a-tier-knows-core-only}. An inspector
 *       needs {@code provides} in module-info and a file in META-INF/services.
 *   <li>Others that must know the module: the root {@code pom.xml} (modules and
 *       dependencyManagement), {@code bom}, {@code bin/install}, {@code bin/lib/firn.sh}, the
 *       tables of the pages. If the server offers it: {@code netty-server/pom.xml}, {@code
 *       Storage}, {@code EmbeddingIT}. If it is on a medium: {@code Sites} and {@code Workshop}
 *       (mutants), {@code CallSites} and {@code Media} (laboratory), a {@code Ground} for the kill
 *       tests.
 * </ul>
 */
package io.firn.spi;
