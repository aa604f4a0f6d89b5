/**
 * The console: a page for operators, and the answers in JSON that it asks for. Everything here
 * reads: the store is only known as a {@link io.firn.LogReader}, and tailers have no cursor. Each
 * answer is bounded, whatever the store has.
 *
 * <pre>
 *     Console           chooses what answers a path
 *     Assets            the page, its modules and its style, from the class path
 *     Query             the parameters of a request, within their limits
 *     Snapshots         what several answers are made from, taken once a second at most
 *     Overview          numbers of the server, from which the page computes rates
 *     TierMap           tiers with their segments
 *     TopicList, TopicPage, RecordSearch, ShownRecord
 *     GroupList, GroupPage, ClientList, ConfigList, EventList
 * </pre>
 *
 * <p>Each of these has records for the shape of its answer, which Jackson writes.
 */
package io.firn.management.console;
