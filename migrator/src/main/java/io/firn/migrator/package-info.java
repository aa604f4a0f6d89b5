/**
 * The migrator between tiers, and the policies that decide what it moves.
 *
 * <p><b>A policy of your own.</b> Implement {@code MigrationPolicy}: a function from a {@code
 * StoreSnapshot} to moves.
 *
 * <ul>
 *   <li>The snapshot has the store's time, the space in each tier, and each partition's segments
 *       with their tier, size and seal time, its cursors, and the tiers that its topic allows and
 *       that work.
 *   <li>{@code MovePlan} keeps track of free space and of what a topic allows; {@code plan.moves()}
 *       is the result.
 *   <li>The migrator asks again when all moves of the last result have begun, or otherwise after
 *       each {@code interval}. Each move is checked again when it starts, and its {@code
 *       MoveOutcome} says why nothing moved. Failed ones are repeated after {@code firstRetry},
 *       twice as long each time.
 *   <li>To avoid moving a segment back and forth, use different thresholds for demotion and
 *       promotion, as {@code WatermarkPolicy} does.
 *   <li>An application passes its own to {@code Migrator.of(store).policy(…)}; the example {@code
 *       Tiers} does that. One that Firn provides is a package-private record with a factory in
 *       {@code Policies}, a row in the guide to tiers, tests and a line in the list of {@code
 *       shouldComeToRestWhateverTheStoreLooksLike} in {@code PoliciesTest}, and a case in {@code
 *       KillStore.policy}, where the modulus is the number of cases; {@code bin/check tiers} kills
 *       its process. The server offers only a threshold ({@code Storage}, {@code ServerKeys}).
 *   <li>The migrator is not called when a segment is sealed: it looks after each {@code interval},
 *       100 ms by default.
 *   <li>{@code plan.demote} goes to the next tier that has room and is allowed, {@code
 *       plan.add(candidate, tier)} to that one only.
 * </ul>
 */
package io.firn.migrator;
