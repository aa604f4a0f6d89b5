package main

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

type franz struct{ bootstrap string }

func newFranz(bootstrap string) client { return franz{bootstrap} }

func (franz) module() string { return "github.com/twmb/franz-go" }

func (f franz) with(options ...kgo.Opt) (*kgo.Client, error) {
	all, err := f.options(options...)
	if err != nil {
		return nil, err
	}
	return kgo.NewClient(all...)
}

func (f franz) options(options ...kgo.Opt) ([]kgo.Opt, error) {
	trusted, err := trusted()
	if err != nil {
		return nil, err
	}
	if trusted != nil {
		options = append(options, kgo.DialTLSConfig(trusted))
	}
	if user := os.Getenv("FIRN_CLIENT_USER"); user != "" {
		auth := scram.Auth{User: user, Pass: os.Getenv("FIRN_CLIENT_PASSWORD")}
		options = append(options, kgo.SASL(auth.AsSha512Mechanism()))
	}
	return append(options, kgo.SeedBrokers(f.bootstrap)), nil
}

func (f franz) create(name string) error {
	c, err := f.with()
	if err != nil {
		return err
	}
	defer c.Close()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic = name
	topic.NumPartitions = partitions
	topic.ReplicationFactor = 1
	request := kmsg.NewPtrCreateTopicsRequest()
	request.Topics = append(request.Topics, topic)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	response, err := request.RequestWith(ctx, c)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(response.Topics[0].ErrorCode)
}

func (f franz) produce(name string, values []string) error {
	c, err := f.with(kgo.ProducerBatchCompression(kgo.ZstdCompression()))
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	records := make([]*kgo.Record, 0, len(values))
	for _, value := range values {
		records = append(records, &kgo.Record{Topic: name, Key: []byte(value), Value: []byte(value)})
	}
	return c.ProduceSync(ctx, records...).FirstErr()
}

func (f franz) consume(name string, count int) ([]record, error) {
	c, err := f.with(
		kgo.ConsumerGroup(name),
		kgo.ConsumeTopics(name),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(),
	)
	if err != nil {
		return nil, err
	}
	defer c.Close() // leaves the group
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var found []record
	for len(found) < count {
		fetches := c.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return found, fmt.Errorf("after %d records: %w", len(found), err)
		}
		for _, e := range fetches.Errors() {
			return found, e.Err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			found = append(found, record{r.Partition, r.Offset, string(r.Value)})
		})
	}
	return found, c.CommitUncommittedOffsets(ctx)
}

func (f franz) transactions(name string) error {
	copied := name + "-copy"
	if err := f.create(copied); err != nil {
		return err
	}
	options, err := f.options(
		kgo.TransactionalID(copied),
		kgo.ConsumerGroup(copied),
		kgo.ConsumeTopics(name),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxPartitionBytes(2000),
	)
	if err != nil {
		return err
	}
	session, err := kgo.NewGroupTransactSession(options...)
	if err != nil {
		return err
	}
	defer session.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	done := 0
	for number := 1; done < 2*count; number++ {
		fetches := session.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return fmt.Errorf("after %d records: %w", done, err)
		}
		if err := session.Begin(); err != nil {
			return err
		}
		var records []*kgo.Record
		fetches.EachRecord(func(r *kgo.Record) {
			records = append(records, &kgo.Record{Topic: copied, Key: r.Key, Value: r.Value})
		})
		if err := session.ProduceSync(ctx, records...).FirstErr(); err != nil {
			return err
		}
		committed, err := session.End(ctx, kgo.TransactionEndTry(number%3 != 0))
		if err != nil {
			return err
		}
		if committed {
			done += len(records)
		}
	}
	return f.checkCopy(ctx, copied)
}

func (f franz) copier(name, member string) error {
	copied := name + "-copy"
	options, err := f.options(
		kgo.TransactionalID(copied+"-"+member),
		kgo.ConsumerGroup(copied),
		kgo.ConsumeTopics(name),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.RequireStableFetchOffsets(),
		kgo.SessionTimeout(6*time.Second),
		kgo.HeartbeatInterval(500*time.Millisecond),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
	)
	if err != nil {
		return err
	}
	session, err := kgo.NewGroupTransactSession(options...)
	if err != nil {
		return err
	}
	ctx := context.Background()
	for {
		fetches := session.PollRecords(ctx, 1+rand.Intn(100))
		if err := session.Begin(); err != nil {
			return err
		}
		var records []*kgo.Record
		fetches.EachRecord(func(r *kgo.Record) {
			records = append(records, &kgo.Record{Topic: copied, Partition: r.Partition, Key: r.Key, Value: r.Value})
		})
		failed := session.ProduceSync(ctx, records...).FirstErr()
		try := failed == nil && rand.Intn(4) != 0
		committed, err := session.End(ctx, kgo.TransactionEndTry(try))
		if err != nil {
			return err
		}
		if committed {
			fmt.Println(len(records))
		}
	}
}

// checkCopy sees each value once, and more of them with those that were aborted.
func (f franz) checkCopy(ctx context.Context, copied string) error {
	times := map[string]int{}
	if err := f.readAll(ctx, copied, kgo.ReadCommitted(), times); err != nil {
		return err
	}
	for i := 0; i < 2*count; i++ {
		if value := fmt.Sprintf("value-%d", i); times[value] != 1 {
			return fmt.Errorf("%s came %d times", value, times[value])
		}
	}
	withAborted := map[string]int{}
	if err := f.readAll(ctx, copied, kgo.ReadUncommitted(), withAborted); err != nil {
		return err
	}
	for _, n := range withAborted {
		if n > 1 {
			return nil
		}
	}
	return fmt.Errorf("nothing was aborted")
}

// readAll reads up to the end of each partition.
func (f franz) readAll(
	ctx context.Context, topic string, isolation kgo.IsolationLevel, times map[string]int,
) error {
	c, err := f.with(
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(isolation),
		kgo.KeepControlRecords(),
	)
	if err != nil {
		return err
	}
	defer c.Close()
	ended := map[int32]bool{}
	for len(ended) < partitions {
		fetches := c.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return fmt.Errorf("at the ends of %d partitions: %w", len(ended), err)
		}
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			for _, r := range p.Records {
				if !r.Attrs.IsControl() {
					times[string(r.Value)]++
				}
				if r.Offset+1 >= p.LastStableOffset {
					ended[p.Partition] = true
				}
			}
		})
	}
	return nil
}

func (f franz) list() ([]string, error) {
	c, err := f.with()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request := kmsg.NewPtrMetadataRequest() // of all topics, since it names none
	response, err := request.RequestWith(ctx, c)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, topic := range response.Topics {
		names = append(names, *topic.Topic)
	}
	return names, nil
}

func (f franz) member(name string) error {
	return f.print(name, kgo.ConsumeTopics(name))
}

func (f franz) pattern(name string) error {
	return f.print(
		name, kgo.ConsumeTopics(topics), kgo.ConsumeRegex(), kgo.MetadataMaxAge(refresh),
		kgo.MetadataMinAge(refresh/2),
	)
}

func (f franz) print(name string, which ...kgo.Opt) error {
	c, err := f.with(append(
		which,
		kgo.ConsumerGroup(name),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.SessionTimeout(6*time.Second),
		kgo.HeartbeatInterval(time.Second),
		kgo.AutoCommitInterval(500*time.Millisecond),
	)...)
	if err != nil {
		return err
	}
	for {
		c.PollFetches(context.Background()).EachRecord(func(r *kgo.Record) {
			fmt.Println(string(r.Value))
		})
	}
}

func (f franz) committed(name string) (int64, error) {
	c, err := f.with()
	if err != nil {
		return 0, err
	}
	defer c.Close()
	group := kmsg.NewOffsetFetchRequestGroup()
	group.Group = name
	request := kmsg.NewPtrOffsetFetchRequest()
	request.Groups = append(request.Groups, group)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	response, err := request.RequestWith(ctx, c)
	if err != nil {
		return 0, err
	}
	if err := kerr.ErrorForCode(response.Groups[0].ErrorCode); err != nil {
		return 0, err
	}
	var sum int64
	for _, topic := range response.Groups[0].Topics {
		for _, partition := range topic.Partitions {
			sum += max(0, partition.Offset)
		}
	}
	return sum, nil
}
