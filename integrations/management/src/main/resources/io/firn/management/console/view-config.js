// The configuration, as far as it differs from the defaults.

import {ask} from './api.js';
import {element} from './dom.js';
import {table} from './table.js';

export function mount() {
  const rows = table(
      'Configuration',
      [
        {title: 'Key', cell: (each) => each.key},
        {title: 'Value', cell: (each) => each.value},
        {title: 'Default', cell: (each) => each.standard ?? 'none'},
        {title: 'Set', wide: true, cell: (each) => (each.changed ? 'by a client' : 'at the start')},
      ],
      'All keys have their defaults.');
  return {
    title: 'Configuration',
    box: element(
        'div', {},
        element('p', {class: 'note'}, 'Keys whose values differ from their defaults. Options of topics are on their pages.'),
        element('section', {class: 'card'}, rows.box)),
    async update(isCurrent) {
      const answer = await ask('config');
      if (isCurrent()) {
        rows.update(answer.rows);
      }
    },
  };
}
