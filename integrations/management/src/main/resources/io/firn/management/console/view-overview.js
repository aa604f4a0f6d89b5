// The overview: what the server does now, and what is wrong.

import {chart} from './chart.js';
import {card, element, facts, meter, setText} from './dom.js';
import * as format from './format.js';
import {findings} from './view-events.js';

const perSecond = format.perSecond(format.short);
const bytesPerSecond = format.perSecond(format.bytes);

export function mount({history, latest}) {
  const charts = [
    chart('Records appended', [{key: 'appended', label: 'all topics', colour: 1}], perSecond),
    chart('Bytes made durable', [{key: 'forced', label: 'all topics', colour: 2}], bytesPerSecond, true),
    chart(
        'Requests',
        [
          {key: 'produce', label: 'produce', colour: 1},
          {key: 'fetch', label: 'fetch', colour: 2},
          {key: 'others', label: 'others', colour: 3},
        ],
        perSecond),
    chart(
        'Latency, 99th percentile',
        [
          {key: 'produceMs', label: 'produce', colour: 1},
          {key: 'forceMs', label: 'force', colour: 2},
        ],
        format.duration),
  ];
  const log = facts(['Topics', 'Partitions', 'Segments', 'Stored', 'Backlog', 'Undecided offsets']);
  const server = facts(['Connections', 'Groups', 'Open transactions', 'Queued', 'Throttled', 'Longest pause']);
  const process = facts(['Firn', 'Java', 'Process', 'Running for', 'Processors in use', 'Threads']);
  const heap = labelledMeter('Heap');
  const files = labelledMeter('Open files');
  const tiers = element('div', {class: 'stack'});
  const tierMeters = new Map();
  const found = findings();
  const box = element(
      'div', {},
      element('div', {class: 'grid charts'}, ...charts.map((each) => each.box)),
      element(
          'div', {class: 'grid numbers'},
          card('Findings', found.box),
          card('Tiers', tiers),
          card('Log', log.list),
          card('Server', server.list),
          card('Process', process.list, heap.box, files.box)));

  function show(answer) {
    charts.forEach((each) => each.update(history));
    log.set('Topics', format.count(answer.log.topics));
    log.set('Partitions', format.count(answer.log.partitions));
    log.set('Segments', format.count(answer.log.segments));
    log.set('Stored', format.bytes(answer.log.bytes));
    log.set('Backlog', format.bytes(answer.log.backlogBytes));
    log.set('Undecided offsets', format.count(answer.log.undecided));
    server.set('Connections', format.count(answer.server.connections));
    server.set('Groups', format.count(answer.server.groups));
    server.set('Open transactions', format.count(answer.transactions));
    server.set('Queued', format.bytes(answer.server.queuedBytes));
    server.set('Throttled', format.plural(answer.server.throttles, 'time'));
    server.set('Longest pause', format.duration(answer.server.stillMs));
    process.set('Firn', answer.version);
    process.set('Java', answer.process.java.split('+')[0]);
    process.set('Process', String(answer.process.id));
    process.set('Running for', format.duration(answer.process.uptimeMs));
    process.set('Processors in use', format.percent(answer.process.cpu));
    process.set('Threads', format.count(answer.process.threads));
    heap.set(answer.process.heapUsedBytes, answer.process.heapMaxBytes, format.bytes);
    files.set(answer.process.openFiles, answer.process.maxFiles, format.count);
    for (const tier of answer.tiers) {
      if (!tierMeters.has(tier.label)) {
        tierMeters.set(tier.label, labelledMeter(tier.label));
        tiers.append(tierMeters.get(tier.label).box);
      }
      const size = tier.capacityBytes ?? (tier.freeBytes === null ? null : tier.usedBytes + tier.freeBytes);
      tierMeters.get(tier.label).set(tier.usedBytes, size, format.bytes);
    }
    found.update(answer.findings, answer.findingCount);
  }

  return {
    title: 'Overview',
    box,
    async update() {
      if (latest() !== null) {
        show(latest());
      }
    },
    end: () => charts.forEach((each) => each.end()),
  };
}

function labelledMeter(label) {
  const bar = meter(label);
  const text = element('span', {class: 'value'});
  const box = element(
      'div', {class: 'labelled'},
      element('p', {}, element('span', {}, label), text), bar.bar);
  return {
    box,
    set(used, most, unit) {
      setText(text, most === null ? unit(used) : `${unit(used)} of ${unit(most)}`);
      bar.set(most ? used / most : 0);
    },
  };
}
