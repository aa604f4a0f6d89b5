// Groups, and the cursors of the application, with their lag.

import {ask} from './api.js';
import {element} from './dom.js';
import * as format from './format.js';
import {table} from './table.js';
import {filterField, pager, paging, sortField} from './view-topics.js';

export const groupHref = (name) => `#/groups/${encodeURIComponent(name)}`;

/** Shows the state of a group as a chip. */
export function stateOf(state) {
  if (state === null) {
    return {text: 'cursor', kind: 'chip'};
  }
  const kind = state === 'Stable' ? 'good' : state.endsWith('Rebalance') ? 'warning' : '';
  return {text: state.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase(), kind: `chip ${kind}`};
}

export function mount({parameters, setParameters, refresh}) {
  const rows = table(
      'Groups',
      [
        {title: 'Group', cell: (each) => ({text: each.name, href: groupHref(each.name)})},
        {title: 'State', cell: (each) => stateOf(each.state)},
        {title: 'Members', number: true, wide: true, cell: (each) => format.count(each.members)},
        {title: 'Topics', number: true, wide: true, cell: (each) => format.count(each.topics)},
        {title: 'Partitions', number: true, wide: true, cell: (each) => format.count(each.partitions)},
        {title: 'Lag', number: true, cell: (each) => format.count(each.lagRecords)},
        {title: 'Lag, bytes', number: true, wide: true, cell: (each) => format.bytes(each.lagBytes)},
        {title: 'Lag, time', number: true, cell: (each) => format.duration(each.lagMs)},
      ],
      'There is no such group, and no such cursor.');
  const pages = pager(parameters, setParameters, refresh);
  const sort = sortField(
      [['lag', 'lag'], ['time', 'lag in time'], ['name', 'name']], parameters, setParameters, refresh);
  return {
    title: 'Groups',
    box: element(
        'div', {},
        element(
            'div', {class: 'tools'},
            filterField('Name has', parameters, setParameters, refresh), sort, pages.box),
        element('section', {class: 'card'}, rows.box)),
    async update(isCurrent) {
      const answer = await ask('groups', paging(parameters));
      if (isCurrent()) {
        rows.update(answer.rows);
        pages.update(answer);
      }
    },
  };
}
