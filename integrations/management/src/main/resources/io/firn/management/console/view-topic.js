// A topic: its partitions, its options if not the defaults, and the readers that are behind.

import {ask} from './api.js';
import {card, element, setText, show} from './dom.js';
import * as format from './format.js';
import {table} from './table.js';
import {lagTable} from './view-group.js';
import {pager, topicHref} from './view-topics.js';

export function mount({parts, parameters, setParameters, refresh}) {
  const name = parts[1];
  const partitions = table(
      'Partitions',
      [
        {title: 'Partition', cell: (each) => ({text: `${each.partition}: records`, href: topicHref(name, each.partition)})},
        {title: 'Start', number: true, cell: (each) => format.count(each.start)},
        {title: 'Durable', number: true, wide: true, cell: (each) => format.count(each.durable)},
        {title: 'Next', number: true, cell: (each) => format.count(each.next)},
        {title: 'Stored', number: true, cell: (each) => format.bytes(each.bytes)},
        {title: 'Segments', number: true, wide: true, cell: (each) => format.count(each.segments)},
        {title: 'Backlog', number: true, wide: true, cell: (each) => format.bytes(each.backlogBytes)},
        {title: 'Stalls', number: true, wide: true, cell: (each) => format.count(each.stalls)},
        {title: 'Undecided', number: true, wide: true, cell: (each) => format.count(each.undecided)},
        {title: 'State', cell: stateOf},
      ],
      'The topic has no partitions.');
  const pages = pager(parameters, setParameters, refresh);
  const options = table(
      'Options',
      [
        {title: 'Option', cell: (each) => each.name},
        {title: 'Value', cell: (each) => each.value},
        {title: 'Default', cell: (each) => each.standard},
      ],
      'All options are as their defaults.');
  const cursors = lagTable('Readers', false, 'No group and no cursor reads this topic.');
  const id = element('p', {class: 'note path'});
  return {
    title: name,
    box: element(
        'div', {},
        id,
        element('section', {class: 'card'}, element('div', {class: 'tools'}, element('h2', {}, 'Partitions'), pages.box), partitions.box),
        element('div', {class: 'grid'}, card('Options that differ from the defaults', options.box), card('Readers, farthest behind first', cursors.box))),
    async update(isCurrent) {
      const answer = await ask('topic', {name, page: parameters().get('page') ?? ''});
      if (isCurrent()) {
        setText(id, `Id ${answer.id}`);
        partitions.update(answer.partitions.rows);
        pages.update(answer.partitions);
        show(pages.box, answer.partitions.total > answer.partitions.size);
        options.update(answer.options);
        cursors.update(answer.cursors);
      }
    },
  };
}

function stateOf(partition) {
  if (partition.poisoned) {
    return {text: 'poisoned', kind: 'chip error', title: 'Refuses appends until the server is started again'};
  }
  if (partition.damage.length > 0) {
    const ranges = partition.damage.map((each) => `${each.from} to ${each.to}: ${each.reason}`);
    return {text: 'damaged', kind: 'chip error', title: ranges.join('\n')};
  }
  return {text: 'serving', kind: 'chip good'};
}
