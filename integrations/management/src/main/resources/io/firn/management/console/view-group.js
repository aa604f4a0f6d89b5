// A group: its members, and its lag in each partition.

import {ask} from './api.js';
import {card, element, facts} from './dom.js';
import * as format from './format.js';
import {table} from './table.js';
import {groupHref, stateOf} from './view-groups.js';
import {topicHref} from './view-topics.js';

/** A table of how far readers are behind: of one group with topics, or of one topic with readers. */
export function lagTable(label, isOfGroup, empty) {
  const reader = {title: 'Reader', cell: (each) => ({text: each.cursor, href: groupHref(each.cursor)})};
  const topic = {title: 'Topic', cell: (each) => ({text: each.topic, href: topicHref(each.topic)})};
  return table(
      label,
      [
        isOfGroup ? topic : reader,
        {title: 'Partition', number: true, cell: (each) => String(each.partition)},
        {title: 'Offset', number: true, cell: (each) => (each.offset < 0 ? '–' : format.count(each.offset))},
        {title: 'Lag', number: true, cell: (each) => format.count(each.lagRecords)},
        {title: 'Lag, bytes', number: true, wide: true, cell: (each) => format.bytes(each.lagBytes)},
        {title: 'Lag, time', number: true, cell: (each) => format.duration(each.lagMs)},
      ],
      empty);
}

export function mount({parts}) {
  const name = parts[1];
  const about = facts(['State', 'Assignor', 'Members', 'Lag']);
  const members = table(
      'Members',
      [
        {title: 'Client', cell: (each) => each.clientId || '–'},
        {title: 'Address', cell: (each) => each.host},
        {title: 'Instance', wide: true, cell: (each) => each.instanceId ?? '–'},
        {title: 'Member', wide: true, cell: (each) => each.id},
      ],
      'It has no members now.');
  const lags = lagTable('Lag', true, 'It has committed no offsets.');
  return {
    title: name,
    box: element(
        'div', {},
        element('section', {class: 'card'}, about.list),
        card('Members', members.box),
        card('Partitions, farthest behind first', lags.box)),
    async update(isCurrent) {
      const answer = await ask('group', {name});
      if (isCurrent()) {
        about.set('State', answer.state === null ? 'no group: a cursor' : stateOf(answer.state).text);
        about.set('Assignor', answer.protocol || '–');
        about.set('Members', format.count(answer.memberCount));
        about.set('Lag', format.plural(answer.lags.reduce((sum, each) => sum + each.lagRecords, 0), 'record'));
        members.update(answer.members);
        lags.update(answer.lags);
      }
    },
  };
}
