package io.firn.server.security;

import static org.apache.kafka.common.acl.AclOperation.ALTER;
import static org.apache.kafka.common.acl.AclOperation.ALTER_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.CLUSTER_ACTION;
import static org.apache.kafka.common.acl.AclOperation.CREATE;
import static org.apache.kafka.common.acl.AclOperation.DELETE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.IDEMPOTENT_WRITE;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;
import static org.apache.kafka.common.resource.ResourceType.CLUSTER;
import static org.apache.kafka.common.resource.ResourceType.GROUP;
import static org.apache.kafka.common.resource.ResourceType.TOPIC;
import static org.apache.kafka.common.resource.ResourceType.TRANSACTIONAL_ID;

import java.util.EnumSet;
import java.util.Set;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.resource.ResourceType;

/**
 * What a client needs for each API: an operation on a resource, as in Kafka. Where an API has
 * several rows, its handler says which of them are alternatives.
 */
public enum Right {
    PRODUCE(ApiKeys.PRODUCE, WRITE, TOPIC),
    /** Besides {@link #PRODUCE}, for batches of a transaction. */
    PRODUCE_IN_TRANSACTION(ApiKeys.PRODUCE, WRITE, TRANSACTIONAL_ID),
    FETCH(ApiKeys.FETCH, READ, TOPIC),
    /** With a replica id, as another broker has. */
    FETCH_AS_REPLICA(ApiKeys.FETCH, CLUSTER_ACTION, CLUSTER),
    LIST_OFFSETS(ApiKeys.LIST_OFFSETS, DESCRIBE, TOPIC),
    LIST_OFFSETS_AS_REPLICA(ApiKeys.LIST_OFFSETS, CLUSTER_ACTION, CLUSTER),
    EPOCHS(ApiKeys.OFFSET_FOR_LEADER_EPOCH, DESCRIBE, TOPIC),
    /** Instead of the right on each topic. */
    EPOCHS_OF_ALL(ApiKeys.OFFSET_FOR_LEADER_EPOCH, CLUSTER_ACTION, CLUSTER),
    METADATA(ApiKeys.METADATA, DESCRIBE, TOPIC),
    /** To create a topic by asking for it; besides {@link #METADATA}. */
    METADATA_CREATE(ApiKeys.METADATA, CREATE, TOPIC),
    METADATA_CREATE_ANY(ApiKeys.METADATA, CREATE, CLUSTER),
    DESCRIBE_TOPICS(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, DESCRIBE, TOPIC),
    INIT_PRODUCER_ID(ApiKeys.INIT_PRODUCER_ID, IDEMPOTENT_WRITE, CLUSTER),
    /** On any topic; instead of {@link #INIT_PRODUCER_ID}. */
    INIT_PRODUCER_ID_TO_WRITE(ApiKeys.INIT_PRODUCER_ID, WRITE, TOPIC),
    /** With a transactional id; instead of the others. */
    INIT_TRANSACTIONS(ApiKeys.INIT_PRODUCER_ID, WRITE, TRANSACTIONAL_ID),
    ADD_PARTITIONS(ApiKeys.ADD_PARTITIONS_TO_TXN, WRITE, TRANSACTIONAL_ID),
    ADD_PARTITIONS_TOPIC(ApiKeys.ADD_PARTITIONS_TO_TXN, WRITE, TOPIC),
    ADD_OFFSETS(ApiKeys.ADD_OFFSETS_TO_TXN, WRITE, TRANSACTIONAL_ID),
    ADD_OFFSETS_GROUP(ApiKeys.ADD_OFFSETS_TO_TXN, READ, GROUP),
    COMMIT_IN_TRANSACTION(ApiKeys.TXN_OFFSET_COMMIT, WRITE, TRANSACTIONAL_ID),
    COMMIT_IN_TRANSACTION_GROUP(ApiKeys.TXN_OFFSET_COMMIT, READ, GROUP),
    COMMIT_IN_TRANSACTION_TOPIC(ApiKeys.TXN_OFFSET_COMMIT, READ, TOPIC),
    END_TRANSACTION(ApiKeys.END_TXN, WRITE, TRANSACTIONAL_ID),
    WRITE_MARKERS(ApiKeys.WRITE_TXN_MARKERS, ALTER, CLUSTER),
    /** Instead of {@link #WRITE_MARKERS}. */
    WRITE_MARKERS_AS_BROKER(ApiKeys.WRITE_TXN_MARKERS, CLUSTER_ACTION, CLUSTER),
    DESCRIBE_PRODUCERS(ApiKeys.DESCRIBE_PRODUCERS, READ, TOPIC),
    DESCRIBE_TRANSACTION(ApiKeys.DESCRIBE_TRANSACTIONS, DESCRIBE, TRANSACTIONAL_ID),
    /** To be told that the topic is in the transaction. */
    DESCRIBE_TRANSACTION_TOPIC(ApiKeys.DESCRIBE_TRANSACTIONS, DESCRIBE, TOPIC),
    LIST_TRANSACTION(ApiKeys.LIST_TRANSACTIONS, DESCRIBE, TRANSACTIONAL_ID),

    FIND_COORDINATOR(ApiKeys.FIND_COORDINATOR, DESCRIBE, GROUP),
    FIND_TRANSACTION_COORDINATOR(ApiKeys.FIND_COORDINATOR, DESCRIBE, TRANSACTIONAL_ID),
    JOIN_GROUP(ApiKeys.JOIN_GROUP, READ, GROUP),
    SYNC_GROUP(ApiKeys.SYNC_GROUP, READ, GROUP),
    HEARTBEAT(ApiKeys.HEARTBEAT, READ, GROUP),
    LEAVE_GROUP(ApiKeys.LEAVE_GROUP, READ, GROUP),
    COMMIT(ApiKeys.OFFSET_COMMIT, READ, GROUP),
    COMMIT_TOPIC(ApiKeys.OFFSET_COMMIT, READ, TOPIC),
    OFFSET_FETCH(ApiKeys.OFFSET_FETCH, DESCRIBE, GROUP),
    OFFSET_FETCH_TOPIC(ApiKeys.OFFSET_FETCH, DESCRIBE, TOPIC),
    LIST_GROUPS(ApiKeys.LIST_GROUPS, DESCRIBE, CLUSTER),
    /** Instead of {@link #LIST_GROUPS}: the groups that the client may describe are listed. */
    LIST_GROUP(ApiKeys.LIST_GROUPS, DESCRIBE, GROUP),
    DESCRIBE_GROUP(ApiKeys.DESCRIBE_GROUPS, DESCRIBE, GROUP),
    DELETE_GROUP(ApiKeys.DELETE_GROUPS, DELETE, GROUP),
    DELETE_OFFSETS(ApiKeys.OFFSET_DELETE, DELETE, GROUP),
    DELETE_OFFSETS_TOPIC(ApiKeys.OFFSET_DELETE, READ, TOPIC),

    CREATE_TOPIC(ApiKeys.CREATE_TOPICS, CREATE, TOPIC),
    /** Instead of {@link #CREATE_TOPIC}. */
    CREATE_TOPICS(ApiKeys.CREATE_TOPICS, CREATE, CLUSTER),
    /** To be told the configuration of the new topic. */
    CREATED_CONFIGS(ApiKeys.CREATE_TOPICS, DESCRIBE_CONFIGS, TOPIC),
    DELETE_TOPIC(ApiKeys.DELETE_TOPICS, DELETE, TOPIC),
    /** Besides {@link #DELETE_TOPIC} for a name; to be told the name of an id that is refused. */
    DELETE_TOPIC_NAME(ApiKeys.DELETE_TOPICS, DESCRIBE, TOPIC),
    /** Instead of {@link #DELETE_TOPIC}. */
    DELETE_TOPICS(ApiKeys.DELETE_TOPICS, DELETE, CLUSTER),
    CREATE_PARTITIONS(ApiKeys.CREATE_PARTITIONS, ALTER, TOPIC),
    DELETE_RECORDS(ApiKeys.DELETE_RECORDS, DELETE, TOPIC),
    DESCRIBE_TOPIC_CONFIGS(ApiKeys.DESCRIBE_CONFIGS, DESCRIBE_CONFIGS, TOPIC),
    DESCRIBE_NODE_CONFIGS(ApiKeys.DESCRIBE_CONFIGS, DESCRIBE_CONFIGS, CLUSTER),
    ALTER_TOPIC_CONFIGS(ApiKeys.INCREMENTAL_ALTER_CONFIGS, ALTER_CONFIGS, TOPIC),
    ALTER_NODE_CONFIGS(ApiKeys.INCREMENTAL_ALTER_CONFIGS, ALTER_CONFIGS, CLUSTER),
    REPLACE_TOPIC_CONFIGS(ApiKeys.ALTER_CONFIGS, ALTER_CONFIGS, TOPIC),
    REPLACE_NODE_CONFIGS(ApiKeys.ALTER_CONFIGS, ALTER_CONFIGS, CLUSTER),
    DESCRIBE_LOG_DIRS(ApiKeys.DESCRIBE_LOG_DIRS, DESCRIBE, CLUSTER),
    ALTER_LOG_DIRS(ApiKeys.ALTER_REPLICA_LOG_DIRS, ALTER, CLUSTER),
    REASSIGN(ApiKeys.ALTER_PARTITION_REASSIGNMENTS, ALTER, CLUSTER),
    LIST_REASSIGNMENTS(ApiKeys.LIST_PARTITION_REASSIGNMENTS, DESCRIBE, CLUSTER),
    ELECT_LEADERS(ApiKeys.ELECT_LEADERS, ALTER, CLUSTER),
    DESCRIBE_QUORUM(ApiKeys.DESCRIBE_QUORUM, DESCRIBE, CLUSTER),
    LIST_RESOURCES(ApiKeys.LIST_CONFIG_RESOURCES, DESCRIBE_CONFIGS, CLUSTER),
    ALTER_USERS(ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, ALTER, CLUSTER),
    DESCRIBE_USERS(ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, DESCRIBE, CLUSTER),
    CREATE_ACLS(ApiKeys.CREATE_ACLS, ALTER, CLUSTER),
    DELETE_ACLS(ApiKeys.DELETE_ACLS, ALTER, CLUSTER),
    DESCRIBE_ACLS(ApiKeys.DESCRIBE_ACLS, DESCRIBE, CLUSTER),
    ALTER_QUOTAS(ApiKeys.ALTER_CLIENT_QUOTAS, ALTER_CONFIGS, CLUSTER),
    DESCRIBE_QUOTAS(ApiKeys.DESCRIBE_CLIENT_QUOTAS, DESCRIBE_CONFIGS, CLUSTER);

    /** The APIs that every client may use; those of SASL come before it is known who it is. */
    public static final Set<ApiKeys> FREE =
            EnumSet.of(
                    ApiKeys.API_VERSIONS,
                    ApiKeys.SASL_HANDSHAKE,
                    ApiKeys.SASL_AUTHENTICATE,
                    ApiKeys.DESCRIBE_CLUSTER);

    private final ApiKeys api;
    private final AclOperation operation;
    private final ResourceType resource;

    Right(ApiKeys api, AclOperation operation, ResourceType resource) {
        this.api = api;
        this.operation = operation;
        this.resource = resource;
    }

    /** Returns the API that asks for it. */
    public ApiKeys api() {
        return api;
    }

    /** Returns the operation. */
    public AclOperation operation() {
        return operation;
    }

    /** Returns the kind of the resource. */
    public ResourceType resource() {
        return resource;
    }

    /** Returns the error for a client that does not have it. */
    public Errors error() {
        return switch (resource) {
            case TOPIC -> Errors.TOPIC_AUTHORIZATION_FAILED;
            case GROUP -> Errors.GROUP_AUTHORIZATION_FAILED;
            case TRANSACTIONAL_ID -> Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
            default -> Errors.CLUSTER_AUTHORIZATION_FAILED;
        };
    }
}
