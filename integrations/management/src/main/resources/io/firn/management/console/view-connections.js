// The open connections.

import {ask} from './api.js';
import {element, setText} from './dom.js';
import * as format from './format.js';
import {table} from './table.js';
import {filterField, pager, paging} from './view-topics.js';

export function mount({parameters, setParameters, refresh}) {
  const note = element('p', {class: 'note'});
  const rows = table(
      'Connections',
      [
        {title: 'Client', cell: (each) => each.clientId || '–'},
        {title: 'Address', cell: (each) => each.address},
        {title: 'Principal', cell: principalOf},
        {title: 'Library', wide: true, cell: (each) => each.software || '–'},
        {title: 'Listener', wide: true, cell: (each) => `${each.listener}${each.encrypted ? ', TLS' : ''}`},
        {title: 'Open for', number: true, wide: true, cell: (each) => format.duration(each.ageMs)},
      ],
      'No client is connected.');
  const pages = pager(parameters, setParameters, refresh);
  return {
    title: 'Connections',
    box: element(
        'div', {},
        element(
            'div', {class: 'tools'},
            filterField('Any text', parameters, setParameters, refresh), pages.box),
        note,
        element('section', {class: 'card'}, rows.box)),
    async update(isCurrent) {
      const answer = await ask('connections', paging(parameters));
      if (isCurrent()) {
        rows.update(answer.connections.rows);
        pages.update(answer.connections);
        setText(
            note,
            answer.open > answer.searched
                ? `The ${format.count(answer.searched)} oldest of ${format.count(answer.open)}.`
                : `${format.plural(answer.open, 'connection')}, oldest first. Names of clients and libraries are what they say of themselves.`);
      }
    },
  };
}

function principalOf(connection) {
  return connection.authenticated
      ? connection.principal
      : {text: 'not authenticated', kind: 'chip warning'};
}
