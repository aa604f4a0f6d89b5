// The steps of scenario.py, with kafkajs.
const { Kafka, logLevel, CompressionTypes } = require("kafkajs");

const COUNT = 1000;
const PARTITIONS = 3;
const WAIT_MS = 60_000;
const [bootstrap, name, mode] = process.argv.slice(2);

// As scenario.py: over TLS with SCRAM when the environment has a user, or with a certificate.
const read = (name) => require("fs").readFileSync(process.env[name]);
const user = process.env.FIRN_CLIENT_USER;
const security = user
  ? {
      ssl: { ca: [read("FIRN_CLIENT_CA")] },
      sasl: {
        mechanism: process.env.FIRN_CLIENT_MECHANISM.toLowerCase(),
        username: user,
        password: process.env.FIRN_CLIENT_PASSWORD,
      },
    }
  : process.env.FIRN_CLIENT_CERTIFICATE
    ? {
        ssl: {
          ca: [read("FIRN_CLIENT_CA")],
          cert: read("FIRN_CLIENT_CERTIFICATE"),
          key: read("FIRN_CLIENT_KEY"),
        },
      }
    : {};
const kafka = new Kafka({
  clientId: name,
  brokers: [bootstrap],
  logLevel: logLevel.ERROR,
  ...security,
});

function shown(...words) {
  console.log(words.join(" "));
}

function within(promise, what) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`waited in vain for ${what}`)), WAIT_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function produce(start) {
  const producer = kafka.producer({ idempotent: false });
  await producer.connect();
  const messages = [];
  for (let i = start; i < start + COUNT; i++) {
    messages.push({ key: `value-${i}`, value: `value-${i}` });
  }
  for (let i = 0; i < COUNT; i += 100) {
    await producer.send({
      topic: name,
      compression: CompressionTypes.GZIP,
      messages: messages.slice(i, i + 100),
    });
  }
  await producer.disconnect();
}

async function committedSum() {
  const admin = kafka.admin();
  await admin.connect();
  const [topic] = await admin.fetchOffsets({ groupId: name, topics: [name] });
  await admin.disconnect();
  return topic.partitions.reduce((sum, p) => sum + Math.max(0, Number(p.offset)), 0);
}

async function consume(start) {
  const consumer = kafka.consumer({ groupId: name });
  const found = [];
  const last = new Map();
  await consumer.connect();
  await consumer.subscribe({ topics: [name], fromBeginning: true });
  let stray = null;
  const all = new Promise((done, fail) => {
    consumer
      .run({
        autoCommit: false,
        eachMessage: async ({ partition, message }) => {
          const offset = Number(message.offset);
          if (last.has(partition) && offset !== last.get(partition) + 1) {
            fail(new Error(`offset ${offset} came after ${last.get(partition)}`));
          }
          last.set(partition, offset);
          found.push(message.value.toString());
          if (found.length === COUNT) {
            done();
          } else if (found.length > COUNT) {
            stray = message.value.toString();
          }
        },
      })
      .catch(fail);
  });
  await within(all, `${COUNT} records, found ${found.length}`);
  await consumer.commitOffsets(
    [...last].map(([partition, offset]) => ({
      topic: name,
      partition,
      offset: String(offset + 1),
    })),
  );
  await consumer.disconnect();
  if (stray !== null) {
    throw new Error(`more than ${COUNT} records: ${stray}`);
  }
  for (let i = start; i < start + COUNT; i++) {
    if (!found.includes(`value-${i}`)) {
      throw new Error(`value-${i} is missing`);
    }
  }
}

async function committedAre(sum) {
  const found = await committedSum();
  if (found !== sum) {
    throw new Error(`committed offsets: expected a sum of ${sum}, found ${found}`);
  }
}

async function list() {
  const admin = kafka.admin();
  await admin.connect();
  for (const topic of await admin.listTopics()) {
    console.log(topic);
  }
  await admin.disconnect();
}

async function member(topics) {
  const consumer = kafka.consumer({
    groupId: name,
    sessionTimeout: 6000,
    heartbeatInterval: 1000,
  });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    autoCommitInterval: 500,
    eachMessage: async ({ message }) => console.log(message.value.toString()),
  });
  await new Promise(() => {});
}

async function main() {
  shown("version", require("kafkajs/package.json").version);
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: name, numPartitions: PARTITIONS }] });
  await admin.disconnect();
  await produce(0);
  shown("produce");
  await consume(0);
  shown("group");
  await committedAre(COUNT);
  shown("commit");
  await produce(COUNT);
  await consume(COUNT);
  await committedAre(2 * COUNT);
  shown("resume");
}

const modes = {
  list,
  member: () => member([name]),
  pattern: () => member([/^snow-.*/]),
};

(mode ? modes[mode] : main)().then(
  () => process.exit(0),
  (e) => {
    console.error(e.stack || String(e));
    process.exit(1);
  },
);
