// The steps of scenario.py, with clients for Go: clients franz-go|sarama BOOTSTRAP NAME [member|list|pattern|transactions].
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

const (
	count      = 1000
	partitions = 3
	patience   = 60 * time.Second
	topics     = "^snow-.*"
	refresh    = 2 * time.Second
)

// A record as a consumer got it.
type record struct {
	partition int32
	offset    int64
	value     string
}

type client interface {
	module() string
	create(name string) error
	produce(name string, values []string) error
	// consume reads so many records with a group, commits, and leaves.
	consume(name string, count int) ([]record, error)
	// member prints the values that it gets as one of a group, without end.
	member(name string) error
	// list is the name of each topic that there is.
	list() ([]string, error)
	// pattern does as member does, of every topic that the pattern matches.
	pattern(name string) error
	// transactions copies the topic exactly once, as scenario.py does.
	transactions(name string) error
	// copier copies the topic as one of a group, as copiers.py wants it, without end.
	copier(name, member string) error
	// committed is the sum of the group's committed offsets.
	committed(name string) (int64, error)
}

func values(start int) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = fmt.Sprintf("value-%d", start+i)
	}
	return all
}

func check(found []record, start int) error {
	last := map[int32]int64{}
	times := map[string]int{}
	for _, r := range found {
		if before, ok := last[r.partition]; ok && r.offset != before+1 {
			return fmt.Errorf("partition %d: offset %d came after %d", r.partition, r.offset, before)
		}
		last[r.partition] = r.offset
		times[r.value]++
	}
	for _, value := range values(start) {
		if times[value] != 1 {
			return fmt.Errorf("%s came %d times, among %d records", value, times[value], len(found))
		}
	}
	if len(found) != count {
		return fmt.Errorf("expected %d records, found %d", count, len(found))
	}
	return nil
}

func versionOf(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, each := range info.Deps {
			if each.Path == module {
				return each.Version
			}
		}
	}
	return "unknown"
}

func run(c client, name string) error {
	fmt.Println("version", versionOf(c.module()))
	if err := c.create(name); err != nil {
		return err
	}
	round := func(start int, afterProduce, afterGroup, afterCommit string) error {
		if err := c.produce(name, values(start)); err != nil {
			return fmt.Errorf("produce: %w", err)
		}
		if afterProduce != "" {
			fmt.Println(afterProduce)
		}
		found, err := c.consume(name, count)
		if err == nil {
			err = check(found, start)
		}
		if err != nil {
			return fmt.Errorf("consume: %w", err)
		}
		if afterGroup != "" {
			fmt.Println(afterGroup)
		}
		sum, err := c.committed(name)
		if err == nil && sum != int64(start+count) {
			err = fmt.Errorf("expected a sum of %d, found %d", start+count, sum)
		}
		if err != nil {
			return fmt.Errorf("committed offsets: %w", err)
		}
		fmt.Println(afterCommit)
		return nil
	}
	if err := round(0, "produce", "group", "commit"); err != nil {
		return err
	}
	return round(count, "", "", "resume")
}

func main() {
	bootstrap, name := os.Args[2], os.Args[3]
	clients := map[string]func(string) client{"franz-go": newFranz, "sarama": newSarama}
	c := clients[os.Args[1]](bootstrap)
	do := func() error { return run(c, name) }
	if len(os.Args) > 4 {
		do = map[string]func() error{
			"member":  func() error { return c.member(name) },
			"pattern": func() error { return c.pattern(name) },
			"transactions": func() error {
				err := c.transactions(name)
				if err == nil {
					fmt.Println("transactions")
				}
				return err
			},
			"copier": func() error { return c.copier(name, os.Args[5]) },
			"list": func() error {
				names, err := c.list()
				for _, each := range names {
					fmt.Println(each)
				}
				return err
			},
		}[os.Args[4]]
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
