package io.firn.server;

import io.firn.server.admin.AclAdmin;
import io.firn.server.admin.AdminAudit;
import io.firn.server.admin.AlterConfigsHandler;
import io.firn.server.admin.ClusterAdmin;
import io.firn.server.admin.CreateTopicsHandler;
import io.firn.server.admin.DescribeConfigsHandler;
import io.firn.server.admin.QuotaAdmin;
import io.firn.server.admin.ReplicaAdmin;
import io.firn.server.admin.ResourceAdmin;
import io.firn.server.admin.TopicAdmin;
import io.firn.server.admin.UserAdmin;
import io.firn.server.group.GroupAdmin;
import io.firn.server.group.GroupHandlers;
import io.firn.server.group.MembershipApis;
import io.firn.server.log.AdvertisedListeners;
import io.firn.server.log.DecompressionQueue;
import io.firn.server.log.FetchHandler;
import io.firn.server.log.FreeSpace;
import io.firn.server.log.ListOffsetsHandler;
import io.firn.server.log.MetadataHandler;
import io.firn.server.log.OffsetForLeaderEpochHandler;
import io.firn.server.log.ProduceHandler;
import io.firn.server.log.ServedTopics;
import io.firn.server.quota.QuotaUsage;
import io.firn.server.security.Acls;
import io.firn.server.security.AuditLog;
import io.firn.server.security.ScramUsers;
import io.firn.server.tx.TransactionHandlers;
import io.firn.server.wire.ApiTable;
import io.firn.server.wire.SaslApis;
import java.util.concurrent.Executor;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteAclsRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/** The APIs that are served, with their handlers. Handlers that may block run in the background. */
final class ApiRegistration {
    private final ApiTable table;
    private final Executors threads;
    private final ServedTopics topics;
    private final AdvertisedListeners nodes;
    private final AdminAudit audit;

    /**
     * The threads for each kind of work, so that none waits for another.
     *
     * @param groups for members of groups
     * @param admin for administrators
     * @param timestamps to search offsets by timestamp
     * @param reads to read what may be on a disk
     * @param decompression to count the records of batches
     * @param transactions for producers of transactions
     */
    record Executors(
            Executor groups,
            Executor admin,
            Executor timestamps,
            Executor reads,
            Executor decompression,
            Executor transactions) {}

    /** Serves what a client asks for before anything else: versions, and to authenticate. */
    ApiRegistration(
            ServedTopics topics, AdvertisedListeners nodes, AuditLog audit, Executors threads) {
        this.topics = topics;
        this.nodes = nodes;
        this.threads = threads;
        this.audit = new AdminAudit(audit);
        this.table = new ApiTable(this.audit);
        table.serve(
                ApiKeys.API_VERSIONS,
                ApiVersionsRequestData.class,
                new ApiVersionsHandler(table, topics.config(), nodes));
        SaslApis.serve(table);
    }

    /**
     * Serves administration, but of groups.
     *
     * @param acls null if decisions are not made by ACLs
     */
    ApiRegistration serveAdmin(ScramUsers users, Acls acls, QuotaUsage usage) {
        Executor background = threads.admin();
        serveUsers(new UserAdmin(users), background);
        serveAcls(new AclAdmin(acls), background);
        serveQuotas(new QuotaAdmin(usage.quotas()), background);
        serveTopics(usage, background);
        serveDescriptions(background);
        return this;
    }

    private void serveDescriptions(Executor background) {
        DescribeConfigsHandler configs = new DescribeConfigsHandler(topics, topics.node());
        AlterConfigsHandler changes = new AlterConfigsHandler(topics, topics.node());
        table.serve(
                ApiKeys.DESCRIBE_CONFIGS,
                DescribeConfigsRequestData.class,
                background,
                configs::describe);
        table.serve(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                IncrementalAlterConfigsRequestData.class,
                background,
                changes::alter);
        table.serve(
                ApiKeys.ALTER_CONFIGS, AlterConfigsRequestData.class, background, changes::replace);
        ClusterAdmin cluster = new ClusterAdmin(topics, nodes);
        table.serve(ApiKeys.DESCRIBE_CLUSTER, DescribeClusterRequestData.class, cluster::cluster);
        table.serve(
                ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
                DescribeTopicPartitionsRequestData.class,
                background,
                cluster::topicPartitions);
        table.serve(
                ApiKeys.DESCRIBE_LOG_DIRS,
                DescribeLogDirsRequestData.class,
                background,
                cluster::logDirs);
        table.serve(
                ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                OffsetForLeaderEpochRequestData.class,
                background,
                new OffsetForLeaderEpochHandler(topics));
        new ReplicaAdmin(topics).serve(table, background);
        new ResourceAdmin(topics, nodes).serve(table, background);
    }

    private void serveUsers(UserAdmin admin, Executor background) {
        table.serve(
                ApiKeys.ALTER_USER_SCRAM_CREDENTIALS,
                AlterUserScramCredentialsRequestData.class,
                background,
                admin::alter);
        table.serve(
                ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS,
                DescribeUserScramCredentialsRequestData.class,
                background,
                admin::describe);
    }

    private void serveAcls(AclAdmin admin, Executor background) {
        table.serve(ApiKeys.CREATE_ACLS, CreateAclsRequestData.class, background, admin::create);
        table.serve(
                ApiKeys.DESCRIBE_ACLS, DescribeAclsRequestData.class, background, admin::describe);
        table.serve(ApiKeys.DELETE_ACLS, DeleteAclsRequestData.class, background, admin::delete);
    }

    private void serveQuotas(QuotaAdmin admin, Executor background) {
        table.serve(
                ApiKeys.ALTER_CLIENT_QUOTAS,
                AlterClientQuotasRequestData.class,
                background,
                admin::alter);
        table.serve(
                ApiKeys.DESCRIBE_CLIENT_QUOTAS,
                DescribeClientQuotasRequestData.class,
                background,
                admin::describe);
    }

    /** Serves groups: members have threads that nothing else can take. */
    ApiRegistration serveGroups(GroupHandlers groups) {
        Executor background = threads.groups();
        MembershipApis members = groups.membership();
        table.serve(
                ApiKeys.FIND_COORDINATOR,
                FindCoordinatorRequestData.class,
                background,
                groups.finder());
        table.serve(ApiKeys.JOIN_GROUP, JoinGroupRequestData.class, background, members::join);
        table.serve(ApiKeys.SYNC_GROUP, SyncGroupRequestData.class, background, members::sync);
        table.serve(ApiKeys.HEARTBEAT, HeartbeatRequestData.class, background, members::heartbeat);
        table.serve(
                ApiKeys.LEAVE_GROUP,
                LeaveGroupRequestData.class,
                background,
                (exchange, request) -> members.leave(exchange, request, audit::removed));
        table.serve(
                ApiKeys.OFFSET_COMMIT, OffsetCommitRequestData.class, background, groups.commits());
        table.serve(
                ApiKeys.OFFSET_FETCH, OffsetFetchRequestData.class, background, groups.fetches());
        serveGroupAdmin(groups, threads.admin());
        return this;
    }

    private void serveGroupAdmin(GroupHandlers groups, Executor background) {
        GroupAdmin admin = groups.admin();
        table.serve(ApiKeys.LIST_GROUPS, ListGroupsRequestData.class, background, admin::list);
        table.serve(
                ApiKeys.DESCRIBE_GROUPS,
                DescribeGroupsRequestData.class,
                background,
                admin::describe);
        table.serve(
                ApiKeys.DELETE_GROUPS, DeleteGroupsRequestData.class, background, admin::delete);
        table.serve(
                ApiKeys.OFFSET_DELETE,
                OffsetDeleteRequestData.class,
                background,
                groups.deletions());
    }

    /** Serves transactions. */
    ApiRegistration serveTransactions(TransactionHandlers transactions) {
        transactions.serve(table, threads.transactions(), threads.admin());
        return this;
    }

    ApiTable table() {
        return table;
    }

    /**
     * Serves the log: metadata, produce, fetch, offsets.
     *
     * @param usage the quotas, and how much clients have used of them
     */
    ApiRegistration serveLog(QuotaUsage usage, FreeSpace space) {
        table.serve(
                ApiKeys.METADATA,
                MetadataRequestData.class,
                new MetadataHandler(topics, nodes, threads.admin(), usage, audit::created));
        table.serve(
                ApiKeys.PRODUCE,
                ProduceRequestData.class,
                new ProduceHandler(
                        topics,
                        System::currentTimeMillis,
                        new DecompressionQueue(threads.decompression()),
                        usage,
                        space));
        table.serve(
                ApiKeys.FETCH,
                FetchRequestData.class,
                new FetchHandler(topics, threads.reads(), usage));
        table.serve(
                ApiKeys.LIST_OFFSETS,
                ListOffsetsRequestData.class,
                threads.timestamps(),
                new ListOffsetsHandler(topics));
        return this;
    }

    private void serveTopics(QuotaUsage usage, Executor background) {
        TopicAdmin admin = new TopicAdmin(topics, usage);
        table.serve(
                ApiKeys.CREATE_TOPICS,
                CreateTopicsRequestData.class,
                background,
                new CreateTopicsHandler(topics, usage));
        table.serve(
                ApiKeys.DELETE_TOPICS, DeleteTopicsRequestData.class, background, admin::delete);
        table.serve(
                ApiKeys.CREATE_PARTITIONS,
                CreatePartitionsRequestData.class,
                background,
                admin::createPartitions);
        table.serve(
                ApiKeys.DELETE_RECORDS,
                DeleteRecordsRequestData.class,
                background,
                admin::deleteRecords);
    }
}
