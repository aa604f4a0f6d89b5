package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/xdg-go/scram"
)

type saramaClient struct{ bootstrap []string }

func newSarama(bootstrap string) client { return saramaClient{[]string{bootstrap}} }

func (saramaClient) module() string { return "github.com/IBM/sarama" }

func config() *sarama.Config {
	c := sarama.NewConfig()
	c.Version = sarama.MaxVersion
	c.Producer.Return.Successes = true
	c.Producer.Idempotent = true
	c.Producer.RequiredAcks = sarama.WaitForAll
	c.Producer.Compression = sarama.CompressionSnappy
	c.Net.MaxOpenRequests = 1 // what its idempotent producer asks for
	c.Consumer.Offsets.Initial = sarama.OffsetOldest
	c.Consumer.Offsets.AutoCommit.Enable = false
	c.Consumer.Return.Errors = true
	trusted, err := trusted()
	if err != nil {
		panic(err)
	}
	if trusted != nil {
		c.Net.TLS.Enable = true
		c.Net.TLS.Config = trusted
	}
	if user := os.Getenv("FIRN_CLIENT_USER"); user != "" {
		c.Net.SASL.Enable = true
		c.Net.SASL.User = user
		c.Net.SASL.Password = os.Getenv("FIRN_CLIENT_PASSWORD")
		c.Net.SASL.Mechanism = sarama.SASLTypeSCRAMSHA512
		c.Net.SASL.SCRAMClientGeneratorFunc = func() sarama.SCRAMClient { return &conversation{} }
	}
	return c
}

// SCRAM, which sarama leaves to its user.
type conversation struct{ *scram.ClientConversation }

func (c *conversation) Begin(user, password, authorization string) error {
	client, err := scram.SHA512.NewClient(user, password, authorization)
	if err == nil {
		c.ClientConversation = client.NewConversation()
	}
	return err
}

func (s saramaClient) create(name string) error {
	admin, err := sarama.NewClusterAdmin(s.bootstrap, config())
	if err != nil {
		return err
	}
	defer admin.Close()
	topic := &sarama.TopicDetail{NumPartitions: partitions, ReplicationFactor: 1}
	return admin.CreateTopic(name, topic, false)
}

func (s saramaClient) produce(name string, values []string) error {
	producer, err := sarama.NewSyncProducer(s.bootstrap, config())
	if err != nil {
		return err
	}
	defer producer.Close()
	messages := make([]*sarama.ProducerMessage, 0, len(values))
	for _, value := range values {
		messages = append(messages, &sarama.ProducerMessage{
			Topic: name, Key: sarama.StringEncoder(value), Value: sarama.StringEncoder(value),
		})
	}
	return producer.SendMessages(messages)
}

// Collects records of all claims until there are enough, then commits.
type collector struct {
	sync.Mutex
	found  []record
	wanted int
	enough context.CancelFunc
}

func (*collector) Setup(sarama.ConsumerGroupSession) error { return nil }

func (*collector) Cleanup(session sarama.ConsumerGroupSession) error {
	session.Commit()
	return nil
}

func (c *collector) ConsumeClaim(
	session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim,
) error {
	for {
		select {
		case m, open := <-claim.Messages():
			if !open {
				return nil
			}
			session.MarkMessage(m, "")
			c.Lock()
			c.found = append(c.found, record{m.Partition, m.Offset, string(m.Value)})
			if len(c.found) == c.wanted {
				c.enough()
			}
			c.Unlock()
		case <-session.Context().Done():
			return nil
		}
	}
}

func (s saramaClient) consume(name string, count int) ([]record, error) {
	group, err := sarama.NewConsumerGroup(s.bootstrap, name, config())
	if err != nil {
		return nil, err
	}
	defer group.Close()
	late, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ctx, enough := context.WithCancel(late)
	defer enough()
	c := &collector{wanted: count, enough: enough}
	for ctx.Err() == nil {
		if err := group.Consume(ctx, []string{name}, c); err != nil {
			return c.found, err
		}
	}
	if late.Err() != nil {
		return c.found, fmt.Errorf("after %d records: %w", len(c.found), late.Err())
	}
	select {
	case err := <-group.Errors():
		return c.found, err
	default:
		return c.found, nil
	}
}

// Prints what it gets.
type printer struct{}

func (printer) Setup(sarama.ConsumerGroupSession) error { return nil }

func (printer) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (printer) ConsumeClaim(
	session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim,
) error {
	for m := range claim.Messages() {
		fmt.Println(string(m.Value))
		session.MarkMessage(m, "")
	}
	return nil
}

func (s saramaClient) member(name string) error {
	c := config()
	c.Consumer.Return.Errors = false
	c.Consumer.Group.Session.Timeout = 6 * time.Second
	c.Consumer.Group.Heartbeat.Interval = time.Second
	c.Consumer.Offsets.AutoCommit.Enable = true
	c.Consumer.Offsets.AutoCommit.Interval = 500 * time.Millisecond
	group, err := sarama.NewConsumerGroup(s.bootstrap, name, c)
	if err != nil {
		return err
	}
	for {
		if err := group.Consume(context.Background(), []string{name}, printer{}); err != nil {
			return err
		}
	}
}

func (saramaClient) transactions(string) error {
	return fmt.Errorf("not tried")
}

func (saramaClient) copier(string, string) error {
	return fmt.Errorf("not tried")
}

func (s saramaClient) list() ([]string, error) {
	admin, err := sarama.NewClusterAdmin(s.bootstrap, config())
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	topics, err := admin.ListTopics()
	var names []string
	for name := range topics {
		names = append(names, name)
	}
	return names, err
}

func (s saramaClient) pattern(string) error {
	return fmt.Errorf("sarama subscribes to names, not to patterns")
}

func (s saramaClient) committed(name string) (int64, error) {
	admin, err := sarama.NewClusterAdmin(s.bootstrap, config())
	if err != nil {
		return 0, err
	}
	defer admin.Close()
	asked := map[string][]int32{name: {0, 1, 2}}
	offsets, err := admin.ListConsumerGroupOffsets(name, asked)
	if err != nil {
		return 0, err
	}
	var sum int64
	for p := int32(0); p < partitions; p++ {
		block := offsets.GetBlock(name, p)
		if block == nil {
			return 0, fmt.Errorf("no answer for partition %d", p)
		}
		if block.Err != sarama.ErrNoError {
			return 0, block.Err
		}
		sum += max(0, block.Offset)
	}
	return sum, nil
}
