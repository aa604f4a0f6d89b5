/**
 * The public API of the log: stores, topics, partitions, appenders, tailers, cursors.
 *
 * <p>Which exception is thrown when:
 *
 * <table>
 * <caption>Exceptions</caption>
 * <tr><th>what happened</th><th>exception</th></tr>
 * <tr><td>an argument that must not be null is</td><td>{@link NullPointerException}</td></tr>
 * <tr><td>a range is outside of the array or buffer that was passed with it</td>
 *     <td>{@link IndexOutOfBoundsException}</td></tr>
 * <tr><td>any other argument or option that can never be right, or contradicts what is there</td>
 *     <td>{@link io.firn.InvalidOptionException}</td></tr>
 * <tr><td>a call at the wrong place: with a claim open or already ended, by a handler that must not
 *     make it, with a record after its handler has returned</td>
 *     <td>{@link IllegalStateException}</td></tr>
 * <tr><td>two threads used at once what is for one</td>
 *     <td>{@link io.firn.ConcurrentUseException}</td></tr>
 * <tr><td>it was closed, or the store was</td><td>{@link io.firn.ClosedException}</td></tr>
 * <tr><td>the log refuses the operation, or a medium failed; the type and its accessors say what the
 *     application needs to go on</td>
 *     <td>another {@link io.firn.FirnException}</td></tr>
 * </table>
 *
 * <p>All of these are unchecked. Nothing was appended or changed by a call that throws, except
 * where its documentation says so, and except for {@link io.firn.PoisonedException}, after which a
 * record may be there or not. Only what can simply be tried again is no exception: {@link
 * io.firn.Appender#BACK_PRESSURED}. What a handler throws is passed on to the caller of {@code
 * poll}.
 *
 * <p>How the API grows without breaking binaries: applications call its interfaces and do not
 * implement them, except for handlers, listeners and {@link io.firn.MoveControl}. Options have
 * {@code with…} methods or a builder, and metrics are interfaces. The other records are values that
 * are complete; {@link io.firn.StoreSnapshot} says how it grows.
 */
package io.firn;
