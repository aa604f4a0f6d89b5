/**
 * The public API of the log: stores, topics, partitions, appenders, tailers, cursors.
 *
 * <p>What an application can catch, and what it does then:
 *
 * <table>
 * <caption>Exceptions</caption>
 * <tr><th>catch</th><th>what happened</th><th>what to do</th></tr>
 * <tr><td>{@link io.firn.RetryableException}</td>
 *     <td>something is used up or in use at present: space, memory, threads, an appender, a cursor, a lock</td>
 *     <td>try again later</td></tr>
 * <tr><td>{@link io.firn.RefusedException}</td>
 *     <td>what the log holds, its options, a limit, or that it was closed forbid the call</td>
 *     <td>decide by the type, whose accessors say what is there</td></tr>
 * <tr><td>{@link io.firn.MediumException}</td>
 *     <td>a medium failed, or what is stored there is damaged</td>
 *     <td>look at the medium; then open the store again, or seek past the damage</td></tr>
 * <tr><td>{@link IllegalArgumentException}</td>
 *     <td>an argument or, as {@link io.firn.InvalidOptionException}, an option can never be right or
 *     contradicts what is there</td>
 *     <td>correct the program</td></tr>
 * <tr><td>{@link IndexOutOfBoundsException}, {@link NullPointerException}</td>
 *     <td>a range is outside of the array or buffer that was passed with it; an argument that must
 *     not be null is</td>
 *     <td>correct the program</td></tr>
 * <tr><td>{@link IllegalStateException}, {@link java.util.ConcurrentModificationException}</td>
 *     <td>a call at the wrong place: with a claim open or already ended, by a handler that must not
 *     make it, with a record after its handler has returned; by two threads at once what is for
 *     one</td>
 *     <td>correct the program</td></tr>
 * </table>
 *
 * <p>All of these are unchecked. Every {@link io.firn.FirnException} is one of the first three;
 * their subclasses are for those who treat some failures differently. Nothing was appended or
 * changed by a call that throws, except where its documentation says so, and except for {@link
 * io.firn.PoisonedException}, after which a record may be there or not. Only what can simply be
 * tried again at once is no exception: {@link io.firn.Appender#BACK_PRESSURED}. What a handler
 * throws is passed on to the caller of {@code poll}.
 *
 * <p>How things are made: options and tiers are immutable values, {@code X.at(…)} or {@code
 * X.of(…)} with {@code with…} methods that return changed copies. What runs has setters that can be
 * chained, and one last verb, {@code open} or {@code start}: {@code
 * LogStore.at(dir).tier(tier).open()}.
 *
 * <p>How the API grows without breaking binaries: applications call its interfaces and do not
 * implement them, except for handlers, listeners and {@link io.firn.LogStore.MoveControl}. Options
 * have {@code with…} methods, and metrics are interfaces. Records are values that are complete;
 * {@link io.firn.StoreSnapshot} says how it grows. Enums may get more constants: a {@code switch}
 * over one that a method returns needs a {@code default}. What users implement gets no more
 * abstract methods.
 *
 * <p>No argument may be null, and no method returns null, unless its documentation says so. In
 * metrics and findings, what may be absent is an {@link java.util.Optional}.
 */
package io.firn;
