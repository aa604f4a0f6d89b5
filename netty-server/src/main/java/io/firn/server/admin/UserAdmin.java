package io.firn.server.admin;

import io.firn.server.log.ErrorMapper;
import io.firn.server.security.Right;
import io.firn.server.security.ScramUsers;
import io.firn.server.security.ScramUsers.User;
import io.firn.server.wire.Exchange;
import java.io.IOException;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData.ScramCredentialDeletion;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData.ScramCredentialUpsertion;
import org.apache.kafka.common.message.AlterUserScramCredentialsResponseData;
import org.apache.kafka.common.message.AlterUserScramCredentialsResponseData.AlterUserScramCredentialsResult;
import org.apache.kafka.common.message.DescribeUserScramCredentialsRequestData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsRequestData.UserName;
import org.apache.kafka.common.message.DescribeUserScramCredentialsResponseData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsResponseData.CredentialInfo;
import org.apache.kafka.common.message.DescribeUserScramCredentialsResponseData.DescribeUserScramCredentialsResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;

/**
 * Handles AlterUserScramCredentials and DescribeUserScramCredentials. As in Kafka, the changes of a
 * user are made if all of them are valid; of those that are, all or none are written. Writes files.
 */
public final class UserAdmin {
    private static final int MOST_NAME_CHARS = 249;
    private static final int MOST_SALT_BYTES = 256;

    /** About what a change uses, with its result, as objects. */
    private static final int CHANGE_BYTES = 500;

    private final ScramUsers users;

    /** Creates the handlers. */
    public UserAdmin(ScramUsers users) {
        this.users = users;
    }

    /** The changes of one user, or why there are none. */
    private static final class Changes {
        private final Map<User, ScramCredential> all = new HashMap<>();
        private ApiException error;

        void fail(Errors code, String why) {
            if (error == null) {
                error = code.exception(why);
            }
        }
    }

    /** Handles AlterUserScramCredentials. */
    public void alter(Exchange exchange, AlterUserScramCredentialsRequestData request) {
        exchange.connection().access().demand(Right.ALTER_USERS);
        Map<String, Changes> byName = new LinkedHashMap<>();
        List<Runnable> all = new ArrayList<>();
        request.deletions().forEach(each -> all.add(() -> delete(byName, each)));
        request.upsertions().forEach(each -> all.add(() -> upsert(byName, each)));
        exchange.inSteps( // nothing is changed before all was checked
                all,
                each -> {
                    exchange.addAnswerBytes(CHANGE_BYTES);
                    each.run();
                },
                () -> {
                    if (!exchange.isOpen()) {
                        exchange.fail(
                                new IllegalStateException(
                                        "the client has gone before all was checked"));
                        return;
                    }
                    apply(byName);
                    exchange.reply(response(byName));
                });
    }

    private void delete(Map<String, Changes> byName, ScramCredentialDeletion asked) {
        Changes changes = byName.computeIfAbsent(asked.name(), name -> new Changes());
        User user = user(changes, asked.name(), asked.mechanism());
        if (user != null && !users.all().containsKey(user)) {
            changes.fail(
                    Errors.RESOURCE_NOT_FOUND,
                    "Attempt to delete a user credential that does not exist");
        }
        add(changes, user, null);
    }

    private static void upsert(Map<String, Changes> byName, ScramCredentialUpsertion asked) {
        Changes changes = byName.computeIfAbsent(asked.name(), name -> new Changes());
        User user = user(changes, asked.name(), asked.mechanism());
        add(changes, user, user == null ? null : credential(changes, user, asked));
    }

    private static AlterUserScramCredentialsResponseData response(Map<String, Changes> byName) {
        AlterUserScramCredentialsResponseData response =
                new AlterUserScramCredentialsResponseData();
        byName.forEach(
                (name, changes) -> {
                    AlterUserScramCredentialsResult result =
                            new AlterUserScramCredentialsResult().setUser(name);
                    if (changes.error != null) {
                        result.setErrorCode(Errors.forException(changes.error).code())
                                .setErrorMessage(changes.error.getMessage());
                    }
                    response.results().add(result);
                });
        return response;
    }

    private static void add(Changes changes, User user, ScramCredential credential) {
        if (user != null && changes.all.containsKey(user)) {
            changes.fail(
                    Errors.DUPLICATE_RESOURCE,
                    "A user credential cannot be altered twice in the same request");
        } else if (user != null) {
            changes.all.put(user, credential);
        }
    }

    private static User user(Changes changes, String name, byte type) {
        ScramMechanism mechanism =
                Arrays.stream(ScramMechanism.values())
                        .filter(each -> each.type() == type)
                        .findAny()
                        .orElse(null);
        if (name.isEmpty()) {
            changes.fail(Errors.UNACCEPTABLE_CREDENTIAL, "Username must not be empty");
        } else if (name.length() > MOST_NAME_CHARS) {
            changes.fail(
                    Errors.UNACCEPTABLE_CREDENTIAL,
                    "Username must not have more than " + MOST_NAME_CHARS + " characters");
        } else if (mechanism == null) {
            changes.fail(Errors.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism");
        } else {
            return new User(name, mechanism);
        }
        return null;
    }

    private static ScramCredential credential(
            Changes changes, User user, ScramCredentialUpsertion asked) {
        ScramMechanism mechanism = user.mechanism();
        if (asked.iterations() < mechanism.minIterations()) {
            changes.fail(Errors.UNACCEPTABLE_CREDENTIAL, "Too few iterations");
        } else if (asked.iterations() > mechanism.maxIterations()) {
            changes.fail(Errors.UNACCEPTABLE_CREDENTIAL, "Too many iterations");
        } else if (asked.salt().length == 0 || asked.salt().length > MOST_SALT_BYTES) {
            changes.fail(
                    Errors.UNACCEPTABLE_CREDENTIAL,
                    "A salt must have from 1 to " + MOST_SALT_BYTES + " bytes");
        } else {
            try {
                return new ScramFormatter(mechanism)
                        .generateCredential(
                                asked.salt(), asked.saltedPassword(), asked.iterations());
            } catch (NoSuchAlgorithmException | RuntimeException e) {
                changes.fail(Errors.UNACCEPTABLE_CREDENTIAL, "The salted password is invalid");
            }
        }
        return null;
    }

    private void apply(Map<String, Changes> byName) {
        Map<User, ScramCredential> valid = new HashMap<>();
        for (Changes each : byName.values()) {
            if (each.error == null) {
                valid.putAll(each.all);
            }
        }
        if (valid.isEmpty()) {
            return;
        }
        try {
            if (!users.change(valid)) {
                byName.values()
                        .forEach(
                                each ->
                                        each.fail(
                                                Errors.POLICY_VIOLATION,
                                                "There are too many users"));
            }
        } catch (IOException e) {
            String told = ErrorMapper.notWritten(e);
            byName.values().forEach(each -> each.fail(Errors.KAFKA_STORAGE_ERROR, told));
        }
    }

    /** Handles DescribeUserScramCredentials; shows neither salts nor keys. */
    public void describe(Exchange exchange, DescribeUserScramCredentialsRequestData request) {
        exchange.connection().access().demand(Right.DESCRIBE_USERS);
        Map<String, List<CredentialInfo>> known = new TreeMap<>();
        users.all()
                .forEach(
                        (user, credential) ->
                                known.computeIfAbsent(user.name(), name -> new ArrayList<>())
                                        .add(
                                                new CredentialInfo()
                                                        .setMechanism(user.mechanism().type())
                                                        .setIterations(credential.iterations())));
        DescribeUserScramCredentialsResponseData response =
                new DescribeUserScramCredentialsResponseData();
        if (request.users() == null || request.users().isEmpty()) {
            known.forEach(
                    (name, infos) ->
                            response.results().add(result(name).setCredentialInfos(infos)));
            exchange.reply(response);
            return;
        }
        Set<String> twice = new HashSet<>();
        Set<String> once = new HashSet<>();
        for (UserName each : request.users()) {
            if (!once.add(each.name())) {
                twice.add(each.name());
            }
        }
        for (String name : once) {
            DescribeUserScramCredentialsResult result = result(name);
            if (twice.contains(name)) {
                result.setErrorCode(Errors.DUPLICATE_RESOURCE.code())
                        .setErrorMessage(
                                "Cannot describe SCRAM credentials for the same user twice in a"
                                        + " single request: "
                                        + name);
            } else if (!known.containsKey(name)) {
                result.setErrorCode(Errors.RESOURCE_NOT_FOUND.code())
                        .setErrorMessage(
                                "Attempt to describe a user credential that does not exist: "
                                        + name);
            } else {
                result.setCredentialInfos(known.get(name));
            }
            response.results().add(result);
        }
        exchange.reply(response);
    }

    private static DescribeUserScramCredentialsResult result(String name) {
        return new DescribeUserScramCredentialsResult().setUser(name);
    }
}
