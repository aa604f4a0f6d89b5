package io.firn.server.admin;

import io.firn.server.security.AuditLog;
import io.firn.server.wire.ApiTable;
import io.firn.server.wire.ClientConnection;
import io.firn.server.wire.Exchange;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterUserScramCredentialsResponseData;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreateAclsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteAclsResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.resource.ResourceType;

/** Logs administrative changes with their results, one line for each resource. Thread-safe. */
public final class AdminAudit implements ApiTable.Observer {
    private final AuditLog audit;

    /** Creates an observer of all administrative requests. */
    public AdminAudit(AuditLog audit) {
        this.audit = audit;
    }

    @Override
    public boolean isInterestedIn(Exchange exchange) {
        return switch (exchange.key()) {
            case CREATE_TOPICS,
                    DELETE_TOPICS,
                    CREATE_PARTITIONS,
                    DELETE_RECORDS,
                    ALTER_CONFIGS,
                    INCREMENTAL_ALTER_CONFIGS,
                    ALTER_USER_SCRAM_CREDENTIALS,
                    ALTER_CLIENT_QUOTAS,
                    CREATE_ACLS,
                    DELETE_ACLS,
                    DELETE_GROUPS,
                    OFFSET_DELETE,
                    WRITE_TXN_MARKERS ->
                    true;
            default -> false;
        };
    }

    /** Logs that a topic was created, or that it failed, because a client has asked about it. */
    public void created(Exchange exchange, String topic, Errors result) {
        new Lines(exchange).topic(topic, result.code());
    }

    /** Logs that somebody has removed another one from a group, or has failed to. */
    public void removed(Exchange exchange, String group, String member, Errors result) {
        new Lines(exchange).line("Member:" + group + "," + member, result.code());
    }

    @Override
    public void onAnswer(Exchange exchange, ApiMessage request, ApiMessage response) {
        Lines to = new Lines(exchange);
        if (response == null) {
            to.line("-", Errors.UNKNOWN_SERVER_ERROR.code()); // the request failed as a whole
        } else if (response instanceof CreateTopicsResponseData answer) {
            if (!((CreateTopicsRequestData) request).validateOnly()) {
                answer.topics().forEach(each -> to.topic(each.name(), each.errorCode()));
            }
        } else if (response instanceof DeleteTopicsResponseData answer) {
            for (var each : answer.responses()) {
                String name = each.name() == null ? each.topicId().toString() : each.name();
                to.topic(name, each.errorCode());
            }
        } else if (response instanceof CreatePartitionsResponseData answer) {
            if (!((CreatePartitionsRequestData) request).validateOnly()) {
                answer.results().forEach(each -> to.topic(each.name(), each.errorCode()));
            }
        } else if (response instanceof DeleteRecordsResponseData answer) {
            for (var topic : answer.topics()) {
                for (var each : topic.partitions()) {
                    String name = topic.name() + "-" + each.partitionIndex();
                    to.line("Partition:" + name, each.errorCode());
                }
            }
        } else {
            onOther(to, request, response);
        }
    }

    private static void onOther(Lines to, ApiMessage request, ApiMessage response) {
        if (response instanceof AlterConfigsResponseData answer) {
            if (!((AlterConfigsRequestData) request).validateOnly()) {
                for (var each : answer.responses()) {
                    to.config(each.resourceType(), each.resourceName(), each.errorCode());
                }
            }
        } else if (response instanceof IncrementalAlterConfigsResponseData answer) {
            if (!((IncrementalAlterConfigsRequestData) request).validateOnly()) {
                for (var each : answer.responses()) {
                    to.config(each.resourceType(), each.resourceName(), each.errorCode());
                }
            }
        } else if (response instanceof AlterUserScramCredentialsResponseData answer) {
            answer.results().forEach(each -> to.line("User:" + each.user(), each.errorCode()));
        } else if (response instanceof AlterClientQuotasResponseData answer) {
            if (!((AlterClientQuotasRequestData) request).validateOnly()) {
                answer.entries().forEach(each -> to.quota(each.entity(), each.errorCode()));
            }
        } else if (response instanceof DeleteGroupsResponseData answer) {
            answer.results().forEach(each -> to.line("Group:" + each.groupId(), each.errorCode()));
        } else if (response instanceof OffsetDeleteResponseData answer) {
            String group = ((OffsetDeleteRequestData) request).groupId();
            to.line("Group:" + group, answer.errorCode());
        } else if (response instanceof WriteTxnMarkersResponseData answer) {
            for (var marker : answer.markers()) {
                for (var topic : marker.topics()) {
                    for (var each : topic.partitions()) {
                        String name = topic.name() + "-" + each.partitionIndex();
                        to.line(
                                "Transaction:" + marker.producerId() + "," + name,
                                each.errorCode());
                    }
                }
            }
        } else {
            onAcls(to, request, response);
        }
    }

    private static void onAcls(Lines to, ApiMessage request, ApiMessage response) {
        if (response instanceof CreateAclsResponseData answer) {
            var asked = ((CreateAclsRequestData) request).creations();
            for (int i = 0; i < Math.min(asked.size(), answer.results().size()); i++) {
                var one = asked.get(i);
                to.line(
                        acl(
                                one.permissionType(),
                                one.principal(),
                                one.operation(),
                                one.resourceType(),
                                one.resourceName()),
                        answer.results().get(i).errorCode());
            }
        } else if (response instanceof DeleteAclsResponseData answer) {
            for (var result : answer.filterResults()) {
                for (var one : result.matchingAcls()) {
                    to.line(
                            acl(
                                    one.permissionType(),
                                    one.principal(),
                                    one.operation(),
                                    one.resourceType(),
                                    one.resourceName()),
                            one.errorCode());
                }
            }
        }
    }

    /** The lines of one request. */
    private final class Lines {
        private final AuditLog.Client client;
        private final String api;

        Lines(Exchange exchange) {
            ClientConnection from = exchange.connection();
            this.client =
                    new AuditLog.Client(from.principal(), from.peerAddress(), from.listener());
            this.api = exchange.key().name();
        }

        void line(String resource, short error) {
            audit.changed(client, api, resource, Errors.forCode(error).name());
        }

        void topic(String name, short error) {
            line("Topic:" + name, error);
        }

        void config(byte type, String name, short error) {
            line(ConfigResource.Type.forId(type) + ":" + name, error);
        }

        void quota(List<AlterClientQuotasResponseData.EntityData> entity, short error) {
            String names =
                    entity.stream()
                            .map(
                                    each ->
                                            each.entityType()
                                                    + ":"
                                                    + (each.entityName() == null
                                                            ? "<default>"
                                                            : each.entityName()))
                            .collect(Collectors.joining(","));
            line("Quota:" + names, error);
        }
    }

    private static String acl(
            byte permission, String principal, byte operation, byte type, String name) {
        return "Acl:"
                + AclPermissionType.fromCode(permission)
                + ","
                + principal
                + ","
                + AclOperation.fromCode(operation)
                + ","
                + ResourceType.fromCode(type)
                + ":"
                + name;
    }
}
